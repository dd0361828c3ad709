// A stateful server on @modelcontextprotocol/sdk with memory for each session: node typed.mjs HOST:PORT | node typed.mjs stdio
// The same five tools as snake.py and the Go server of the tests, with names of its own.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const reads = { readOnlyHint: true };
const writes = { readOnlyHint: false };

function serverOfOneSession() {
  const server = new McpServer({ name: 'typed', version: '1' }, { instructions: 'Remembers a word for each session.' });
  let word;
  server.registerTool('typed_remember', { description: 'Remember a word in this session.', inputSchema: { word: z.string() }, annotations: writes }, async (args) => {
    word = args.word;
    return text(`remembered ${word}`);
  });
  server.registerTool('typed_recall', { description: 'Recall the word of this session.', annotations: reads }, async () => text(`the word is ${word}`));
  server.registerTool('typed_picture', { description: 'Draw a pixel.', annotations: reads }, async () => ({ content: [{ type: 'image', data: pixel, mimeType: 'image/png' }] }));
  server.registerTool('typed_count', { description: 'Count with progress.', inputSchema: { steps: z.number().int() }, annotations: reads }, async ({ steps }, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progressToken !== undefined && progress <= steps; progress += 1) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: steps } });
    }
    return text(`counted to ${steps}`);
  });
  server.registerTool('typed_ask', { description: 'Ask the user for a name.', annotations: writes }, async (extra) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const answer = await server.server.elicitInput({ message: 'What is your name?', requestedSchema }, { relatedRequestId: extra.requestId });
    return text(`${answer.action}: ${answer.content?.name}`);
  });
  return server;
}

if (process.argv[2] === 'stdio') {
  await serverOfOneSession().connect(new StdioServerTransport());
} else {
  const [host, port] = process.argv[2].split(':');
  const sessions = new Map();
  createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end();
    let transport = sessions.get(id);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (fresh) => void sessions.set(fresh, transport),
        onsessionclosed: (ended) => void sessions.delete(ended),
      });
      await serverOfOneSession().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(Number(port), host);
}
