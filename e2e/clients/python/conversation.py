"""The conversation with the Python package mcp: python conversation.py modern|legacy URL|COMMAND PLAN

A command to speak to over stdio is a JSON array.

The same steps as clients/node/conversation.mjs. Each prints one JSON line {"step", "ok", "detail"}; the process fails when
one did not succeed.
"""

import json
import sys
import traceback
import warnings

import anyio
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

FIVE = ["search_tools", "describe_tools", "call_read_tool", "call_read_tools", "call_write_tool"]


def check(condition, problem):
    if not condition:
        raise AssertionError(problem)


def has(text, part):
    check(part in text, f"{part!r} is not in {text[:600]!r}")


def text_of(result):
    return "\n".join(c.text for c in result.content if c.type == "text")


async def elicited(context, params):
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def sampled(context, params):
    answer = types.TextContent(type="text", text="Paris")
    return types.CreateMessageResult(role="assistant", content=answer, model="none", stop_reason="endTurn")


class Conversation:
    def __init__(self, era, plan):
        self.era = era
        self.plan = plan
        self.client = None
        self.failed = 0
        self.logs = []
        self.logged = anyio.Event()
        self.updated = anyio.Event()

    async def step(self, name, run):
        line = {"step": name, "ok": True, "detail": ""}
        try:
            await run()
        except Exception:
            line.update(ok=False, detail=traceback.format_exc()[-1500:])
            self.failed += 1
        print(json.dumps(line), flush=True)

    async def on_log(self, params):
        self.logs.append(params.data)
        if len(self.logs) >= 3:
            self.logged.set()

    async def on_message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.updated.set()

    async def call(self, door, name, arguments=None, **options):
        """Runs a tool through one of the call tools, or by its own name when there is no tool search in front."""
        if self.plan.get("bare"):
            return await self.client.call_tool(name, arguments or {}, **options)
        inner = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        return await self.client.call_tool(door, inner, **options)

    async def run(self, url):
        server = url
        if url.startswith("["):
            command, *args = json.loads(url)
            server = stdio_client(StdioServerParameters(command=command, args=args))
        client = Client(
            server,
            mode="auto" if self.era == "modern" else "legacy",
            elicitation_callback=elicited,
            sampling_callback=sampled,
            logging_callback=self.on_log,
            log_level="info",
            message_handler=self.on_message,
            read_timeout_seconds=60,
        )
        async with client:
            self.client = client
            await self.step("connect", self.connected)
            if self.plan.get("tools"):
                await self.tools(self.plan["tools"])
            if self.plan.get("features"):
                await self.features()
        await self.step("close", self.closed)

    async def connected(self):
        modern = self.client.protocol_version >= "2026-07-28"
        check(modern == (self.era == "modern"), f"protocol version {self.client.protocol_version}")

    async def closed(self):
        check(self.client is not None, "never connected")

    async def tools(self, plan):
        async def instructions():
            has(self.client.instructions or "", "search_tools")

        async def listed():
            names = [t.name for t in (await self.client.list_tools()).tools]
            check(names == FIVE, f"listed {names}")

        async def search():
            result = await self.client.call_tool("search_tools", {"query": plan["query"]})
            check(not result.is_error, text_of(result))
            has(text_of(result), plan["finds"])

        async def describe():
            result = await self.client.call_tool("describe_tools", {"names": [plan["finds"]]})
            check(not result.is_error, text_of(result))
            has(text_of(result), plan["finds"])
            has(text_of(result), "inputSchema")

        async def batch():
            calls = [{"name": c["name"], "arguments": c.get("arguments")} for c in plan["batch"]]
            result = await self.client.call_tool("call_read_tools", {"calls": calls})
            for item in plan["batch"]:
                has(text_of(result), item["has"])

        await self.step("instructions", instructions)
        await self.step("tools/list", listed)
        await self.step("search", search)
        await self.step("describe", describe)
        await self.step("read", lambda: self.succeeds("call_read_tool", plan["read"]))
        await self.step("batch", batch)
        if plan.get("write"):
            await self.step("write", lambda: self.succeeds("call_write_tool", plan["write"]))
        await self.refusals(plan)

    async def refusals(self, plan):
        async def refused(tool, arguments, part):
            result = await self.client.call_tool(tool, arguments)
            check(result.is_error, "it was not refused")
            has(text_of(result), part)

        async def protocol_error():
            try:
                result = await self.client.call_tool(plan["absent"], {})
            except MCPError as error:
                check(error.code == -32602, f"code {error.code}")
            else:
                check(False, f"answered {result}")

        nothing = {"name": plan["absent"], "arguments": {}}
        await self.step(
            "a write through the read door is refused",
            lambda: refused("call_read_tool", {"name": plan["writeTool"], "arguments": {}}, "call_write_tool"),
        )
        await self.step("an unknown tool is refused", lambda: refused("call_read_tool", nothing, "search_tools"))
        if plan.get("bad"):
            bad = plan["bad"]
            inner = {"name": bad["name"], "arguments": bad["arguments"]}
            await self.step("bad arguments are refused with their faults", lambda: refused("call_write_tool", inner, bad["has"]))
        await self.step(
            "a direct call is refused with the tool to use", lambda: refused(plan["read"]["name"], {}, "call_read_tool")
        )
        await self.step("a direct call of nothing is a protocol error", protocol_error)

    async def succeeds(self, door, item):
        result = await self.call(door, item["name"], item.get("arguments"))
        check(not result.is_error, text_of(result))
        has(text_of(result), item["has"])

    async def features(self):
        async def logging():
            if self.era == "legacy":
                await self.client.set_logging_level("info")
            await self.call("call_read_tool", "log_three_lines")
            with anyio.fail_after(10):
                await self.logged.wait()
            check(len(self.logs) == 3, f"logs {self.logs}")

        async def progress():
            seen = []

            async def on_progress(progress, total, message):
                seen.append(progress)

            result = await self.call("call_read_tool", "count_up", {"steps": 5, "pause_ms": 20}, progress_callback=on_progress)
            has(text_of(result), "counted to 5")
            check(seen == [1, 2, 3, 4, 5], f"progress {seen}")

        async def picture():
            result = await self.call("call_read_tool", "show_picture")
            image = next(c for c in result.content if c.type == "image")
            check(image.mime_type == "image/png" and image.data.startswith("iVBOR"), repr(result))

        async def failure():
            result = await self.call("call_read_tool", "always_fail")
            check(result.is_error, "no error")
            has(text_of(result), "this tool always fails")

        async def elicitation():
            has(text_of(await self.call("call_write_tool", "ask_user_name")), "accept: Hello, Ada!")

        async def sampling():
            has(text_of(await self.call("call_write_tool", "ask_model")), "the model says: Paris")

        await self.prompts_and_resources()
        await self.step("logging", logging)
        await self.step("progress", progress)
        await self.step("a picture", picture)
        await self.step("a tool's own failure", failure)
        await self.step("elicitation", elicitation)
        await self.step("sampling", sampling)
        await self.step("subscription", self.subscription)
        await self.step("cancellation", self.cancellation)

    async def subscription(self):
        uri = "note://today"
        if self.era == "legacy":
            await self.client.subscribe_resource(uri)
            await self.call("call_write_tool", "touch_note")
            with anyio.fail_after(10):
                await self.updated.wait()
            return
        async with self.client.listen(resource_subscriptions=[uri]) as events:
            await self.call("call_write_tool", "touch_note")
            with anyio.fail_after(10):
                async for event in events:
                    check(event.uri == uri, repr(event))
                    return

    async def cancellation(self):
        waiting = False
        with anyio.move_on_after(20) as scope:

            async def on_progress(progress, total, message):
                nonlocal waiting
                waiting = True
                scope.cancel()

            result = await self.call("call_read_tool", "wait_for_cancel", progress_callback=on_progress)
            check(False, f"answered {result}")
        check(waiting, "the tool never said that it waits")

    async def prompts_and_resources(self):
        async def prompts_list():
            names = [p.name for p in (await self.client.list_prompts()).prompts]
            check("greeting" in names, f"listed {names}")

        async def prompts_get():
            prompt = await self.client.get_prompt("greeting", {"who": "Ada"})
            check(prompt.messages[0].content.text == "Greet Ada", repr(prompt))

        async def resources_list():
            uris = [str(r.uri) for r in (await self.client.list_resources()).resources]
            check("note://today" in uris, f"listed {uris}")

        async def templates():
            found = [t.uri_template for t in (await self.client.list_resource_templates()).resource_templates]
            check("note://{day}" in found, f"listed {found}")

        async def resources_read():
            read = await self.client.read_resource("note://tomorrow")
            check(read.contents[0].text == "the note at note://tomorrow", repr(read))

        async def completion():
            ref = types.PromptReference(type="ref/prompt", name="greeting")
            answer = await self.client.complete(ref, {"name": "who", "value": "a"})
            check(answer.completion.values == ["Ada", "Alan"], repr(answer))

        await self.step("prompts/list", prompts_list)
        await self.step("prompts/get", prompts_get)
        await self.step("resources/list", resources_list)
        await self.step("resources/templates/list", templates)
        await self.step("resources/read", resources_read)
        await self.step("completion", completion)


def main():
    warnings.simplefilter("ignore")
    era, url, plan = sys.argv[1:4]
    conversation = Conversation(era, json.loads(plan))
    anyio.run(conversation.run, url)
    sys.exit(1 if conversation.failed else 0)


main()
