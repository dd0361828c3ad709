"""The table before training: the teacher's vectors of single pieces."""

import numpy as np


def principal(vectors, dim):
    """The main directions of vectors, as columns."""
    return np.linalg.eigh(vectors.T @ vectors / len(vectors))[1][:, ::-1][:, :dim]


def initial_table(scores, token, text, dim):
    """Centred piece vectors, their main directions turned onto those of the teacher's sentence vectors, weighted down
    by how frequent a piece is; and those directions, for turning sentence vectors likewise."""
    centred = token - token[4:].mean(0)
    p = np.exp(scores.astype(np.float64))
    p /= p[4:].sum()
    mine, theirs = principal(centred[4:], dim), principal(text - text.mean(0), dim)
    table = (centred @ mine @ (mine.T @ theirs) * (1e-4 / (1e-4 + p))[:, None]).astype(np.float32)
    table[:4] = 0
    return table / np.linalg.norm(table[4:], axis=1).mean(), theirs


def spread(table, first, seen, counts):
    """Moves rows that were never seen by the least-squares linear map of the others, weighted by how often those were."""
    weight = np.sqrt(np.minimum(counts, 1000))[:, None] * seen[:, None]
    before = first * weight
    ridge = 1e-3 * len(before) * np.eye(first.shape[1], dtype=np.float32)
    change = np.linalg.solve(before.T @ before + ridge, before.T @ (table * weight))
    table[~seen] = first[~seen] @ change
