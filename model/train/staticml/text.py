"""Text as every step cleans and splits it."""

import re

# The languages that are measured; the others are trained along with fewer pairs.
MAIN_LANGUAGES = ("lt", "de", "es", "fr", "pl", "pt", "ja", "zh", "ru", "tr", "ar", "hi")
SAME_LANGUAGE = {"nb": "no", "nn": "no", "iw": "he", "rs": "sr"}

DIRECTION_MARKS = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
PLACEHOLDERS = re.compile(
    r"\{\{[^}]*\}\}|\$?\{[^}]*\}|%\([^)]*\)[sdrif]|%[sdrif]|\$\d|\$[A-Z_]+|\[%key:[^%]*%\]|`+|\*\*|__\w+__"
)
ENTITIES = (("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'))
SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]\"'][.!?])\s+(?=[A-Z(\"'])")


def language(code):
    """'pt_BR', 'ptBR', 'zh-Hans' -> 'pt', 'pt', 'zh'; traditional Chinese becomes 'zh-hant'."""
    code = re.sub(r"([a-z])([A-Z])", r"\1-\2", code.split("@")[0]).replace("_", "-").lower()
    if code.startswith("zh"):
        return "zh-hant" if re.search("hant|tw|hk", code) else "zh"
    code = code.split("-")[0]
    return SAME_LANGUAGE.get(code, code)


def clean(text):
    """Drops markup, placeholders, links and repeated spaces: pieces that only the text of an interface has."""
    text = DIRECTION_MARKS.sub("", text)
    text = re.sub(r"<[^>]+>", " ", text)
    text = PLACEHOLDERS.sub(" ", text)
    text = re.sub(r"https?://\S+", " ", text)
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    return re.sub(r"\s+", " ", text).strip()


def usable(text):
    """Whether a text is long enough to mean something and short enough for one vector."""
    return 3 <= len(text) <= 300 and bool(re.search(r"\w\w", text))


def split_name(name):
    """'get_userById' -> 'get user By Id', as the search does with a tool's name."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    return re.sub(r"[^0-9A-Za-z\u0080-\uffff]+", " ", name).strip()


def first_sentence(text):
    """The first sentence, and the rest."""
    end = SENTENCE_END.search(text)
    return (text[: end.start()], text[end.end() :]) if end else (text, "")
