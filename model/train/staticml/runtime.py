"""Reads a packed model (SML1) and turns texts into vectors, by other means than the Go package: the reference it is compared with.

The form of the file is told at Packed in the Go package `model`.
"""

import json
import pathlib
import re
import struct

import numpy as np
from tokenizers import Tokenizer, models

CHARACTERS = 4096  # of a text that are looked at
TOKENS = 128  # of a text that count
BLOCK = 32  # columns that share a scale
WORD_START = "\u2581"


class Cursor:
    """Takes arrays and bytes off the front of a buffer."""

    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, size):
        self.at += size
        if self.at > len(self.raw):
            raise ValueError("the packed model ends too early")
        return self.raw[self.at - size : self.at]

    def array(self, dtype, *shape):
        return np.frombuffer(self.take(np.dtype(dtype).itemsize * int(np.prod(shape))), dtype).reshape(shape)


class PackedModel:
    def __init__(self, path):
        file = Cursor(pathlib.Path(path).read_bytes())
        if file.take(4) != b"SML1":
            raise ValueError(f"{path} is not a packed model")
        (size,) = struct.unpack("<I", file.take(4))
        header = json.loads(file.take(size))
        vocab, dim = header["vocab"], header["dim"]
        self.unk = header["unk"]
        pieces = self._pieces(Cursor(file.take(header["pieces"])), vocab)
        scores = file.array("<f4", vocab).astype(np.float64)
        self.tokenizer = Tokenizer(models.Unigram(list(zip(pieces, scores.tolist())), unk_id=self.unk))
        self.scales = file.array("<f2", vocab, dim // BLOCK)
        self.packed = file.array(np.uint8, vocab, dim // 2)
        characters = json.loads(file.take(header["charmap"]))
        self.characters = {int(code): to for code, to in characters.items()}
        self.dim = dim

    @staticmethod
    def _pieces(file, count):
        return [file.take(file.take(1)[0]).decode() for _ in range(count)]

    def rows(self, ids):
        """The float32 rows of some tokens."""
        both = self.packed[ids]
        values = np.stack([both & 15, both >> 4], axis=2).reshape(len(ids), -1, BLOCK).astype(np.float32) - 8
        return (values * self.scales[ids].astype(np.float32)[:, :, None]).reshape(len(ids), self.dim)

    def ids(self, text):
        """The tokens of a text, unknown ones left out."""
        text = text[:CHARACTERS].translate(self.characters)
        words = re.sub(" +", " ", text).strip(" ")
        marked = WORD_START + words.replace(" ", WORD_START)
        ids = self.tokenizer.encode(marked, add_special_tokens=False).ids
        return [i for i in ids[:TOKENS] if i != self.unk]

    def encode(self, text):
        """The vector of a text: of length 1, or zero when no token is known."""
        ids = self.ids(text)
        if not ids:
            return np.zeros(self.dim, np.float32)
        total = self.rows(ids).sum(0)
        length = np.linalg.norm(total)
        return total / length if length > 0 else total
