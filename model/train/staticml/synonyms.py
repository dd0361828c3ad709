"""Reader of WordNet's files: English words, what they mean and how they are used."""

import collections
import re

KINDS = {"n": "noun", "v": "verb", "a": "adj"}
KIND_OF_NUMBER = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}


def counts(index_sense):
    """How often each sense was seen in WordNet's tagged texts, by (kind, offset)."""
    seen = collections.Counter()
    for line in index_sense.splitlines():
        key, offset, _, count = line.split()
        seen[KIND_OF_NUMBER[key.split("%")[1][0]], offset] += int(count)
    return seen


def sense(line):
    """(offset, words, definition, examples) of a line of a data file."""
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    words = [re.sub(r"\(\w+\)", "", fields[4 + 2 * i]).replace("_", " ") for i in range(int(fields[3], 16))]
    definition = re.sub(r'"[^"]*"', "", gloss).strip(" ;")
    definition = re.sub(r"^\([^)]*\)\s*", "", definition)
    return fields[0], words, definition[:200], re.findall(r'"([^"]+)"', gloss)[:3]


def wordnet(archive, pattern):
    """Senses that were seen at least once, without proper names: common words only."""
    files = {m.group("file"): name for name, m in archive.match(pattern)}
    seen = counts(archive.text(files["index.sense"]))
    for kind, file in KINDS.items():
        for line in archive.text(files["data." + file]).splitlines():
            if line.startswith("  "):
                continue
            offset, words, definition, examples = sense(line)
            if seen[kind, offset] and not (kind == "n" and words[0][0].isupper()):
                yield words, definition, examples
