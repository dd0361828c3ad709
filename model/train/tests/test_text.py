import unittest

from staticml.text import clean, first_sentence, language, split_name, usable


class Text(unittest.TestCase):
    def test_language_codes_of_all_registries_become_one(self):
        for code, want in {"pt_BR": "pt", "ptBR": "pt", "zh-Hans": "zh", "zh_TW": "zh-hant", "nb": "no", "sr@latin": "sr"}.items():
            self.assertEqual(language(code), want)

    def test_placeholders_markup_and_links_are_dropped(self):
        self.assertEqual(clean("Delete <b>{count}</b> files of %(user)s &amp; more, see https://example.com/x"), "Delete files of & more, see")

    def test_names_are_split_as_the_search_splits_them(self):
        self.assertEqual(split_name("get_userById"), "get user By Id")
        self.assertEqual(split_name("listEC2Instances"), "list EC2 Instances")

    def test_the_first_sentence_ends_at_a_point_before_a_capital(self):
        self.assertEqual(first_sentence("Lists users, e.g. admins. The rest."), ("Lists users, e.g. admins.", "The rest."))
        self.assertEqual(first_sentence("No end"), ("No end", ""))

    def test_texts_without_a_word_are_not_usable(self):
        self.assertTrue(usable("Go on"))
        self.assertFalse(usable("- 1 -"))
        self.assertFalse(usable("x" * 301))
