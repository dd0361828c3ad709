"""Says what the Python MCP SDK reads in message bodies.

Reads one Base64 body a line and writes one JSON object a line: for each of the
SDK's three ways to parse ("legacy" and "modern" HTTP, "stdio") what it reads,
or null where it refuses the body.
"""

import base64
import json
import sys

import pydantic_core
from mcp_types import (
    CallToolRequestParams,
    GetPromptRequestParams,
    ReadResourceRequestParams,
)
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

PARAMS = {
    "tools/call": CallToolRequestParams,
    "prompts/get": GetPromptRequestParams,
    "resources/read": ReadResourceRequestParams,
}


def legacy(body):
    return jsonrpc_message_adapter.validate_python(pydantic_core.from_json(body), by_name=False)


def stdio(body):
    return jsonrpc_message_adapter.validate_json(body, by_name=False)


def modern(body):
    decoded = json.loads(body)
    if isinstance(decoded, dict) and "id" not in decoded:
        return JSONRPCNotification.model_validate(decoded)
    return JSONRPCRequest.model_validate(decoded)


def reading(message):
    out = {"kind": type(message).__name__, "method": getattr(message, "method", "")}
    if hasattr(message, "id"):
        out["id"] = message.id
    model = PARAMS.get(out["method"])
    if model is None or not isinstance(message, JSONRPCRequest):
        return out
    params = model.model_validate(message.params or {}, by_name=False)
    out["name"] = str(params.uri) if model is ReadResourceRequestParams else params.name
    if model is CallToolRequestParams and params.arguments is not None:
        out["arguments"] = sorted(params.arguments)
    return out


def attempt(parse, body):
    try:
        return reading(parse(body))
    except Exception:
        return None


def main():
    for line in sys.stdin:
        body = base64.b64decode(line)
        answer = {"legacy": attempt(legacy, body), "modern": attempt(modern, body), "stdio": attempt(stdio, body)}
        print(json.dumps(answer), flush=True)


main()
