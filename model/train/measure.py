"""Hit@5 of a packed model, alone and beside words, on the question sets of a folder. Training never reads that folder.

A tool's vector is .4 of its name's and .6 of its name's and description's together; the fused score is half BM25F over
its maximum, half the z-score of the cosine over 6.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

import numpy as np

from staticml.lexical import BM25F
from staticml.runtime import PackedModel
from staticml.text import split_name

SETS = {
    "plain": ("catalog-real", "queries-real-plain"),
    "wide": ("catalog-real", "queries-real-wide"),
    "keyword": ("catalog-real", "queries-real-keyword"),
    "oblique": ("catalog-real", "queries-real-multilingual"),
    "livemcpbench": ("livemcpbench-tools", "livemcpbench-queries"),
    "metatool": ("metatool-tools", "metatool-queries"),
    "sealtools": ("sealtools-tools", "sealtools-queries"),
}
K = 5


def unit(vectors):
    return vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)


def tool_vectors(encode, tools):
    names = [split_name(t["name"]) for t in tools]
    texts = [name + ". " + re.sub(r"\s+", " ", t["description"] or "")[:300] for name, t in zip(names, tools)]
    return unit(0.4 * encode(names) + 0.6 * encode(texts))


def fuse(lexical, dense):
    z = (dense - dense.mean(1, keepdims=True)) / (dense.std(1, keepdims=True) + 1e-9)
    return 0.5 * lexical / np.maximum(lexical.max(1, keepdims=True), 1e-9) + 0.5 * z / 6


def hits(scores, tools, queries):
    """Share of the queries with a relevant tool among the first K: of all, of each language, of all but English."""
    place = {t["name"]: i for i, t in enumerate(tools)}
    out = collections.defaultdict(list)
    for row, query in zip(scores, queries):
        relevant = {place[name] for name in query["relevant"] if name in place}
        if relevant:
            hit = bool(relevant & set(np.argsort(-row, kind="stable")[:K].tolist()))
            for key in ("all", query["lang"], "en" if query["lang"] == "en" else "other"):
                out[key].append((query["id"], hit))
    return {key: float(np.mean(list(dict(found).values()))) for key, found in out.items()}


def shown(result):
    if "other" not in result:
        return f"{result['all']:.3f}"
    return f"en {result['en']:.3f} other {result['other']:.3f}  " + " ".join(
        f"{lang} {value:.2f}" for lang, value in sorted(result.items()) if len(lang) == 2
    )


def read(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def measure(encode, folder, sets):
    catalogs = {}
    for name in sets:
        catalog, questions = SETS[name]
        tools, queries = read(folder, catalog), read(folder, questions)
        if catalog not in catalogs:
            catalogs[catalog] = tool_vectors(encode, tools), BM25F(tools)
        vectors, words = catalogs[catalog]
        dense = encode([q["query"] for q in queries]) @ vectors.T
        lexical = np.array([words.score(q["query"]) for q in queries])
        print(f"{name:<13} dense {shown(hits(dense, tools, queries))}")
        print(f"{'':<13} fused {shown(hits(fuse(lexical, dense), tools, queries))}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", default="../default/static.bin")
    p.add_argument("--data", default="../../../shared/eval", type=pathlib.Path)
    p.add_argument("--sets", default=",".join(SETS))
    a = p.parse_args()
    if not a.data.is_dir():
        print(f"SKIP measuring: the question sets are not in {a.data} (they are never part of this repository); name their folder with --data")
        return
    model = PackedModel(a.model)
    measure(lambda texts: np.array([model.encode(t) for t in texts]), a.data, a.sets.split(","))


if __name__ == "__main__":
    sys.exit(main())
