"""The trainings. Each goes through the same loop; they differ in where they start and what the vectors are drawn to.

    first    starts from the teacher's vectors of single pieces, drawn to its vectors of the English texts
    second   goes on at a lower rate
    refined  goes on from the second with noise in the requests, documents in parts and English synonyms, drawn to its
             own vectors of the clean text as they were before; the mean of the last tables is kept
    again    the same with another seed: pack takes the mean of the two
"""

import argparse
import json
import os
import time

import numpy as np

from . import batches
from .data import choose_vocabulary, load_texts, load_tokens
from .e5 import ModelFile, Tokenizer
from .learn import Average, Trainer, encode
from .noise import LOCALES, snippets
from .openings import OPENINGS
from .start import initial_table, spread

DIM = 256
MINIMUM = 2  # a piece seen this often is kept
NOISE = 1500  # snippets a language
AVERAGE_EVERY = 20  # steps between two tables of the mean

OPENED = 0.2  # share of left sides with a polite opening
TAU = 0.05
PAIRED = {"pairs": 1536, "operations": 512, "senses": 0, "noise": 0.0, "parts": 0.0, "pull": 1.0, "mask": 0.9, "keep": 1.0}
REFINED = {"pairs": 900, "operations": 512, "senses": 130, "noise": 0.45, "parts": 0.35, "pull": 0.4, "mask": 0.85, "keep": 0.7}
# name: (starts from, seed, settings). pairs, operations and senses are rows of a batch; noise and parts are shares; keep is
# when, as a share of the steps, the tables begin that count for the mean.
STAGES = {
    "first": ("", 0, {"steps": 1800, "rate": 0.02, **PAIRED}),
    "second": ("first", 1, {"steps": 1000, "rate": 0.012, **PAIRED}),
    "refined": ("second", 0, {"steps": 2400, "rate": 0.016, **REFINED}),
    "again": ("second", 1, {"steps": 2400, "rate": 0.016, **REFINED}),
}


class Corpus:
    """Everything a training reads, in tokens of the kept vocabulary."""

    def __init__(self, folder, size):
        self.folder, self.model = folder, ModelFile()
        self.pairs, self.operations, self.senses, self.texts = load_texts(folder)
        with np.load(os.path.join(folder, "tokens.npz")) as stored:
            counts = stored["counts"]
        self.keep = choose_vocabulary(self.model.pieces, self.model.scores, counts, size, MINIMUM)
        self.counts = counts[self.keep]
        self.tokens = load_tokens(folder, self.keep, self.model, self.texts)
        self.tokenizer = Tokenizer(self.model, self.keep)
        self.begins = np.array([self.model.pieces[i].startswith("\u2581") for i in self.keep])

    def arrays(self, by_language):
        """{language: texts} as arrays of tokens."""
        return {lang: [np.array(ids, np.int32) for ids in self.tokenizer.ids(texts)] for lang, texts in by_language.items()}


class TeacherGoals:
    """The teacher's vectors of the English texts, in as many columns as the table has; zero where it has none."""

    def __init__(self, corpus):
        folder, texts = corpus.folder, corpus.texts
        text = np.load(os.path.join(folder, "text.npy")).astype(np.float32)
        token = np.load(os.path.join(folder, "token.npy")).astype(np.float32)
        table, directions = initial_table(corpus.model.scores, token, text, DIM)
        self.first = table[corpus.keep]
        vectors = (text - text.mean(0)) @ directions
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
        self.vectors = np.concatenate([vectors, np.zeros((1, DIM), np.float32)])
        with open(os.path.join(folder, "text.json"), encoding="utf-8") as file:
            where = {t: i for i, t in enumerate(json.load(file))}
        self.where = {k: np.array([where.get(t, len(where)) for t in texts[k]]) for k in ("english", "head")}

    def __call__(self, goals, right):
        return self.vectors[[self.where[kind][i] if i is not None else len(self.vectors) - 1 for kind, i in goals]]


class OwnGoals:
    """The vectors of a table as it was: what it can do already is kept."""

    def __init__(self, corpus, table):
        self.table, self.tokens = table.copy(), corpus.tokens

    def __call__(self, goals, right):
        return encode(self.table, [self._tokens(goal, own) for goal, own in zip(goals, right)])

    def _tokens(self, goal, own):
        kind, i = goal
        if i is None:
            return own
        if kind == "head":
            return np.concatenate([self.tokens["name"][i][0], self.tokens["head"][i][0]])
        return self.tokens[kind][i][0]


class Batches:
    """Draws whole batches of a stage."""

    def __init__(self, corpus, settings, seed):
        rng, rnd = batches.seeds(seed)
        noise = corpus.arrays({lang: snippets(lang, NOISE) for lang in LOCALES}) if settings["noise"] else {}
        openings = corpus.arrays(OPENINGS)
        self.spoil = batches.Spoiler(rnd, corpus.begins, openings, noise, OPENED, settings["noise"])
        self.pick = batches.picker(rnd)
        self.kinds = [
            (settings["pairs"], batches.Pairs(rng, corpus.tokens, corpus.pairs)),
            (settings["operations"], batches.Operations(rng, rnd, corpus.tokens, corpus.operations, corpus.begins, settings["parts"])),
            (settings["senses"], batches.Senses(rnd, corpus.tokens, corpus.senses)),
        ]

    def draw(self):
        rows = [row for count, kind in self.kinds if count for row in kind.rows(count, self.pick, self.spoil)]
        rows = [(left, right[: batches.LONGEST], goal) for left, right, goal in rows if len(left) and len(right)]
        return [list(side) for side in zip(*rows)]


def fit(table, corpus, goals, settings, seed, log):
    """Trains a table in place; gives the mean of the last tables where the stage asks for it, and the rows seen."""
    source, average = Batches(corpus, settings, seed), Average()
    trainer = Trainer(table, TAU, settings["mask"], settings["pull"])
    steps, loss = settings["steps"], 0.0
    for step in range(steps):
        left, right, goal = source.draw()
        rate = settings["rate"] / 2 * (1 - step / steps)
        loss += trainer.step(left, right, goals(goal, right), rate)
        if step >= settings["keep"] * steps and step % AVERAGE_EVERY == 0:
            average.add(table)
        if step % 50 == 49:
            log(f"step {step + 1} of {steps}, loss {loss / 50:.3f}")
            loss = 0.0
    return average.mean() if average.count else table, trainer.seen


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("stage", choices=STAGES)
    p.add_argument("--out", default="build")
    p.add_argument("--vocabulary", type=int, default=128000)
    p.add_argument("--steps", type=int, default=0, help="instead of the stage's own")
    a = p.parse_args()
    begin, seed, settings = STAGES[a.stage]
    settings["steps"] = a.steps or settings["steps"]
    clock = time.time()

    def log(text):
        print(f"{text}, {time.time() - clock:.0f} s", flush=True)

    corpus = Corpus(a.out, a.vocabulary)
    seen = int((corpus.counts > 0).sum())
    log(f"{len(corpus.pairs)} pairs, {len(corpus.operations)} operations, {len(corpus.keep)} pieces, {seen} of them seen")
    teacher = TeacherGoals(corpus) if settings["pull"] == PAIRED["pull"] else None
    table = np.load(os.path.join(a.out, begin + ".npy")) if begin else teacher.first.copy()
    table, seen = fit(table, corpus, teacher or OwnGoals(corpus, table), settings, seed, log)
    if not begin:
        spread(table, teacher.first, seen, corpus.counts)
    np.save(os.path.join(a.out, a.stage + ".npy"), table)
    np.save(os.path.join(a.out, "keep.npy"), corpus.keep)
    log(f"{a.stage}: done, {int(seen.sum())} pieces trained")


if __name__ == "__main__":
    main()
