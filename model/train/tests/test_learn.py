import random
import unittest

import numpy as np

from staticml import batches, learn


class Gradient(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.left, self.right = (learn.unit(rng.normal(size=(5, 8))) for _ in range(2))
        self.goal = learn.unit(rng.normal(size=(5, 8)))

    def test_the_gradient_is_that_of_the_loss(self):
        _, scores = learn.contrast(self.left, self.right, self.goal, 0.5, 2.0)
        step, moved = 1e-5, self.left.copy()
        moved[1, 2] += step
        higher, _ = learn.contrast(moved, self.right, self.goal, 0.5, 2.0)
        moved[1, 2] -= 2 * step
        lower, _ = learn.contrast(moved, self.right, self.goal, 0.5, 2.0)
        self.assertAlmostEqual((higher - lower) / 2 / step, (scores @ self.right)[1, 2], places=6)

    def test_pairs_with_near_goals_are_no_negatives(self):
        goal = np.ones((5, 8)) / np.sqrt(8)
        loss, _ = learn.contrast(self.left, self.right, goal, 0.05, 0.9)
        self.assertAlmostEqual(loss, 0, places=4)

    def test_training_brings_what_belongs_together_closer(self):
        table = np.random.default_rng(1).normal(size=(6, 8)).astype(np.float32)
        left, right = ([np.array([i]) for i in side] for side in ((0, 1, 2), (3, 4, 5)))
        trainer = learn.Trainer(table, 0.05, 0.9, 0.0)
        losses = [trainer.step(left, right, np.eye(3, 8), 0.1) for _ in range(50)]
        self.assertLess(losses[-1], losses[0] / 10)


class Draws(unittest.TestCase):
    def setUp(self):
        self.begins = np.array([True, False, True, True])

    def test_words_stay_whole(self):
        parts = batches.whole_words(np.array([0, 1, 2, 1, 3]), self.begins)
        self.assertEqual([p.tolist() for p in parts], [[0, 1], [2, 1], [3]])

    def test_noise_goes_between_words_only(self):
        spoil = batches.Spoiler(random.Random(0), self.begins, {}, {"en": [np.array([3])]}, 0, 1)
        for _ in range(50):
            text = spoil(np.array([0, 1, 1]), "en").tolist()
            self.assertIn([0, 1, 1], [text[i : i + 3] for i in range(len(text))])
            self.assertGreater(len(text), 3)

    def test_the_same_seed_draws_the_same(self):
        pairs = [("lt", str(i), str(i % 7)) for i in range(40)]
        tokens = {"text": [([i], [i]) for i in range(40)], "english": [([i], [i]) for i in range(7)]}
        first, second = (batches.Pairs(np.random.default_rng(3), tokens, pairs).draw(10).tolist() for _ in range(2))
        self.assertEqual(first, second)
