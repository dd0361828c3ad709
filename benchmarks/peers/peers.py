"""Times tantivy and bm25s beside mcp-toolsearch in one run, on the same tools and questions.

    python3 peers.py BINARY FOLDER

FOLDER holds questions.jsonl and tools-N.jsonl (go run . -write FOLDER). Ours is what `eval --json` says of the same files.
Tantivy and ours run native code; bm25s is Python with numpy, and its times include tokenising in Python.
"""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HITS = 10
ROUNDS = 5


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def words(name):
    return re.sub(r"[_.\-]", " ", name)


def fields(tool):
    parts = []
    for name, schema in tool["inputSchema"].get("properties", {}).items():
        parts += [words(name), schema.get("description", "")] + [str(v) for v in schema.get("enum", [])]
    return {"name": words(tool["name"]), "source": words(tool["server"]), "description": tool["description"], "parameters": "\n".join(parts)}


def with_tantivy(tools):
    import tantivy

    weights = {"name": 3.0, "source": 1.0, "description": 1.0, "parameters": 1.0}
    schema = tantivy.SchemaBuilder()
    for field in weights:
        schema.add_text_field(field, stored=False, tokenizer_name="en_stem")
    index = tantivy.Index(schema.build())
    writer = index.writer(num_threads=1)
    for tool in tools:
        writer.add_document(tantivy.Document(**fields(tool)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(question):
        # The parser's own signs would be syntax.
        plain = re.sub(r"[^\w\s]", " ", question).lower()
        query = index.parse_query(plain, list(weights), field_boosts=weights)
        return len(searcher.search(query, HITS).hits)

    return ask


def with_bm25s(tools):
    import bm25s

    def tokens(texts):
        return bm25s.tokenize(texts, stopwords="en", show_progress=False)

    index = bm25s.BM25()
    index.index(tokens(["\n".join(fields(tool).values()) for tool in tools]), show_progress=False)

    def ask(question):
        found, _ = index.retrieve(tokens([question]), k=HITS, show_progress=False, n_threads=0)
        return found.shape[1]

    return ask


def percentile(times, percent):
    return sorted(times)[len(times) * percent // 100]


def timed(make, tools, questions):
    began = time.perf_counter()
    ask = make(tools)
    build = time.perf_counter() - began
    times = []
    found = 0
    for _ in range(ROUNDS):
        for question in questions:
            began = time.perf_counter()
            found += ask(question["query"]) > 0
            times.append((time.perf_counter() - began) * 1e6)
    if found < len(times) // 2:
        raise SystemExit(f"{make.__name__} found nothing for most questions: its index is not what was meant")
    return {"build": build * 1e3, "p50": percentile(times, 50), "p99": percentile(times, 99)}


def ours(binary, tools, questions, embedder):
    out = subprocess.run([binary, "eval", "--json", "--embedder", embedder, "--tools", tools, "--questions", questions],
                         check=True, capture_output=True, text=True, env=dict(os.environ, GOMAXPROCS="1"))
    said = json.loads(out.stdout)
    return {"build": said["build_ms"], "p50": said["search_p50_us"], "p99": said["search_p99_us"]}


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    questions = lines(folder / "questions.jsonl")
    for path in sorted(folder.glob("tools-*.jsonl"), key=lambda p: p.stat().st_size):
        tools = lines(path)
        rows = {"words": ours(binary, path, folder / "questions.jsonl", "none"),
                "hybrid": ours(binary, path, folder / "questions.jsonl", "embedded")}
        for name, make in {"tantivy": with_tantivy, "bm25s": with_bm25s}.items():
            try:
                rows[name] = timed(make, tools, questions)
            except ImportError as e:
                print(f"{name} is missing ({e}): make bench-peers installs it into .cache/py-peers", file=sys.stderr)
        print(f"{len(tools)} tools, {len(questions)} questions")
        heads = ["build ms", "p50 µs", "p99 µs", "p50 / words", "p50 / hybrid", "p99 / words", "p99 / hybrid"]
        print(" " * 10 + "".join(f"{h:>14}" for h in heads))
        for name, r in rows.items():
            ratios = [r[p] / max(1, rows[base][p]) for p in ("p50", "p99") for base in ("words", "hybrid")]
            print(f"{name:>10}{r['build']:14.0f}{r['p50']:14.0f}{r['p99']:14.0f}" + "".join(f"{x:14.2f}" for x in ratios))


if __name__ == "__main__":
    main()
