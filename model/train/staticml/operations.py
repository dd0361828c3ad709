"""Readers of programming interfaces. Each takes an archive and a pattern of paths and yields
(area, operation, description, example requests): what a tool's name and description look like."""

import ast
import gzip
import json
import os
import re

from .text import clean

GENERATED_TWINS = re.compile(r"async$|request_information|http_info|_raw_response|_streaming")
OWNER_ENDINGS = re.compile(r"(RequestBuilder|Resource|Service|Api|API|Client|Mixin|List|Context)+$")
DOC_SECTIONS = re.compile(
    r"\n\s*(?:param |:param|:return|:rtype|:type|Args:|Arguments:|Returns:|Raises:|Parameters\n|Parameters:|Returns\n|Examples?\n|>>>|See Also|\.\. )"
)
AZURE_HELP = re.compile(
    r"helps\[\s*['\"]([^'\"]+)['\"]\s*\]\s*=\s*[rf]*(?:\"\"\"|''')(.*?)(?:\"\"\"|''')", re.S
)


def homeassistant_services(archive, pattern):
    for name, m in archive.match(pattern):
        for key, action in (json.loads(archive.read(name)).get("services") or {}).items():
            yield m.group(1), key, action.get("name", "") + ". " + action.get("description", ""), []


def botocore(archive, pattern):
    newest = {}
    for name, m in archive.match(pattern):
        newest[m.group(1)] = max(newest.get(m.group(1), ""), name)
    for name in newest.values():
        data = archive.read(name)
        model = json.loads(gzip.decompress(data) if name.endswith(".gz") else data)
        meta = model["metadata"]
        area = meta.get("serviceAbbreviation") or meta.get("serviceFullName", "")
        for operation, content in model["operations"].items():
            yield area, operation, content.get("documentation", ""), []


def _methods(node):
    yield from (node.get("methods") or {}).values()
    for child in (node.get("resources") or {}).values():
        yield from _methods(child)


def discovery(archive, pattern):
    """Google's discovery documents."""
    for name, _ in archive.match(pattern):
        if name.endswith("index.json"):
            continue
        document = json.loads(archive.read(name))
        for method in _methods(document):
            operation = ".".join(method.get("id", "").split(".")[-2:])
            yield document.get("title", ""), operation, method.get("description", ""), []


def azure_help(archive, pattern):
    """Help texts of commands; the names of their examples are the only real requests among the operations."""
    for name, _ in archive.match(pattern):
        for m in AZURE_HELP.finditer(archive.text(name)):
            command, body = m.groups()
            summary = " ".join(re.findall(r"^(?:short|long)-summary:\s*[>|]?-?\s*(.+)$", body, re.M))
            _, _, after = body.partition("examples:")
            examples = re.findall(r"^\s*- name:\s*[>|]?-?\s*(.+)$", after, re.M)
            yield "azure " + command.split()[0], command, summary, [clean(e) for e in examples]


def openapi(archive, pattern):
    for name, _ in archive.match(pattern):
        for path in json.loads(archive.read(name))["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict) and operation.get("operationId"):
                    area, _, rest = operation["operationId"].rpartition("/")
                    description = operation.get("summary", "") + ". " + operation.get("description", "")
                    yield "github " + area, rest, description, []


def _functions(tree):
    """Public functions and methods with the class that holds them."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.ClassDef, ast.Module)):
            continue
        for child in node.body:
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and not child.name.startswith("_"):
                if not GENERATED_TWINS.search(child.name):
                    yield getattr(node, "name", ""), child


def docstrings(archive, pattern):
    """Functions of client libraries, described by their docstring up to its first section."""
    for name, _ in archive.match(pattern):
        if "/tests/" in name or "/test_" in name:
            continue
        try:
            tree = ast.parse(archive.text(name))
        except SyntaxError:
            continue
        for owner, function in _functions(tree):
            doc = DOC_SECTIONS.split(ast.get_docstring(function) or "")[0]
            doc = re.split(r":returns?:|:param|\bparam \w+:", doc)[0]
            area = OWNER_ENDINGS.sub("", owner)
            yield area or os.path.basename(name)[:-3], function.name, doc, []


READERS = {f.__name__: f for f in (homeassistant_services, botocore, discovery, azure_help, openapi, docstrings)}
