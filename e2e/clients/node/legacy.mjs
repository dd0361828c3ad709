// The conversation with @modelcontextprotocol/sdk, MCP 2025-11-25: node legacy.mjs URL|COMMAND PLAN
// A command to speak to over stdio is a JSON array.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Conversation, elicited, sampled, within } from './conversation.mjs';

class Legacy {
  constructor(sdk) {
    this.sdk = sdk;
    this.logs = [];
    sdk.setRequestHandler(ElicitRequestSchema, async () => elicited);
    sdk.setRequestHandler(CreateMessageRequestSchema, async () => sampled);
    sdk.setNotificationHandler(LoggingMessageNotificationSchema, (n) => {
      this.logs.push(n.params.data);
      this.logged?.();
    });
    sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => this.updated?.(n.params.uri));
  }
  instructions() { return this.sdk.getInstructions(); }
  async listTools() { return (await this.sdk.listTools()).tools; }
  callTool(name, args, options) { return this.sdk.callTool({ name, arguments: args }, undefined, options); }
  async collectLogs(call) {
    const three = new Promise((resolve) => { this.logged = () => this.logs.length >= 3 && resolve(); });
    await this.sdk.setLoggingLevel('info');
    await call();
    await within(10, 'three log lines', three); // they may come on the session's own stream, after the result
    return this.logs;
  }
  async firstUpdate(uri, touch) {
    const first = new Promise((resolve) => { this.updated = resolve; });
    await this.sdk.subscribeResource({ uri });
    await touch();
    const got = await within(10, 'an update', first);
    await this.sdk.unsubscribeResource({ uri });
    return got;
  }
  async close() {
    await this.transport.terminateSession?.(); // stdio has none
    await this.sdk.close();
  }
}

const [url, plan] = process.argv.slice(2);
const sdk = new Client({ name: 'e2e-legacy', version: '1' }, { capabilities: { elicitation: {}, sampling: {} } });
const client = new Legacy(sdk);
if (url.startsWith('[')) {
  const [command, ...args] = JSON.parse(url);
  client.transport = new StdioClientTransport({ command, args });
} else {
  client.transport = new StreamableHTTPClientTransport(new URL(url));
}
const conversation = new Conversation(client, JSON.parse(plan));
await conversation.step('connect', () => sdk.connect(client.transport));
process.exit((await conversation.run()) > 0 ? 1 : 0);
