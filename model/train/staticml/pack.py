"""Packs a table as a file of the form SML1: int4 rows with one float16 scale for 32 values (docs/model.md, "File")."""

import argparse
import hashlib
import json
import os
import struct

import numpy as np

from .e5 import ModelFile

BLOCK = 32
# Scales that are tried, for a block whose value of largest size is 1: that one at the end of the range, which reaches
# one step further down than up, or beyond it, because a smaller scale serves the many small values better.
SCALES = (*(-share / 8 for share in (1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65)), *(share / 7 for share in (1, 0.92, 0.84)))
LICENCE = "MIT; tokenizer and teacher multilingual-e5-small (MIT); trained on text of MIT, BSD and Apache-2.0 packages, see NOTICE"


def quantize(table):
    """(scales, values -8..7): the scale of each block is the one of SCALES with the least squared error."""
    blocks = table.reshape(len(table), -1, BLOCK)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2)
    best = None
    for share in SCALES:
        scale = (largest * share).astype(np.float16).astype(np.float32)
        values = np.clip(np.rint(blocks / np.where(scale == 0, 1e-9, scale)), -8, 7)
        error = ((values * scale - blocks) ** 2).sum(2, keepdims=True)
        if best is None:
            best = scale, values, error
            continue
        better = error < best[2]
        best = np.where(better, scale, best[0]), np.where(better, values, best[1]), np.minimum(error, best[2])
    return best[0][..., 0], best[1].reshape(table.shape).astype(np.int8)


def mean_table(folder, stages):
    """The mean of trainings that differ by their seed: what is chance in each is smaller in it."""
    return np.mean([np.load(os.path.join(folder, stage + ".npy")) for stage in stages], axis=0)


def packed(table, pieces, scores, charmap, unk=3):
    """The bytes of the file."""
    scale, values = quantize(table)
    nibbles = (values + 8).astype(np.uint8)
    names = b"".join(struct.pack("<B", len(p)) + p for p in (piece.encode() for piece in pieces))
    characters = json.dumps({str(k): v for k, v in sorted(charmap.items())}, ensure_ascii=False, separators=(",", ":")).encode()
    header = {"format": "static-ml-1", "vocab": len(table), "dim": table.shape[1], "bits": 4, "block": BLOCK, "unk": unk}
    header |= {"tokenizer": "unigram", "pieces": len(names), "charmap": len(characters), "licence": LICENCE}
    head = json.dumps(header).encode()
    parts = [b"SML1", struct.pack("<I", len(head)), head, names, np.asarray(scores).astype("<f4").tobytes()]
    parts += [scale.astype("<f2").tobytes(), (nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)).tobytes(), characters]
    return b"".join(parts)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--out", default="build")
    p.add_argument("--stages", default="refined,again")
    p.add_argument("--model", default="build/static.bin")
    a = p.parse_args()
    model, keep = ModelFile(), np.load(os.path.join(a.out, "keep.npy"))
    table = mean_table(a.out, a.stages.split(","))
    data = packed(table, [model.pieces[i] for i in keep], model.scores[keep], model.charmap)
    with open(a.model, "wb") as file:
        file.write(data)
    print(a.model, len(data), "bytes sha256", hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    main()
