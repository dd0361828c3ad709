// The conversation with @modelcontextprotocol/client, MCP 2026-07-28: node modern.mjs URL|COMMAND PLAN
// A command to speak to over stdio is a JSON array.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Conversation, elicited, sampled, within } from './conversation.mjs';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

class Modern {
  constructor(sdk) {
    this.sdk = sdk;
    this.logs = [];
    this.updates = [];
    sdk.setRequestHandler('elicitation/create', async () => elicited);
    sdk.setRequestHandler('sampling/createMessage', async () => sampled);
    sdk.setNotificationHandler('notifications/message', (n) => void this.logs.push(n.params.data));
    sdk.setNotificationHandler('notifications/resources/updated', (n) => this.updated?.(n.params.uri));
  }
  instructions() { return this.sdk.getInstructions(); }
  async listTools() { return (await this.sdk.listTools()).tools; }
  callTool(name, args, options) {
    const params = { name, arguments: args };
    if (this.logging) params._meta = { [LOG_LEVEL]: 'info' };
    return this.sdk.callTool(params, options);
  }
  async collectLogs(call) {
    this.logging = true;
    try { await call(); } finally { this.logging = false; }
    return this.logs;
  }
  async firstUpdate(uri, touch) {
    const first = new Promise((resolve) => { this.updated = resolve; });
    const subscription = await this.sdk.listen({ resourceSubscriptions: [uri] });
    try {
      await touch();
      return await within(10, 'an update', first);
    } finally {
      await subscription.close();
    }
  }
  close() { return this.sdk.close(); }
}

const [url, plan] = process.argv.slice(2);
const sdk = new Client({ name: 'e2e-modern', version: '1' }, {
  capabilities: { elicitation: { form: {} }, sampling: {} },
  versionNegotiation: { mode: { pin: '2026-07-28' } },
});
const client = new Modern(sdk);
const conversation = new Conversation(client, JSON.parse(plan));
function transport() {
  if (!url.startsWith('[')) return new StreamableHTTPClientTransport(new URL(url));
  const [command, ...args] = JSON.parse(url);
  return new StdioClientTransport({ command, args });
}
await conversation.step('connect', () => sdk.connect(transport()));
process.exit((await conversation.run()) > 0 ? 1 : 0);
