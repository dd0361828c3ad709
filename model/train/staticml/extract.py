"""Reads the downloaded packages and writes what training needs, one JSON value a line:

parallel.jsonl    [language, text, English, package]
operations.jsonl  [package, area, operation, description, example requests]
senses.jsonl      [words, definition, examples]
sources.json      what each package gave, for the model card
"""

import argparse
import collections
import json
import os
import time

from . import operations, synonyms, translations
from .archive import Archive, find
from .sources import OPERATIONS, PARALLEL, SENSES
from .text import clean, language, split_name, usable


def pairs(rows, seen, keep_english):
    """Cleaned (language, text, English), each once."""
    for lang, text, english in rows:
        lang, text, english = language(lang), clean(text), clean(english)
        row = lang, text, english
        if text == english or (lang == "en" and not keep_english) or row in seen:
            continue
        if usable(text) and usable(english):
            seen.add(row)
            yield row


def described(rows, seen):
    """Cleaned operations with a description, each once."""
    for area, name, description, examples in rows:
        description, name, area = clean(description)[:600], split_name(name), split_name(area)
        key = name.lower(), description[:120]
        if len(description) >= 12 and name and key not in seen:
            seen.add(key)
            yield area, name, description, examples


class Extraction:
    def __init__(self, packages, out):
        self.packages, self.out, self.table = packages, out, []

    def rows(self, source, readers):
        return readers[source.reader](Archive(find(self.packages, source)), source.path)

    def write(self, file, sources, rows_of):
        """One file out of several packages; rows_of turns a source into rows to write."""
        with open(os.path.join(self.out, file), "w", encoding="utf-8") as out:
            for source in sources:
                start, count = time.time(), collections.Counter()
                for row in rows_of(source):
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
                    count[row[0] if file == "parallel.jsonl" else ""] += 1
                self.note(source, file, count, time.time() - start)

    def note(self, source, file, count, seconds):
        version = source.version or os.path.basename(find(self.packages, source)).split("_")[1]
        self.table.append([source.registry, source.name, version, source.licence, file, sum(count.values()), len(count)])
        print(f"{source.name:<40} {sum(count.values()):7d} rows {len(count):3d} languages {seconds:5.1f} s", flush=True)

    def run(self):
        seen_pairs, seen_operations = set(), set()
        self.write(
            "parallel.jsonl",
            PARALLEL,
            lambda s: ([*row, s.name] for row in pairs(self.rows(s, translations.READERS), seen_pairs, s.reader == "intents")),
        )
        self.write(
            "operations.jsonl",
            OPERATIONS,
            lambda s: ([s.name, *row] for row in described(self.rows(s, operations.READERS), seen_operations)),
        )
        self.write("senses.jsonl", SENSES, lambda s: map(list, self.rows(s, {"wordnet": synonyms.wordnet})))
        with open(os.path.join(self.out, "sources.json"), "w", encoding="utf-8") as out:
            json.dump(self.table, out, indent=1)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--packages", default="build/packages")
    p.add_argument("--out", default="build")
    a = p.parse_args()
    Extraction(a.packages, a.out).run()


if __name__ == "__main__":
    main()
