import struct
import unittest

from staticml import operations, synonyms, translations
from staticml.archive import package_name


class Files:
    """An archive in memory."""

    def __init__(self, files):
        self.files, self.names = files, list(files)

    def read(self, name):
        return self.files[name].encode()

    def text(self, name):
        return self.files[name]

    def match(self, pattern):
        import re

        return [(n, m) for n in self.names if (m := re.search(pattern, n))]


def mo(key, value):
    head = struct.pack("<7I", 0x950412DE, 0, 1, 28, 36, 0, 0)
    start = 28 + 16
    return head + struct.pack("<4I", len(key), start, len(value), start + len(key)) + key + value


class Translations(unittest.TestCase):
    def test_a_compiled_catalog_gives_its_pairs_without_context(self):
        self.assertEqual(list(translations.read_mo(mo(b"menu\x04File", b"Datei"))), [("File", "Datei")])

    def test_a_catalog_gives_its_pairs_without_fuzzy_ones(self):
        text = 'msgid "Save"\nmsgstr "Speichern"\n\n#, fuzzy\nmsgid "Old"\nmsgstr "Alt"\n'
        self.assertEqual(list(translations.read_po(text.encode())), [("Save", "Speichern")])

    def test_keys_align_texts_with_english(self):
        files = Files({"l/en.json": '{"a": {"b": "Open"}, "c": "Only"}', "l/lt.json": '{"a": {"b": "Atverti"}}'})
        self.assertEqual(list(translations.json_tree(files, r"l/(?P<lang>\w+)\.json")), [("lt", "Atverti", "Open")])

    def test_object_literals_are_read_by_path(self):
        self.assertEqual(translations.js_object("x = {a: {b: 'it\\'s', 'c': \"\\u0105\"}}"), {"/a/b": "it's", "/a/c": "ą"})

    def test_properties_are_unescaped(self):
        files = Files({"m_en.properties": "# note\nA=Access", "m_lt.properties": "A=Pasiekti stulpeli\\u0173"})
        self.assertEqual(list(translations.properties(files, r"(?P<file>x)?m_(?P<lang>\w+)\.")), [("lt", "Pasiekti stulpelių", "Access")])

    def test_intents_lose_slots_and_single_words(self):
        self.assertEqual(translations.intent_lines("(what is|tell me) the weather in {place}\nhello\n"), ["what is the weather in"])


class Operations(unittest.TestCase):
    def test_docstrings_end_at_their_first_section(self):
        code = 'class UserApi:\n  def get(self):\n    """Gets a user.\n\n    :param id: which"""\n  def _own(self):\n    """No."""\n'
        self.assertEqual(list(operations.docstrings(Files({"a.py": code}), r"\.py$")), [("User", "get", "Gets a user.", [])])

    def test_help_gives_examples(self):
        code = 'helps["vm start"] = """\nshort-summary: Start a VM.\nexamples:\n  - name: Start one.\n"""'
        self.assertEqual(list(operations.azure_help(Files({"x_help.py": code}), "help")), [("azure vm", "vm start", "Start a VM.", ["Start one."])])


class Senses(unittest.TestCase):
    def test_a_line_gives_words_definition_and_usages(self):
        line = '00001740 29 v 02 breathe 0 take_a_breath 0 001 @ 1 v 0 | draw air into the lungs; "I can breathe"'
        self.assertEqual(synonyms.sense(line), ("00001740", ["breathe", "take a breath"], "draw air into the lungs", ["I can breathe"]))


class Packages(unittest.TestCase):
    def test_file_names_tell_the_package(self):
        self.assertEqual(package_name("pypi", "apache_superset-6.1.0-py3-none-any.whl"), "apache_superset")
        self.assertEqual(package_name("npm", "uppy-locales-5.2.0.tgz"), "uppy-locales")
