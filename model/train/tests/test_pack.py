import tempfile
import unittest

import numpy as np

from staticml import data, noise, pack
from staticml.runtime import PackedModel


class Packing(unittest.TestCase):
    def setUp(self):
        self.pieces = ["<s>", "<pad>", "</s>", "<unk>", "\u2581", "a", "\u2581b"]
        self.table = np.random.default_rng(0).normal(size=(7, 64)).astype(np.float32)
        self.bytes = pack.packed(self.table, self.pieces, -np.arange(7.0), {65: "a"})

    def test_the_reader_gets_the_rows_back_within_half_a_step(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.bytes)
            file.flush()
            model = PackedModel(file.name)
        rows = model.rows(np.arange(7))
        widest = np.abs(self.table).reshape(7, -1, 32).max(2).repeat(32, 1) / 7
        self.assertLess(np.mean(np.abs(rows - self.table) > widest), 0.05)
        self.assertEqual(model.ids("A b"), [4, 5, 6])

    def test_the_same_table_gives_the_same_bytes(self):
        self.assertEqual(self.bytes, pack.packed(self.table, self.pieces, -np.arange(7.0), {65: "a"}))


class Vocabulary(unittest.TestCase):
    def test_specials_single_characters_and_seen_pieces_come_first(self):
        pieces = ["<s>", "<pad>", "</s>", "<unk>", "x", "rare", "seen", "often"]
        keep = data.choose_vocabulary(pieces, np.array([0, 0, 0, 0, -9.0, -5, -9, -1]), np.array([0] * 6 + [3, 0]), 7, 2)
        self.assertEqual([pieces[i] for i in keep[4:]], ["x", "seen", "often"])


class Noise(unittest.TestCase):
    def test_the_same_seed_gives_the_same_noise(self):
        try:
            import faker  # noqa: F401
        except ImportError:
            self.skipTest("the package faker is not installed: sh model/train/run.sh installs it")
        self.assertEqual(noise.snippets("lt", 30), noise.snippets("lt", 30))
