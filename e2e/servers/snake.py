"""A FastMCP server with memory for each session: python snake.py stdio | python snake.py HOST:PORT

The same five tools as typed.mjs and the Go server of the tests, with names of its own.
"""

import base64
import sys

from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Image

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
READS = {"readOnlyHint": True}
WRITES = {"readOnlyHint": False}

server = FastMCP("snake", instructions="Remembers a word for each session.")


@server.tool(annotations=WRITES)
async def snake_remember(word: str, ctx: Context) -> str:
    """Remember a word in this session."""
    await ctx.set_state("word", word)
    return f"remembered {word}"


@server.tool(annotations=READS)
async def snake_recall(ctx: Context) -> str:
    """Recall the word of this session."""
    return f"the word is {await ctx.get_state('word')}"


@server.tool(annotations=READS)
async def snake_picture() -> Image:
    """Draw a pixel."""
    return Image(data=PIXEL, format="png")


@server.tool(annotations=READS)
async def snake_count(steps: int, ctx: Context) -> str:
    """Count with progress."""
    for i in range(1, steps + 1):
        await ctx.report_progress(i, steps)
    return f"counted to {steps}"


@server.tool(annotations=WRITES)
async def snake_ask(ctx: Context) -> str:
    """Ask the user for a name."""
    answer = await ctx.elicit("What is your name?", response_type=str)
    return f"{answer.action}: {getattr(answer, 'data', None)}"


if sys.argv[1] == "stdio":
    server.run(transport="stdio", show_banner=False)
else:
    host, port = sys.argv[1].rsplit(":", 1)
    server.run(transport="http", host=host, port=int(port), show_banner=False, log_level="warning")
