// Logs in with @modelcontextprotocol/client and calls tools: node login.mjs URL CLIENT_ID REDIRECT_URI
// Prints one JSON line {"step", "ok", "detail"} for each step; the process fails when one did not succeed.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { check, textOf } from './conversation.mjs';

const [url, clientId, redirectUri] = process.argv.slice(2);

// The client is one that the authorization server knows; tokens are kept in memory.
class Provider {
  logins = 0;
  redirectUrl = redirectUri;
  clientMetadata = { client_name: 'e2e-login', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
  clientInformation() { return this.client ?? { client_id: clientId }; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  // A browser: follows the redirects up to the client's own address.
  async redirectToAuthorization(authorizationUrl) {
    this.logins += 1;
    let at = String(authorizationUrl);
    while (!at.startsWith(redirectUri)) {
      const response = await fetch(at, { redirect: 'manual' });
      const next = response.headers.get('location');
      check(next, `${at}: ${response.status} ${await response.text()}`);
      at = String(new URL(next, at));
    }
    this.back = new URL(at).searchParams;
  }
}

let failed = 0;
async function step(name, run) {
  const line = { step: name, ok: true, detail: '' };
  try {
    await run();
  } catch (error) {
    line.ok = false;
    line.detail = String(error?.stack ?? error);
    failed += 1;
  }
  console.log(JSON.stringify(line));
}

const provider = new Provider();
const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
const fresh = () => new Client({ name: 'e2e-login', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });

// The library leaves the end of a login to the program: it gives the code back and tries again.
let wire = transport();
let sdk = fresh();
async function withLogin(run) {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UnauthorizedError) && !(error?.cause instanceof UnauthorizedError)) throw error;
    await wire.finishAuth(provider.back);
    wire = transport();
    sdk = fresh();
    await sdk.connect(wire);
    return run();
  }
}

async function call(door, name, args, want, logins) {
  const result = await withLogin(() => sdk.callTool({ name: door, arguments: { name, arguments: args } }));
  check(!result.isError && textOf(result).includes(want), textOf(result));
  check(provider.logins === logins, `${provider.logins} logins, want ${logins}`);
}

await step('login', async () => {
  await withLogin(async () => { if (!sdk.transport) await sdk.connect(wire); });
  check(provider.logins === 1, `${provider.logins} logins`);
});
await step('read', () => call('call_read_tool', 'notes_list', {}, 'buy milk', 1));
await step('write after another login', () => call('call_write_tool', 'notes_add', { text: 'by typescript' }, 'noted: by typescript', 2));
process.exit(failed > 0 ? 1 : 0);
