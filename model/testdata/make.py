"""Makes small Model2Vec models with the reference implementation, and what it says about texts.

    python make.py --out reference            # the committed data
    python make.py --out DIR --random 1000    # the same models with other texts

Each model is a folder with the model's files and golden.json; the folder `default` has a golden.json only, for the embedded
model by the reader in ../train/staticml. texts.json holds the texts. Needs the packages of requirements.txt.
"""

import argparse
import base64
import hashlib
import io
import json
import pathlib
import sys

import numpy as np
import sentencepiece
from model2vec import StaticModel
from model2vec.model import quantize_model
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

import texts

HERE = pathlib.Path(__file__).parent
DEFAULT = HERE.parent / "default" / "static.bin"
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def train(normalizer, pre_tokenizer, size=400, special=SPECIAL, lines=texts.CORPUS):
    """A Unigram tokenizer for the corpus."""
    tokenizer = Tokenizer(models.Unigram())
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(lines.strip().split("\n"), trainer)
    return tokenizer


def fields(message):
    """The length-delimited fields of a protocol buffers message."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = number()
        kind = key & 7
        if kind == 2:
            size = number()
            yield key >> 3, message[at : at + size]
            at += size
        elif kind == 0:
            number()
        else:
            at += 8 if kind == 1 else 4


def charsmap():
    """SentencePiece's nmt_nfkc character map, which multilingual-e5 and XLM-R have: part of every model it trains."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts.CORPUS.strip().split("\n")), model_writer=model, vocab_size=300,
        hard_vocab_limit=False, normalization_rule_name="nmt_nfkc", minloglevel=2)
    spec = dict(fields(model.getvalue()))[3]
    return dict(fields(spec))[2]


def precompiled():
    """Like multilingual-e5 and potion-multilingual-128M: the character map, one space for many, marks in front of words."""
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    form = normalizers.Sequence([normalizers.Precompiled(charsmap()), spaces])
    tokenizer = train(form, pre_tokenizers.Metaspace())
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True, normalized=False)])
    return tokenizer


def first_only():
    """Marks only where the text starts, after splitting at white space; two tokens are searched after normalising."""
    form = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Strip(left=True, right=False)])
    cuts = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="first")])
    tokenizer = train(form, cuts)
    tokenizer.add_tokens([AddedToken("<Tool>", normalized=True), AddedToken("toolbox", single_word=True, normalized=True)])
    return tokenizer


def unaccented():
    """Lower case without accents, whole texts at once; a word with white space around it is one token."""
    form = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Strip()])
    tokenizer = train(form, pre_tokenizers.Metaspace(prepend_scheme="never", split=False))
    tokenizer.add_tokens([AddedToken("TOOLBOX", rstrip=True, normalized=True), AddedToken("Toolbox", single_word=True, normalized=False, lstrip=True)])
    return tokenizer


def bytewise():
    """Unknown characters as bytes, and the mark by replacing instead of a pre-tokenizer; old style of llama."""
    form = normalizers.Sequence([normalizers.NFC(), normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    trained = json.loads(train(form, None).to_str())
    vocab = trained["model"]["vocab"][: len(SPECIAL)]
    vocab += [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]
    vocab += trained["model"]["vocab"][len(SPECIAL) :]
    trained["model"] |= {"vocab": vocab, "byte_fallback": True}
    return Tokenizer.from_str(json.dumps(trained))


def punctuated():
    """Words and punctuation apart, every kind of word-like character; the mark in the old spelling of Metaspace."""
    form = normalizers.Sequence([normalizers.NFKD(), normalizers.Replace(Regex(r"[\s\d]+|(?:ab)+$"), " ")])
    cuts = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.Metaspace()])
    trained = json.loads(train(form, cuts).to_str())
    last = trained["pre_tokenizer"]["pretokenizers"][-1]
    for key in ("prepend_scheme", "split"):
        last.pop(key)
    last |= {"add_prefix_space": True, "str_rep": "\u2581"}
    return Tokenizer.from_str(json.dumps(trained))


def plain():
    """Nothing but the pieces, and marks at the ends of punctuation's neighbours."""
    cuts = pre_tokenizers.Sequence([pre_tokenizers.Punctuation("merged_with_previous"), pre_tokenizers.Metaspace(replacement="_", prepend_scheme="first", split=True)])
    return train(None, cuts, 300)


def vectors(tokenizer, dim, seed, rows=None):
    count = rows or tokenizer.get_vocab_size()
    return np.random.default_rng(seed).normal(0, 1, (count, dim)).astype(np.float32)


def small_models():
    """Name and model of every kind that can be read."""
    draw = np.random.default_rng(7)
    t = plain()
    yield "plain", StaticModel(vectors(t, 16, 1), t, normalize=True)
    t = precompiled()
    size = t.get_vocab_size()
    yield "precompiled", StaticModel(vectors(t, 32, 2, 60), t, normalize=True, weights=draw.uniform(0.1, 2, size),
                                     token_mapping=draw.integers(0, 60, size))
    t = first_only()
    half = StaticModel(vectors(t, 20, 3), t, normalize=True, max_length=None)
    yield "half", quantize_model(half, quantize_to="float16")
    t = unaccented()
    size = t.get_vocab_size()
    whole = StaticModel(vectors(t, 7, 4, 50), t, normalize=False, token_mapping=draw.integers(0, 50, size))
    yield "int8", quantize_model(whole, quantize_to="int8")
    t = bytewise()
    size = t.get_vocab_size()
    yield "bytes", StaticModel(vectors(t, 140, 5, 40), t, normalize=True, max_length=8, weights=draw.uniform(0.1, 2, size).astype(np.float32),
                               token_mapping=draw.integers(0, 40, size).astype(np.int32))
    t = punctuated()
    eight = quantize_model(StaticModel(vectors(t, 24, 6), t, normalize=True), quantize_to="int8")
    yield "punctuated", StaticModel(eight.embedding, t, normalize=True, weights=draw.uniform(0.1, 2, t.get_vocab_size()))
    t = plain()
    yield "double", quantize_model(StaticModel(vectors(t, 9, 8), t, max_length=300), quantize_to="float64")


def golden(encode, raw):
    """What encode, from a text to ids and vector, says about each text."""
    result = []
    for data, times in raw:
        ids, vector = encode(data.decode("utf-8", "replace") * times)
        result.append({"ids": ids, "vector": base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()})
    return result


def reference(model):
    def encode(text):
        shown = text if model.max_length is None else text[: model.max_length * model.median_token_length]
        return model.tokenize([shown])[0], model.encode(text)

    return encode


def embedded():
    """The embedded model's file and what the independent reader says."""
    sys.path.insert(0, str(HERE.parent / "train"))
    from staticml.runtime import PackedModel

    model = PackedModel(DEFAULT)
    return lambda text: (model.ids(text), model.encode(text))


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=None, separators=(",", ":")).replace('},{"', '},\n{"') + "\n")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", type=pathlib.Path, required=True)
    options.add_argument("--random", type=int, default=0, help="so many random texts instead of the fixed ones")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--models", default="small,default", help="what to make: small, default")
    options = options.parse_args()
    raw = list(texts.random_texts(options.random, options.seed) if options.random else texts.torture())
    write(options.out / "texts.json", [{"base64": base64.b64encode(data).decode(), "times": times} for data, times in raw])
    if "small" in options.models:
        for name, model in small_models():
            folder = options.out / name
            model.save_pretrained(folder)
            for file in ("README.md", "modules.json"):
                (folder / file).unlink()
            write(folder / "golden.json", {"texts": golden(reference(StaticModel.from_pretrained(folder)), raw)})
    if "default" in options.models:
        digest = hashlib.sha256(DEFAULT.read_bytes()).hexdigest()
        write(options.out / "default" / "golden.json", {"sha256": digest, "texts": golden(embedded(), raw)})


if __name__ == "__main__":
    main()
