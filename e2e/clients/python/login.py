"""Logs in with the Python package mcp and calls tools: python login.py URL CLIENT_ID REDIRECT_URI

Prints one JSON line {"step", "ok", "detail"} for each step; the process fails when one did not succeed.
"""

import json
import sys
import traceback
from urllib.parse import parse_qs, urljoin, urlsplit

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata


class Storage:
    """Keeps the tokens; the client is one that the authorization server knows."""

    def __init__(self, client_id, redirect_uri):
        self.tokens = None
        self.client = OAuthClientInformationFull(client_id=client_id, redirect_uris=[redirect_uri], token_endpoint_auth_method="none")

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, info):
        self.client = info


class Browser:
    """Follows the authorization server's redirects up to the client's own address."""

    def __init__(self, redirect_uri):
        self.redirect_uri = redirect_uri
        self.back = None
        self.logins = 0

    async def open(self, url):
        self.logins += 1
        async with httpx2.AsyncClient(follow_redirects=False) as web:
            while not url.startswith(self.redirect_uri):
                response = await web.get(url)
                if "location" not in response.headers:
                    raise AssertionError(f"{url}: {response.status_code} {response.text[:300]}")
                url = urljoin(url, response.headers["location"])
        self.back = parse_qs(urlsplit(url).query)

    async def wait(self):
        one = {key: values[0] for key, values in self.back.items()}
        return AuthorizationCodeResult(code=one["code"], state=one.get("state"), iss=one.get("iss"))


failed = 0


async def step(name, run):
    global failed
    line = {"step": name, "ok": True, "detail": ""}
    try:
        await run()
    except Exception:
        line.update(ok=False, detail=traceback.format_exc()[-1500:])
        failed += 1
    print(json.dumps(line), flush=True)


async def main(url, client_id, redirect_uri):
    browser = Browser(redirect_uri)
    metadata = OAuthClientMetadata(client_name="e2e-login", redirect_uris=[redirect_uri], token_endpoint_auth_method="none")
    auth = OAuthClientProvider(url, metadata, Storage(client_id, redirect_uri), redirect_handler=browser.open, callback_handler=browser.wait)
    async with httpx2.AsyncClient(auth=auth, timeout=60) as web:
        async with Client(streamable_http_client(url, http_client=web), read_timeout_seconds=60) as client:

            async def call(door, name, arguments, want, logins):
                result = await client.call_tool(door, {"name": name, "arguments": arguments})
                text = "\n".join(c.text for c in result.content if c.type == "text")
                if result.is_error or want not in text:
                    raise AssertionError(text)
                if browser.logins != logins:
                    raise AssertionError(f"{browser.logins} logins, want {logins}")

            async def connected():
                if browser.logins != 1:
                    raise AssertionError(f"{browser.logins} logins")

            await step("login", connected)
            await step("read", lambda: call("call_read_tool", "notes_list", {}, "buy milk", 1))
            await step("write after another login", lambda: call("call_write_tool", "notes_add", {"text": "by python"}, "noted: by python", 2))


anyio.run(main, *sys.argv[1:])
sys.exit(1 if failed else 0)
