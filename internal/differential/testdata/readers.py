"""Says what the Python MCP SDK reads in message bodies, in its three ways.

Takes frames of four bytes of length, the highest first, and a body; answers in
the same way with a JSON object: reader -> list of readings, or null where the
reader refuses the body.
"""

import hashlib
import json
import struct
import sys

import pydantic_core
from mcp_types import CallToolRequestParams
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

KINDS = {"JSONRPCRequest": "request", "JSONRPCNotification": "notification"}


def canonical(v):
    text = "" if v is None else write(v)
    if len(text) > 400:
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    return text


def write(v):
    if v is None:
        return "null"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return number(v)
    if isinstance(v, str):
        return "s" + octets(v)
    if isinstance(v, list):
        return "[" + "".join(write(e) + "," for e in v) + "]"
    return "{" + "".join(k + ":" + write(e) + "," for k, e in sorted((octets(k), e) for k, e in v.items())) + "}"


def octets(s):
    return s.encode("utf-8", "surrogatepass").hex()


def number(v):
    try:
        f = float(v)
    except OverflowError:
        f = float("inf") if v > 0 else float("-inf")
    bits = struct.unpack(">Q", struct.pack(">d", abs(f)))[0]
    return "n%x" % bits + ("-" if f < 0 else "")


def streamable(body):
    return jsonrpc_message_adapter.validate_python(pydantic_core.from_json(body), by_name=False)


def stdio(body):
    return jsonrpc_message_adapter.validate_json(body, by_name=False)


def modern(body):
    decoded = json.loads(body)
    if isinstance(decoded, dict) and "id" not in decoded:
        return JSONRPCNotification.model_validate(decoded)
    return JSONRPCRequest.model_validate(decoded)


def reading(message):
    out = {"kind": KINDS.get(type(message).__name__, "response"), "method": getattr(message, "method", "")}
    out["id"] = canonical(getattr(message, "id", None))
    params = getattr(message, "params", None) or {}
    if out["method"] == "tools/call" and out["kind"] == "request":
        call = CallToolRequestParams.model_validate(params, by_name=False)
        params = {"name": call.name, "arguments": call.arguments}
    out["name"] = params["name"] if isinstance(params.get("name"), str) else ""
    out["arguments"] = canonical(params.get("arguments"))
    return out


def attempt(parse, body):
    try:
        return [reading(parse(body))]
    except Exception:
        return None


def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while size := stdin.read(4):
        body = stdin.read(struct.unpack(">I", size)[0])
        answer = json.dumps({
            "Python SDK, streamable HTTP": attempt(streamable, body),
            "Python SDK, 2026-07-28": attempt(modern, body),
            "Python SDK, stdio": attempt(stdio, body),
        }).encode()
        stdout.write(struct.pack(">I", len(answer)) + answer)
        stdout.flush()


main()
