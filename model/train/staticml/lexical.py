"""A plain BM25F, to measure a model beside words: fields name x3, description x1, parameter names x.5, their texts x.25.

The product's own ranking is in Go (package search); this one only tells whether a model adds to words.
"""

import collections
import re
import unicodedata

import numpy as np
import scipy.sparse as sp

from .text import split_name

STOP = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to "
    "was will with i me my we our you your he she it what which who how do does did can could would should please want "
    "need".split()
)
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
WEIGHTS, LENGTHS, K1 = (3, 1, 0.5, 0.25), (0.3, 0.6, 0.5, 0.5), 1.2


def words(text, stem):
    """Folded and stemmed words without stop words; bigrams where a script has no spaces."""
    out, text = [], unicodedata.normalize("NFKD", text.lower())
    for word in re.findall(r"\w+", "".join(c for c in text if not unicodedata.combining(c))):
        if CJK.search(word):
            out += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        elif word not in STOP:
            out.append(stem(word))
    return out


def fields(tool):
    properties = (tool.get("inputSchema") or {}).get("properties") or {}
    described = [v.get("description") or "" for v in properties.values() if isinstance(v, dict)]
    return split_name(tool["name"]), tool["description"] or "", " ".join(map(split_name, properties)), " ".join(map(str, described))


class BM25F:
    def __init__(self, tools):
        import Stemmer

        self.stem = Stemmer.Stemmer("english").stemWord
        texts = [[words(text, self.stem) for text in fields(tool)] for tool in tools]
        self.vocabulary, entries = {}, collections.Counter()
        for f, (weight, b) in enumerate(zip(WEIGHTS, LENGTHS)):
            mean = np.mean([len(row[f]) for row in texts]) or 1
            for i, row in enumerate(texts):
                share = weight / (1 - b + b * len(row[f]) / mean)
                for word, count in collections.Counter(row[f]).items():
                    entries[i, self.vocabulary.setdefault(word, len(self.vocabulary))] += share * count
        self.matrix = self._weighted(entries, len(tools))

    def _weighted(self, entries, count):
        rows, columns = np.array(list(entries)).T
        matrix = sp.csr_matrix((list(entries.values()), (rows, columns)), shape=(count, len(self.vocabulary)))
        having = np.asarray((matrix > 0).sum(0)).ravel()
        matrix.data = matrix.data * (K1 + 1) / (matrix.data + K1)
        return (matrix @ sp.diags(np.log(1 + (count - having + 0.5) / (having + 0.5)))).tocsc()

    def score(self, query):
        ids = [self.vocabulary[w] for w in words(query, self.stem) if w in self.vocabulary]
        if not ids:
            return np.zeros(self.matrix.shape[0])
        return np.asarray(self.matrix[:, ids].sum(1)).ravel()
