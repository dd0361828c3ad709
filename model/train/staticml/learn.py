"""The table of rows and one step of its training: numpy and scipy only."""

import numpy as np
import scipy.sparse as sp

MASKED = -80.0  # log of the share that a pair which is no negative gets


def bags(lists, columns):
    """Sparse matrix whose product with a table gives the mean of each list's rows."""
    sizes = np.array([len(x) for x in lists])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    shares = np.repeat(1 / np.maximum(sizes, 1), sizes).astype(np.float32)
    flat = np.concatenate(lists) if len(lists) else np.empty(0, np.int64)
    return sp.csr_matrix((shares, flat, offsets), shape=(len(lists), columns))


def unit(vectors):
    return vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6)


def encode(table, lists):
    """Vectors of token lists."""
    return unit(bags(lists, len(table)) @ table)


def contrast(left, right, goal, tau, mask):
    """Loss in both directions, and its gradient by the products left @ right.T.

    Pairs whose goals are closer than mask are no negatives of each other: they mean the same.
    """
    n = len(left)
    near = goal @ goal.T > mask
    np.fill_diagonal(near, False)
    scores = (left @ right.T - 1) / tau
    scores[near] = MASKED
    np.exp(scores, out=scores)
    rows, columns = scores.sum(1) + 1e-20, scores.sum(0) + 1e-20
    hits = np.diag(scores)
    loss = -(np.log(hits / rows + 1e-9) + np.log(hits / columns + 1e-9)).mean() / 2
    scores *= 1 / rows[:, None] + 1 / columns[None, :]
    scores[np.arange(n), np.arange(n)] -= 2
    scores /= 2 * n * tau
    return loss, scores


def through_length(vectors, length, gradient):
    """The gradient before a vector was divided by its length."""
    return (gradient - vectors * (gradient * vectors).sum(1, keepdims=True)) / length


class Trainer:
    """Moves rows against the gradient, each by its own scale: rare pieces move as far as frequent ones."""

    def __init__(self, table, tau, mask, pull):
        self.table, self.tau, self.mask, self.pull = table, tau, mask, pull
        self.square = np.zeros(len(table), np.float32)  # running mean of the squared gradient of each row

    def step(self, left, right, goal, rate):
        """One step on lists of tokens that belong together, both sides drawn to the goal too; gives the loss."""
        rows, where = np.unique(np.concatenate(left + right), return_inverse=True)
        border = sum(map(len, left))
        here = self.table[rows]
        sides = []
        for lists, ids in ((left, where[:border]), (right, where[border:])):
            parts = np.split(ids, np.cumsum([len(x) for x in lists])[:-1])
            matrix = bags(parts, len(rows))
            mean = matrix @ here
            length = np.linalg.norm(mean, axis=1, keepdims=True) + 1e-6
            sides.append((matrix, mean / length, length))
        (a, za, na), (b, zb, nb) = sides
        loss, scores = contrast(za, zb, goal, self.tau, self.mask)
        drawn = self.pull / len(left) * goal
        gradient = a.T @ through_length(za, na, scores @ zb - drawn)
        gradient += b.T @ through_length(zb, nb, scores.T @ za - drawn)
        self._move(rows, gradient, rate)
        return loss

    def _move(self, rows, gradient, rate):
        square, old = (gradient**2).sum(1), self.square[rows]
        self.square[rows] = np.where(old == 0, square, old * 0.99 + square * 0.01)
        self.table[rows] -= rate * gradient / (np.sqrt(self.square[rows])[:, None] + 1e-9)

    @property
    def seen(self):
        return self.square > 0


class Average:
    """Mean of tables: the last ones of a training differ by noise that their mean does not have."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, table):
        self.total, self.count = self.total + table, self.count + 1

    def mean(self):
        return (self.total / self.count).astype(np.float32)
