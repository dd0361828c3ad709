"""Writes the teacher's vectors: token.npy (each piece of the vocabulary alone), and text.json with text.npy (every
English text of the pairs and operations). Goes on where it stopped."""

import argparse
import json
import os
import time

import numpy as np

from .data import load_operations
from .e5 import Teacher
from .text import first_sentence

STEP = 16384  # texts between two savings


def texts(folder):
    """The English side of every pair, the first sentence of every operation, and the example requests."""
    with open(os.path.join(folder, "parallel.jsonl"), encoding="utf-8") as lines:
        out = {json.loads(line)[2] for line in lines}
    for _, _, _, description, examples in load_operations(folder):
        out.add(first_sentence(description)[0][:200])
        out.update(examples)
    return sorted(t for t in out if t)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--out", default="build")
    p.add_argument("--threads", type=int, default=2)
    a = p.parse_args()
    start, teacher = time.time(), Teacher(a.threads)
    path = os.path.join(a.out, "token.npy")
    if not os.path.exists(path):
        np.save(path, teacher.run([[i] for i in range(len(teacher.model.pieces))], 512).astype(np.float16))
        print(f"pieces {time.time() - start:.0f} s", flush=True)
    keys, have = os.path.join(a.out, "text.json"), {}
    if os.path.exists(keys):
        with open(keys, encoding="utf-8") as file:
            have = dict(zip(json.load(file), np.load(os.path.join(a.out, "text.npy"))))
    todo = [t for t in texts(a.out) if t not in have]
    print(f"{len(have)} texts known, {len(todo)} to encode", flush=True)
    for i in range(0, len(todo), STEP):
        part = todo[i : i + STEP]
        have.update(zip(part, teacher.encode(part).astype(np.float16)))
        np.save(os.path.join(a.out, "text.npy"), np.array(list(have.values())))
        with open(keys, "w", encoding="utf-8") as file:
            json.dump(list(have), file)
        print(f"{i + len(part)} texts {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
