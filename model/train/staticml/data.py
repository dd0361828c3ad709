"""Chooses the training texts, turns them into tokens (tokens.npz, pieces of the full vocabulary), and picks the
vocabulary. Every text is tokenized as it is and in lower case: training takes one or the other."""

import argparse
import collections
import functools
import json
import multiprocessing
import os
import random
import time
import unicodedata

import numpy as np

from .e5 import ModelFile, Tokenizer
from .text import MAIN_LANGUAGES, first_sentence

LIMIT = 64  # tokens of a text
# Scripts with little training text get a head start among the pieces that were not seen, in units of log probability.
HEAD_START = {"DEVANAGARI": 3.0, "ARABIC": 1.0}
VERSIONS = ("", "_lower")


def _lines(folder, file):
    with open(os.path.join(folder, file), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def select_pairs(folder, main_cap=20000, other_cap=2000, seed=0):
    """At most main_cap (other_cap) pairs of each package in each main (other) language, so that no package rules."""
    groups = collections.defaultdict(list)
    for lang, text, english, package in _lines(folder, "parallel.jsonl"):
        groups[lang, package].append((lang, text, english))
    rnd, out = random.Random(seed), []
    for (lang, _), pairs in sorted(groups.items()):
        rnd.shuffle(pairs)
        out += pairs[: main_cap if lang in MAIN_LANGUAGES else other_cap]
    rnd.shuffle(out)
    return out


def load_operations(folder):
    """Operations ordered by package, area and name: neighbours look alike, and make hard negatives."""
    return sorted(_lines(folder, "operations.jsonl"), key=lambda row: row[:3])


def load_texts(folder):
    """(pairs, operations, senses, and every list of texts that training needs by name)."""
    pairs, operations, senses = select_pairs(folder), load_operations(folder), _lines(folder, "senses.jsonl")
    split = [first_sentence(row[3]) for row in operations]
    texts = {
        "text": [t for _, t, _ in pairs],
        "english": sorted({e for _, _, e in pairs}),
        "area": [row[1] for row in operations],
        "name": [row[2] for row in operations],
        "head": [head[:200] for head, _ in split],
        "rest": [rest[:260] for _, rest in split],
        "example": [e for row in operations for e in row[4]],
        "word": [w for words, _, _ in senses for w in words],
        "definition": [definition for _, definition, _ in senses],
        "usage": [u for _, _, usages in senses for u in usages],
    }
    return pairs, operations, senses, texts


def script(piece):
    """The script of a piece's first letter, as Unicode names it."""
    for character in piece.lstrip("\u2581"):
        if character.isalpha():
            return unicodedata.name(character, "?").split()[0]
    return ""


def choose_vocabulary(pieces, scores, counts, size, minimum):
    """Ids of the pieces to keep: specials, single characters and pieces seen at least minimum times, then the most
    frequent by unigram score."""
    single = np.array([len(p.lstrip("\u2581")) <= 1 for p in pieces])
    bonus = np.array([HEAD_START.get(script(p), 0.0) for p in pieces])
    priority = scores.astype(float) + bonus + np.where(single | (counts >= minimum), 1000, 0)
    priority[:4] = 1e9
    return np.sort(np.argsort(-priority, kind="stable")[:size])


def load_tokens(folder, keep, model, texts):
    """{name: [(tokens, tokens in lower case)]} in ids of keep. A text whose best split uses only kept pieces has the
    same best split under keep; only the others are tokenized again."""
    stored = np.load(os.path.join(folder, "tokens.npz"))
    new = np.full(len(model.pieces), -1, np.int64)
    new[keep] = np.arange(len(keep))
    tokenizer, out = Tokenizer(model, keep), {}
    for name, strings in texts.items():
        versions = []
        for kind in VERSIONS:
            flat, offset = new[stored[name + kind]], stored[name + kind + "_offset"]
            lists = np.split(flat.astype(np.int32), offset[1:-1])
            again = sorted(set((np.searchsorted(offset, np.flatnonzero(flat < 0), side="right") - 1).tolist()))
            cased = [strings[i].lower() if kind else strings[i] for i in again]
            for i, ids in zip(again, tokenizer.ids(cased, LIMIT)):
                lists[i] = np.array(ids, np.int32)
            versions.append(lists)
        out[name] = list(zip(*versions))
    return out


@functools.cache
def _tokenizer():
    """One for each process: it takes a second to build."""
    return Tokenizer(ModelFile())


def _tokenize(texts):
    return _tokenizer().ids(texts, LIMIT)


def tokenize_all(texts, processes):
    """Arrays for tokens.npz, and how often each piece is in the texts as they are."""
    out, counts = {}, np.zeros(len(ModelFile().pieces), np.int64)
    with multiprocessing.Pool(processes) as pool:
        for name, strings in texts.items():
            for kind in VERSIONS:
                strings = [s.lower() for s in strings] if kind else strings
                parts = pool.imap(_tokenize, [strings[i : i + 20000] for i in range(0, len(strings), 20000)])
                lists = [ids for part in parts for ids in part]
                flat = np.array([i for ids in lists for i in ids], np.int32)
                out[name + kind] = flat
                out[name + kind + "_offset"] = np.concatenate([[0], np.cumsum([len(ids) for ids in lists])])
                counts += 0 if kind else np.bincount(flat, minlength=len(counts))
    return out, counts


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--out", default="build")
    p.add_argument("--processes", type=int, default=2)
    a = p.parse_args()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    start = time.time()
    pairs, operations, senses, texts = load_texts(a.out)
    arrays, counts = tokenize_all(texts, a.processes)
    np.savez(os.path.join(a.out, "tokens.npz"), counts=counts, **arrays)
    print(len(pairs), "pairs", len(operations), "operations", len(senses), "senses", int(counts.sum()), "tokens", end=" ")
    print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
