"""A server of the Python SDK that speaks both eras, or one: python server.py both|modern|legacy. Prints its port."""

import asyncio
import sys
from typing import Annotated

import uvicorn
from pydantic import BaseModel

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve

server = MCPServer("python", instructions="Speaks Python.")
waiting = {"now": 0, "cancelled": 0}


class Name(BaseModel):
    name: str


def ask() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


@server.tool()
async def greet(who: Annotated[Name, Resolve(ask)]) -> str:
    """Ask the user for a name and greet them."""
    return f"Hello, {who.name}!"


@server.tool()
async def count(steps: int, ctx: Context) -> str:
    """Count with progress."""
    for i in range(1, steps + 1):
        await ctx.report_progress(i, steps)
    return f"counted to {steps}"


@server.tool()
async def wait() -> str:
    """Wait to be cancelled."""
    waiting["now"] += 1
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        waiting["cancelled"] += 1
        raise
    finally:
        waiting["now"] -= 1
    return "nobody cancelled"


@server.tool()
async def waits() -> str:
    """Say how many calls wait and were cancelled."""
    return f"{waiting['now']} {waiting['cancelled']}"


@server.resource("note://today")
def today() -> str:
    """Today's note."""
    return "buy milk"


@server.prompt()
def hello(who: str) -> str:
    """Greet somebody."""
    return f"Greet {who}"


def only(app, era):
    """A server of one era, as there were before and will be later."""

    async def one(scope, receive, send):
        if scope["type"] == "http":
            version = dict(scope["headers"]).get(b"mcp-protocol-version", b"")
            if era == "legacy" and version >= b"2026":
                scope = dict(scope, headers=[h for h in scope["headers"] if h[0] != b"mcp-protocol-version"])
            if era == "modern" and version < b"2026":
                await send({"type": "http.response.start", "status": 405, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
        await app(scope, receive, send)

    return app if era == "both" else one


async def main():
    app = only(server.streamable_http_app(), sys.argv[1])
    web = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(web.serve())
    while not web.started:
        await asyncio.sleep(0.01)
    print(web.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving


asyncio.run(main())
