"""Readers of translated text. Each takes an archive and a pattern of paths and yields (language, text, English)."""

import collections
import json
import random
import re
import struct

STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`"
KEY = r"[\w$]+|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
JAVASCRIPT = re.compile(rf"({KEY})\s*:\s*(\{{|{STRING})|(\{{)|(\}})|{STRING}")
MO_MAGIC = 0x950412DE
INTENT_LINES = 60  # of one intent in one language, so that none outweighs the others


def flatten(tree, prefix=""):
    """Strings of nested objects and lists, by path of keys."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        path = f"{prefix}/{key}"
        if isinstance(value, (dict, list)):
            yield from flatten(value, path)
        elif isinstance(value, str):
            yield path, value


def aligned(files, english):
    """{language: {file: {key: text}}} -> (language, text, English text of the same key)."""
    for lang, parts in files.items():
        if lang == english or lang.lower().startswith("en"):
            continue
        for file, table in parts.items():
            base = files[english].get(file, {})
            for key, value in table.items():
                if key in base:
                    yield lang, value, base[key]


def read_mo(data):
    """(English, translation) of a compiled gettext catalog; the first form where there is a plural."""
    if len(data) < 28 or struct.unpack_from("<I", data)[0] != MO_MAGIC:
        return
    _, count, ids, strings = struct.unpack_from("<4I", data, 4)
    for i in range(count):
        both = []
        for table in (ids, strings):
            size, at = struct.unpack_from("<2I", data, table + 8 * i)
            both.append(data[at : at + size].decode("utf-8", "ignore"))
        key, value = both[0].split("\x04")[-1].split("\0")[0], both[1].split("\0")[0]
        if key and value:
            yield key, value


def _po_string(lines):
    return "".join(re.findall(r'"(.*)"', lines)).replace("\\n", " ").replace('\\"', '"')


def read_po(data):
    """(English, translation) of a gettext catalog, fuzzy entries left out."""
    for block in data.decode("utf-8", "ignore").split("\n\n"):
        if re.search(r"^#,.*fuzzy", block, re.M):
            continue
        key = re.search(r'^msgid ((?:".*"\n?)+)', block, re.M)
        value = re.search(r'^msgstr(?:\[0\])? ((?:".*"\n?)+)', block, re.M)
        if key and value:
            yield _po_string(key.group(1)), _po_string(value.group(1))


def _jupyter(table):
    """Jupyter's form of a catalog: {"context\\4English": ["text"]}."""
    for key, value in table.items():
        if key and isinstance(value, list) and value and isinstance(value[0], str):
            yield key.split("\x04")[-1], value[0]


def gettext(archive, pattern):
    names = set(archive.names)
    for name, _ in archive.match(pattern):
        found = re.search(r"/([A-Za-z_@-]+)/LC_MESSAGES/[^/]+\.(mo|po|json)$", name)
        if not found or (found.group(2) == "po" and name[:-2] + "mo" in names):
            continue
        data = archive.read(name)
        rows = {"mo": read_mo, "po": read_po, "json": lambda d: _jupyter(json.loads(d))}[found.group(2)](data)
        for key, value in rows:
            yield found.group(1), value, key


def json_tree(archive, pattern):
    files = collections.defaultdict(dict)
    for name, m in archive.match(pattern):
        groups = m.groupdict()
        files[groups["lang"]][groups.get("file") or ""] = dict(flatten(json.loads(archive.read(name))))
    english = next(code for code in ("en", "en_EN", "en-US") if code in files)
    yield from aligned(files, english)


def _unescape(text):
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m.group(1), 16)), text)
    text = re.sub(r"\\x([0-9a-fA-F]{2})", lambda m: chr(int(m.group(1), 16)), text)
    return re.sub(r"\\(.)", lambda m: " " if m.group(1) in "nt" else m.group(1), text)


def js_object(text):
    """Strings of the object literals in a JavaScript file, by their path of keys."""
    path, out = [], {}
    for m in JAVASCRIPT.finditer(text):
        key, value, opened, closed = m.groups()
        if key:
            key = key.strip("'\"")
            if value == "{":
                path.append(key)
            else:
                out["/".join([*path, key])] = _unescape(value[1:-1])
        elif opened:
            path.append("")
        elif closed and path:
            path.pop()
    return out


def js_tree(archive, pattern):
    files = {}
    for name, m in archive.match(pattern):
        table = js_object(archive.text(name))
        files[m.group("lang")] = {"": {re.sub(r"^[^/]*/", "", k) if k.startswith("/") else k: v for k, v in table.items()}}
    yield from aligned(files, "en" if "en" in files else "en_US")


def properties(archive, pattern):
    """Java's property files: KEY=text, in ASCII with escapes."""
    files = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, m in archive.match(pattern):
        for line in archive.text(name).splitlines():
            entry = re.match(r"([\w.-]+)\s*=\s*(.*)", line)
            if entry:
                files[m.group("lang")][m.group("file")][entry.group(1)] = _unescape(entry.group(2)).replace("''", "'")
    yield from aligned(files, "en")


def homeassistant(archive, pattern):
    components = collections.defaultdict(dict)
    for name, m in archive.match(pattern):
        components[m.group(1)][m.group(2)] = name
    for names in components.values():
        if "en" in names:
            tables = {lang: {"": dict(flatten(json.loads(archive.read(n))))} for lang, n in names.items()}
            yield from aligned(tables, "en")


def typescript(archive, pattern):
    """The compiler's messages, whose keys are the English text with underscores and a number at the end."""
    for name, m in archive.match(pattern):
        for key, value in json.loads(archive.read(name)).items():
            english = re.sub(r"\b\d+\b", " ", re.sub(r"_\d+$", "", key).replace("_", " "))
            yield m.group("lang"), value, re.sub(r"\s+", " ", english)


def emoji(archive, pattern):
    """CLDR's names and keywords of emoji: everyday things and feelings."""
    tables = {m.group("lang"): {e["hexcode"]: e for e in json.loads(archive.read(n))} for n, m in archive.match(pattern)}
    for lang, table in tables.items():
        if lang.startswith("en"):
            continue
        for code, entry in table.items():
            base = tables["en"].get(code)
            if base and "regional" not in base["label"]:
                yield lang, entry["label"], base["label"]
                if entry.get("tags") and base.get("tags"):
                    yield lang, ", ".join(entry["tags"][:5]), ", ".join(base["tags"][:5])


def read_pak(data):
    """Strings of a Chromium resource pack, version 5, by number."""
    version, encoding = struct.unpack_from("<IB", data)
    if (version, encoding) != (5, 1):
        raise ValueError(f"resource pack of version {version} and encoding {encoding}, not 5 and 1")
    count, _ = struct.unpack_from("<HH", data, 8)
    entries = [struct.unpack_from("<HI", data, 12 + 6 * i) for i in range(count + 1)]
    return {i: data[a:b].decode("utf-8", "ignore") for (i, a), (_, b) in zip(entries, entries[1:])}


def pak(archive, pattern):
    files = {m.group("lang"): {"": read_pak(archive.read(n))} for n, m in archive.match(pattern)}
    yield from aligned(files, "en-GB")


def intent_lines(text):
    """Requests of an intent file, without slots; of words in brackets the first is taken."""
    lines = set()
    for line in text.splitlines():
        line = re.sub(r"\(([^|()]*)\|[^()]*\)", r"\1", line)
        line = re.sub(r"\s+", " ", re.sub(r"[\[\]()|]|\{+\w+\}+", " ", line)).strip()
        if " " in line and not line.startswith("#"):
            lines.add(line)
    return sorted(lines)


def intents(archive, pattern):
    """Ways to ask a voice assistant for one thing, each with an English way to ask for the same; English too."""
    files = collections.defaultdict(dict)
    for name, m in archive.match(pattern):
        files[m.group("file").lower()][m.group("lang").lower()] = intent_lines(archive.text(name))
    rnd = random.Random(0)
    for _, languages in sorted(files.items()):
        english = languages.get("en-us")
        for lang, lines in languages.items() if english else ():
            for line in rnd.sample(lines, min(INTENT_LINES, len(lines))):
                yield lang, line, rnd.choice(english)


READERS = {
    f.__name__: f
    for f in (gettext, json_tree, js_tree, properties, homeassistant, typescript, emoji, pak, intents)
}
