"""Learns which words of other languages stand for which English ones, from the translations that train the model.

Model 1 of IBM in both directions, with a word for nothing on either side: what two directions hold to be each other's
translation is counted, and a pair is kept that is counted often beside how often its words stand anywhere. Words are
compared by the stems that the search has (package text of the search), so that its look-ups meet them. Texts of
scripts without spaces are cut at every place: of pieces that stand for the same word the longest common one is kept.

Writes build/lexicon.bin; its form is told in search/text/lexicon.go.
"""

import argparse
import collections
import functools
import json
import os
import re
import struct
import time
import unicodedata

import numpy as np
import Stemmer

# Stemmers that the search has, by language. The rest of Latin letters is "slavic" or none.
SNOWBALL = {
    "lt": "lithuanian", "de": "german", "es": "spanish", "fr": "french", "pt": "portuguese", "tr": "turkish",
    "it": "italian", "nl": "dutch_porter", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish",
    "hu": "hungarian", "ro": "romanian", "ru": "russian", "uk": "russian", "bg": "russian", "ar": "arabic",
}  # fmt: skip
SLAVIC = ("pl", "cs", "sk", "hr", "sl")
UNSPACED = ("ja", "zh", "ko")
NOT_LATIN = ("ru", "uk", "bg", "ar", "hi", "ja", "zh", "ko")

# Bits of the languages, in the order of the glossary's columns; the others share what is left by family.
BITS = {lang: 1 << i for i, lang in enumerate(("lt", "de", "es", "fr", "pl", "pt", "ru", "tr", "ja", "zh", "ar", "hi"))}
FAMILIES = (("cs", "sk", "hr", "sl"), ("nl", "sv", "da", "no"), ("it", "ro"), ("fi", "hu", "ko", "uk", "bg"))
for _i, _family in enumerate(FAMILIES):
    BITS.update({lang: 1 << (12 + _i) for lang in _family})

PLAIN = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŧ": "t",
    "ĸ": "k", "ŋ": "n", "ſ": "s", "ς": "σ", "ـ": "",
}  # fmt: skip


def _is_pointing(c):
    return "\u064b" <= c <= "\u0652" or c == "\u0670" or "\u0591" <= c <= "\u05c7"


def lower(word):
    return unicodedata.normalize("NFKC", word).lower().replace("i\u0307", "i")


@functools.lru_cache(maxsize=1 << 20)
def fold(word):
    """Fold of package text: lower case without spelling aids."""
    word = lower(word)
    if word.isascii():
        return word
    out, strip = [], False
    for c in unicodedata.normalize("NFD", word):
        if c.isascii():
            strip = True
            out.append(c)
        elif unicodedata.category(c) == "Mn":
            if not strip and not _is_pointing(c):
                out.append(c)
        else:
            strip = unicodedata.name(c, "").startswith(("LATIN", "GREEK"))
            out.append(PLAIN.get(c, c))
    return unicodedata.normalize("NFC", "".join(out)).replace("ё", "е")


SLAVIC_ENDINGS = sorted(
    "iami ami iach ach ech ich ych iego ego iemu emu ymi imi owie owi ow om em am ym im iej ej ie ia iu io"
    " owac ywac iwac ovat ac ec ic yc at it et y i a e o u".split(),
    key=lambda e: (-len(e), e),
)
HINDI_ENDINGS = sorted(
    "ियों ियाँ ियां ाएं ाएँ ाओं ुओं ों ें ीं ाँ ां ाना ना ने नी ता ती ते ा ी े ि ु ू ो".split(),
    key=lambda e: (-len(e), e),
)


def without_ending(word, endings, least):
    """word without the longest of its endings that leaves at least least letters."""
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


@functools.lru_cache(maxsize=1 << 20)
def stem(lang, word):
    """The key of a word, as Lexicon.Of in package text looks for it."""
    if lang == "en":
        return stemmer("english")(fold(word))
    if lang == "hi":
        return without_ending(fold(word), HINDI_ENDINGS, 2)
    if lang in SLAVIC:
        return without_ending(fold(word), SLAVIC_ENDINGS, 4)
    if lang not in SNOWBALL:
        return fold(word)
    stemmed = fold(stemmer(SNOWBALL[lang])(word))
    return stemmed if len(stemmed) >= 4 or not word[0].isascii() and fold(word[0])[0] > "\u024f" else fold(word)


@functools.cache
def stemmer(algorithm):
    return Stemmer.Stemmer(algorithm, 0).stemWord


MARKS = "".join(map(chr, (c for c in range(0x300, 0xFE30) if unicodedata.category(chr(c)).startswith("M"))))
WORD = re.compile(rf"(?:[^\W\d_][{MARKS}]*)+")
BORDER = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")
HAN_KANA = re.compile("[\u3040-\u30ff\u3400-\u9fff々ー]+")
HANGUL = re.compile("[\uac00-\ud7af]+")


def words(lang, text):
    """Stems of a text, each once."""
    if lang in UNSPACED:
        return pieces(lang, text)
    text = unicodedata.normalize("NFKC", text)
    found = {}
    for w in WORD.findall(BORDER.sub(" ", text)):
        w = lower(w)
        if len(w) <= 32 and (len(w) > 1 or lang == "en"):
            found[stem(lang, w)] = True
    return list(found)


LONGEST_PIECE = {"ja": 6, "zh": 4, "ko": 5}
KATAKANA = re.compile("[\u30a1-\u30faー]+")
BEGINS_NO_WORD = "をのがはにでともへっゃゅょんぁぃぅぇぉ々"


def pieces(lang, text):
    """Pieces of two letters or more of runs without spaces; what is written in Katakana stays whole."""
    found = {}
    for run in (HANGUL if lang == "ko" else HAN_KANA).findall(unicodedata.normalize("NFKC", text)):
        run = fold(run)
        inside = [False] * (len(run) + 1)
        for m in KATAKANA.finditer(run):
            if 2 <= m.end() - m.start() <= 10:
                found[m.group()] = True
            inside[m.start() + 1 : m.end()] = [True] * (m.end() - m.start() - 1)
        for i in range(len(run)):
            if inside[i] or run[i] in BEGINS_NO_WORD:
                continue
            for n in range(2, min(LONGEST_PIECE[lang], len(run) - i) + 1):
                if not inside[i + n]:
                    found[run[i : i + n]] = True
    return list(found)


class Numbers(dict):
    """Numbers of words, given at first sight."""

    def __missing__(self, word):
        self[word] = n = len(self)
        return n


LEAST_PAIRS = 3
MOST_WORDS = 24  # of a text; long ones say little of which word is which


LEAST_PIECES = 5


def frequent(lang, rows):
    """Pieces that stand in some texts at least, without those that always stand inside the same longer one."""
    count = collections.Counter()
    for text, _ in rows:
        count.update(pieces(lang, text))
    keep = {p for p, n in count.items() if n >= LEAST_PIECES}
    inside = set()
    for p in keep:
        for part in (p[1:], p[:-1]):
            if len(part) > 1 and count[part] <= count[p] * 1.1:
                inside.add(part)
    return keep - inside


class Links:
    """All pairs of a foreign and an English word that stand in translations of each other."""

    def __init__(self, lang, rows):
        self.foreign, self.english = Numbers({"": 0}), Numbers({"": 0})
        left, right = [], []
        count = 0
        keep = frequent(lang, rows) if lang in UNSPACED else None
        for text, english in rows:
            f = [self.foreign[w] for w in words(lang, text) if keep is None or w in keep]
            e = [self.english[w] for w in words("en", english)]
            if not f or not e or len(e) > MOST_WORDS or (len(f) > MOST_WORDS and lang not in UNSPACED):
                continue
            left.append(np.array([0, *f], np.int32))
            right.append(np.array([0, *e], np.int32))
            count += 1
        self.pairs = count
        self.left, self.right = left, right

    def counts(self, side, size):
        return np.bincount(np.concatenate(side), minlength=size)

    def flat(self):
        f = np.concatenate([np.repeat(a, len(b)) for a, b in zip(self.left, self.right)])
        e = np.concatenate([np.tile(b, len(a)) for a, b in zip(self.left, self.right)])
        # the group of a link: its sentence and its word of the side that is given
        starts = np.cumsum([0, *(len(b) for b in self.right)])[:-1]
        by_english = np.concatenate([np.tile(np.arange(s, s + len(b)), len(a)) for s, a, b in zip(starts, self.left, self.right)])
        starts = np.cumsum([0, *(len(a) for a in self.left)])[:-1]
        by_foreign = np.concatenate([np.repeat(np.arange(s, s + len(a)), len(b)) for s, a, b in zip(starts, self.left, self.right)])
        return f, e, by_english, by_foreign


ROUNDS = 6


def posterior(pair, given, group, rounds=ROUNDS):
    """Model 1: of each link, how likely the word of its group comes from the word given."""
    pairs, givens, groups = pair.max() + 1, given.max() + 1, group.max() + 1
    given_of = np.zeros(pairs, np.int32)
    given_of[pair] = given
    t = np.ones(pairs)
    for _ in range(rounds):
        p = t[pair]
        p /= np.bincount(group, p, minlength=groups)[group]
        t = np.bincount(pair, p, minlength=pairs)
        t /= np.bincount(given_of, t, minlength=givens)[given_of]
    p = t[pair]
    return p / np.bincount(group, p, minlength=groups)[group]


def translations(lang, rows, least=3):
    """{foreign stem: [(English stem, share of its occurrences, Dice)]}, the likeliest first."""
    links = Links(lang, rows)
    if links.pairs < LEAST_PAIRS:
        return {}
    f, e, by_english, by_foreign = links.flat()
    size = len(links.english)
    _, pair = np.unique(f.astype(np.int64) * size + e, return_inverse=True)
    both = posterior(pair, f, by_english) * posterior(pair, e, by_foreign)
    both[(f == 0) | (e == 0)] = 0
    count = np.bincount(pair, both)
    first = np.full(len(count), -1, np.int64)
    first[pair] = np.arange(len(pair))
    n_f = links.counts(links.left, len(links.foreign))
    n_e = links.counts(links.right, size)
    foreign, english = list(links.foreign), list(links.english)
    out = collections.defaultdict(list)
    for i in np.flatnonzero(count >= least):
        a, b = int(f[first[i]]), int(e[first[i]])
        out[foreign[a]].append((english[b], count[i] / n_f[a], 2 * count[i] / (n_f[a] + n_e[b]), int(n_f[a])))
    for list_ in out.values():
        list_.sort(key=lambda t: (-t[1], t[0]))
    return dict(out)


def dices(lang, rows, least=4):
    """The same for pieces of texts without spaces: those that stand with an English word and hardly without it."""
    links = Links(lang, rows)
    if links.pairs < LEAST_PAIRS:
        return {}
    f, e, _, _ = links.flat()
    size = len(links.english)
    keys, count = np.unique(f.astype(np.int64) * size + e, return_counts=True)
    a, b = keys // size, keys % size
    n_f = links.counts(links.left, len(links.foreign))
    n_e = links.counts(links.right, size)
    dice = 2 * count / (n_f[a] + n_e[b])
    foreign, english = list(links.foreign), list(links.english)
    out = collections.defaultdict(list)
    for i in np.flatnonzero((count >= least) & (a > 0) & (b > 0) & (dice > 0.2)):
        out[foreign[a[i]]].append((english[b[i]], count[i] / n_f[a[i]], dice[i], int(n_f[a[i]])))
    for list_ in out.values():
        list_.sort(key=lambda t: (-t[2], t[0]))
    return best_pieces(out)


def best_pieces(found):
    """Without pieces of which a piece, or a longer one around them, stands for the same word more surely."""
    worse = set()
    for piece, list_ in found.items():
        for part in (piece[1:], piece[:-1]):
            other = found.get(part)
            if other and other[0][0] == list_[0][0]:
                worse.add(part if other[0][2] <= list_[0][2] else piece)
    return {p: l for p, l in found.items() if p not in worse}


def read(path, languages):
    """Pairs by language, and how often each English word stands in them."""
    rows = collections.defaultdict(list)
    spelled = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            lang, text, english, _ = json.loads(line)
            lang = "zh" if lang == "zh-hant" else lang
            if lang in languages:
                rows[lang].append((text, english))
                spelled.update(map(lower, WORD.findall(BORDER.sub(" ", english))))
    return rows, spelled


# English words that ask for nothing.
NOTHING = set(
    """a an and any are as at be been being but by can do does for from had has have he her his how i if in into is it its
    me my no not of off on or our she so some such than that the their them then there these they this those to too us
    was we were what when where which who whom whose why will with would you your s t please could should may might must
    want need also just now like let about all more most very much many""".split()
)
NOTHING = {stem("en", w) for w in NOTHING}

MOST = 4  # translations of a word in a language


def likely(found, unspaced):
    """The translations of a word that are worth keeping: [(English stem, 1 to 15)]."""
    good = [t for t in found if t[0] not in NOTHING and len(t[0]) > 1]
    if unspaced:
        good = sorted((t for t in good if t[2] >= 0.3), key=lambda t: -t[2])[:2]
        return [(t[0], max(1, round(15 * min(1, t[2] * 1.2)))) for t in good]
    good = [t for t in good if t[1] >= 0.08 and t[2] >= 0.01][:MOST]
    return [(t[0], max(1, round(15 * t[1]))) for t in good]


def merge(tables):
    """{key: {English stem: [weight, languages]}} of all languages."""
    out = collections.defaultdict(dict)
    for lang, table in tables.items():
        for key, found in table.items():
            if len(key.encode()) > 48 or (key.isascii() and lang in NOT_LATIN):
                continue
            for english, weight in likely(found, lang in UNSPACED):
                if english == key:
                    continue
                have = out[key].setdefault(english, [0, 0])
                have[0] = max(have[0], weight)
                have[1] |= BITS[lang]
    return {k: v for k, v in out.items() if v}


def uvarint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


BLOCK = 16


def pack(table, spelled):
    """The file; English stems are written as their commonest spelling, so that the search stems them itself."""
    spelling = {}
    for word, _ in sorted(spelled.items(), key=lambda c: (-c[1], c[0])):
        spelling.setdefault(stem("en", word), word)
    english = sorted({spelling[e] for found in table.values() for e in found})
    number = {w: i for i, w in enumerate(english)}
    blocks, starts, before = bytearray(), [], b""
    for i, (key, found) in enumerate(sorted((k.encode(), v) for k, v in table.items())):
        if i % BLOCK == 0:
            starts.append(len(blocks))
            before = b""
        shared = next((n for n, (a, b) in enumerate(zip(key, before)) if a != b), min(len(key), len(before)))
        blocks += bytes([shared, len(key) - shared]) + key[shared:] + bytes([len(found)])
        for stemmed, (weight, langs) in sorted(found.items(), key=lambda t: (-t[1][0], t[0])):
            blocks += uvarint(number[spelling[stemmed]] << 4 | weight) + struct.pack("<H", langs)
        before = key
    words_ = "\n".join(english).encode()
    return b"LEX1" + struct.pack("<I", len(words_)) + words_ + struct.pack(f"<{1 + len(starts)}I", len(starts), *starts) + bytes(blocks)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--parallel", default="build/parallel.jsonl")
    p.add_argument("--out", default="build/lexicon.bin")
    a = p.parse_args()
    rows, spelled = read(a.parallel, BITS)
    tables = {}
    for lang in sorted(BITS):
        start = time.time()
        tables[lang] = (dices if lang in UNSPACED else translations)(lang, rows.pop(lang, ()))
        print(f"{lang:<3} {len(tables[lang]):6d} words {time.time() - start:5.1f} s", flush=True)
    table = merge(tables)
    with open(a.out, "wb") as file:
        file.write(pack(table, spelled))
    print(f"{len(table)} words in {os.path.getsize(a.out)} bytes")


if __name__ == "__main__":
    main()
