"""Draws batches: (request, what answers it, text whose vector both are drawn to), as lists of tokens."""

import random

import numpy as np

CHUNK = 16  # neighbouring operations of one area that go into a batch together, as hard negatives
LONGEST = 96  # tokens of a side
NOISE_TOKENS = 14


def join(*parts):
    return np.concatenate(parts)


def whole_words(ids, begins):
    """A text's tokens, parted at the pieces that begin a word."""
    cuts = np.flatnonzero(begins[ids])
    return np.split(ids, cuts[cuts > 0])


class Spoiler:
    """Makes a request as real ones are: politely opened, and full of names, dates and ids."""

    def __init__(self, rnd, begins, openings, noise, opening_share, noise_share):
        self.rnd, self.begins = rnd, begins
        self.openings, self.noise = openings, noise
        self.opening_share, self.noise_share = opening_share, noise_share

    def __call__(self, ids, lang):
        rnd = self.rnd
        if lang in self.openings and rnd.random() < self.opening_share:
            ids = join(rnd.choice(self.openings[lang]), ids)
        if lang in self.noise and rnd.random() < self.noise_share:
            for _ in range(rnd.choice((1, 1, 2, 2, 3))):
                ids = self._insert(ids, rnd.choice(self.noise[lang if rnd.random() < 0.75 else "en"])[:NOISE_TOKENS])
        return ids[:LONGEST]

    def _insert(self, ids, snippet):
        """Between two words, never inside one; in front or at the end where a script has no spaces."""
        at = self.rnd.choice([0, len(ids), *np.flatnonzero(self.begins[ids]).tolist()])
        return join(ids[:at], snippet, ids[at:])


class Pairs:
    """(text, English), languages drawn by the square root of their size."""

    def __init__(self, rng, tokens, pairs, power=0.5):
        self.rng, self.text, self.english = rng, tokens["text"], tokens["english"]
        index = {e: i for i, e in enumerate(sorted({e for _, _, e in pairs}))}
        self.lang = np.array([lang for lang, _, _ in pairs])
        self.english_of = np.array([index[e] for _, _, e in pairs])
        names, inverse, sizes = np.unique(self.lang, return_inverse=True, return_counts=True)
        weight = sizes[inverse].astype(float) ** (power - 1)
        self.weight, self.queue = weight / weight.sum(), np.empty(0, int)

    def draw(self, count):
        """Numbers of pairs with different English."""
        if len(self.queue) < count:
            self.queue = self.rng.choice(len(self.lang), len(self.lang) // 2, replace=False, p=self.weight)
        taken, self.queue = self.queue[:count], self.queue[count:]
        return taken[np.unique(self.english_of[taken], return_index=True)[1]]

    def rows(self, count, pick, spoil):
        for i in self.draw(count):
            english = self.english_of[i]
            yield spoil(pick(self.text[i]), self.lang[i]), pick(self.english[english]), ("english", english)


class Operations:
    """Operations by part: a sentence against a name, an example against a whole, some words against the others."""

    def __init__(self, rng, rnd, tokens, operations, begins, document_share):
        self.rng, self.rnd, self.begins, self.document_share = rng, rnd, begins, document_share
        self.area, self.name, self.head, self.rest = (tokens[k] for k in ("area", "name", "head", "rest"))
        self.examples, at = [], 0
        for row in operations:
            self.examples.append(tokens["example"][at : at + len(row[4])])
            at += len(row[4])
        self.starts = np.arange(0, max(1, len(operations) - CHUNK), CHUNK)
        self.queue = np.empty(0, int)

    def draw(self, count):
        """Numbers of operations: runs of neighbours, shifted anew each round."""
        chunks = count // CHUNK
        if len(self.queue) < chunks:
            self.queue = self.rng.permutation(self.starts) + self.rng.integers(0, CHUNK)
        taken, self.queue = self.queue[:chunks], self.queue[chunks:]
        numbers = np.unique((taken[:, None] + np.arange(CHUNK)).ravel())
        return numbers[numbers < len(self.name)]

    def rows(self, count, pick, spoil):
        for i in self.draw(count):
            left, right = self.sides(i, pick)
            yield spoil(left, "en"), right, ("head", i)

    def sides(self, i, pick):
        rnd = self.rnd
        name, head, rest = pick(self.name[i], 0.6), pick(self.head[i]), pick(self.rest[i])
        named = join(name, pick(self.area[i], 0.6))
        if self.examples[i] and rnd.random() < 0.5:
            return pick(rnd.choice(self.examples[i])), join(name, head, rest) if rnd.random() < 0.5 else join(name, head)
        if rnd.random() < self.document_share:
            left, right = self.parted(join(head, rest))
            if len(left) and len(right):
                return left, join(name, right)
        if rnd.random() < 0.4:
            return name if rnd.random() < 0.5 else named, join(head, rest) if rnd.random() < 0.4 else head
        return head, join(name, rest) if len(rest) and rnd.random() < 0.6 else named

    def parted(self, ids):
        """A quarter to a half of a description's words, and the others: what a request and a document share is
        neither the wording nor the place."""
        share, sides = self.rnd.uniform(0.25, 0.5), ([], [])
        for word in whole_words(ids, self.begins):
            sides[self.rnd.random() >= share].append(word)
        empty = ids[:0]
        return tuple(join(*side) if side else empty for side in sides)


class Senses:
    """WordNet: a word against another for the same, a usage or definition against the word."""

    def __init__(self, rnd, tokens, senses):
        self.rnd, self.senses, word, usage = rnd, [], 0, 0
        for (words, _, usages), definition in zip(senses, tokens["definition"]):
            own = tokens["word"][word : word + len(words)], tokens["usage"][usage : usage + len(usages)]
            self.senses.append((own[0], definition, own[1]))
            word, usage = word + len(words), usage + len(usages)

    def rows(self, count, pick, spoil):
        for _ in range(count):
            left, right = self.sides(pick)
            yield spoil(left, "en") if self.rnd.random() < 0.5 else left, right, ("right", None)

    def sides(self, pick):
        rnd = self.rnd
        words, definition, usages = rnd.choice(self.senses)
        kind = rnd.random()
        if len(words) > 1 and kind < 0.45:
            one, other = rnd.sample(words, 2)
            return pick(one), pick(other)
        if usages and kind < 0.7:
            return pick(rnd.choice(usages)), join(pick(rnd.choice(words)), pick(definition))
        return pick(definition), join(*(pick(w) for w in rnd.sample(words, min(3, len(words)))))


def picker(rnd, lower=0.35):
    """Takes a text as it is or in lower case."""

    def pick(versions, share=lower):
        return versions[1] if rnd.random() < share else versions[0]

    return pick


def seeds(seed):
    return np.random.default_rng(seed), random.Random(seed)
