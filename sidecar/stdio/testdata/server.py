"""A server of the Python SDK on stdio: it reports progress, asks the user, and prints where it shouldn't."""

import os
import sys
from typing import Annotated

from pydantic import BaseModel

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve

server = MCPServer("python", instructions="Speaks Python.")


class Name(BaseModel):
    name: str


def ask() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


@server.tool()
async def greet(who: Annotated[Name, Resolve(ask)]) -> str:
    """Ask the user for a name and greet them."""
    return f"Hello, {who.name}!"


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Count, and report progress at each number."""
    for i in range(1, to + 1):
        await ctx.report_progress(i, to)
    return f"counted to {to}"


@server.tool()
async def large(size: int) -> str:
    """Answer with that many letters."""
    return "x" * size


@server.tool()
async def die() -> str:
    """End at once."""
    os._exit(7)


print("this is no message", flush=True)
print("nor is this", file=sys.stderr, flush=True)
server.run("stdio")
