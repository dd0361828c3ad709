import struct
import unittest

from staticml import lexicon
from staticml.lexicon import best_pieces, fold, likely, merge, pack, pieces, stem, translations, words


def unpack(data):
    """{key: [(English word, weight, languages)]} of a packed file, read from its beginning to its end."""
    (size,) = struct.unpack_from("<I", data, 4)
    english = data[8 : 8 + size].decode().split("\n")
    (blocks,) = struct.unpack_from("<I", data, 8 + size)
    at, out, key = 12 + size + 4 * blocks, {}, b""
    while at < len(data):
        shared, length = data[at], data[at + 1]
        key = key[:shared] + data[at + 2 : at + 2 + length]
        at += 2 + length
        count, at = data[at], at + 1
        found = []
        for _ in range(count):
            number = shift = 0
            while True:
                byte, at = data[at], at + 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            found.append((english[number >> 4], number & 15, struct.unpack_from("<H", data, at)[0]))
            at += 2
        out[key.decode()] = found
    return out


class Lexicon(unittest.TestCase):
    def test_folding_takes_off_spelling_aids_and_keeps_vowels(self):
        for word, want in {"SĄSKAITĄ": "saskaita", "Łódź": "lodz", "größe": "grosse", "ещё": "еще", "й": "й", "कॉपी": "कॉपी"}.items():
            self.assertEqual(fold(word), want)

    def test_stems_are_those_of_the_search(self):
        for lang, word, want in (
            ("lt", "failus", "fail"),
            ("de", "dateien", "datei"),
            ("ru", "файлов", "файл"),
            ("pl", "plikami", "plik"),
            ("hi", "फ़ाइलें", fold("फ़ाइल")),
            ("en", "files", "file"),
        ):
            self.assertEqual(stem(lang, word), want)

    def test_short_stems_stay_words_because_the_search_does_not_trust_them(self):
        self.assertEqual(stem("de", "tage"), "tage")

    def test_words_end_inside_camel_case_and_at_digits(self):
        self.assertEqual(words("en", "getUserName v2"), ["get", "user", "name", "v"])

    def test_pieces_never_cut_what_is_written_in_katakana(self):
        self.assertEqual(set(pieces("ja", "ファイル名")), {"ファイル", "ファイル名"})

    def test_two_directions_find_which_word_is_which(self):
        rows = [
            ("ištrinti failą", "delete file"),
            ("ištrinti katalogą", "delete folder"),
            ("atverti failą", "open file"),
            ("atverti katalogą", "open folder"),
        ] * 3
        found = translations("lt", rows)
        for word, english in {"ištrinti": "delet", "failą": "file", "atverti": "open", "katalogą": "folder"}.items():
            self.assertEqual(found[stem("lt", word)][0][0], english)

    def test_a_piece_that_is_less_sure_than_a_longer_one_is_dropped(self):
        found = {"ァイ": [("file", 0.5, 0.5, 9)], "ファイ": [("file", 0.9, 0.9, 9)]}
        self.assertEqual(list(best_pieces(found)), ["ファイ"])

    def test_stop_words_and_unlikely_ones_are_not_kept(self):
        found = [("the", 0.9, 0.9, 9), ("file", 0.6, 0.5, 9), ("open", 0.02, 0.5, 9)]
        self.assertEqual(likely(found, False), [("file", 9)])

    def test_a_word_of_two_languages_has_both_meanings(self):
        tables = {"lt": {"kur": [("where", 0.9, 0.9, 9), ("place", 0.8, 0.8, 9)]}, "tr": {"kur": [("build", 0.8, 0.8, 9)]}}
        bits = lexicon.BITS
        self.assertEqual(merge(tables), {"kur": {"place": [12, bits["lt"]], "build": [12, bits["tr"]]}})

    def test_what_is_packed_is_read_again(self):
        table = {f"word{i}": {"delet": [i % 15 + 1, 1 << i % 16], "file": [1, 3]} for i in range(40)}
        got = unpack(pack(table, {"deleted": 2, "delete": 5, "files": 3, "file": 3}))
        self.assertEqual(len(got), 40)
        self.assertEqual(set(got["word7"]), {("delete", 8, 1 << 7), ("file", 1, 3)})


if __name__ == "__main__":
    unittest.main()
