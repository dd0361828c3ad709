// Says what the TypeScript MCP SDK and a bare JSON.parse read in message bodies.
//
// Takes frames of four bytes of length, the highest first, and a body; answers in the same way with a JSON object:
// reader -> list of readings, or null where the reader refuses the body.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are not above this file, so their folder is an argument.
const require = createRequire(pathToFileURL(process.argv[2] + '/'));
const { CallToolRequestSchema, JSONRPCMessageSchema } = require('@modelcontextprotocol/sdk/types.js');

function canonical(v) {
  const text = v === undefined || v === null ? '' : write(v);
  return text.length <= 400 ? text : 'sha256:' + createHash('sha256').update(text).digest('hex');
}

function write(v) {
  if (v === null) return 'null';
  if (typeof v === 'boolean') return String(v);
  if (typeof v === 'number') return number(v);
  if (typeof v === 'string') return 's' + hex(v);
  if (Array.isArray(v)) return '[' + v.map((e) => write(e) + ',').join('') + ']';
  const members = Object.keys(v).map((k) => [hex(k), write(v[k])]);
  members.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return '{' + members.map(([k, e]) => k + ':' + e + ',').join('') + '}';
}

const hex = (s) => Buffer.from(s, 'utf8').toString('hex');

function number(v) {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(Math.abs(v));
  return 'n' + bits.readBigUInt64BE().toString(16) + (v < 0 ? '-' : '');
}

function reading(m) {
  if (m === null || typeof m !== 'object' || Array.isArray(m)) throw new Error('no message');
  const method = m.method ?? '';
  const kind = method === '' ? 'response' : m.id === undefined ? 'notification' : 'request';
  const params = m.params ?? {};
  const name = typeof params.name === 'string' ? params.name : '';
  return { kind, method, id: canonical(m.id), name, arguments: canonical(kind === 'response' ? null : params.arguments) };
}

function sdk(m) {
  let message = JSONRPCMessageSchema.parse(m);
  if (message.method === 'tools/call') message = { ...message, params: CallToolRequestSchema.parse(message).params };
  return reading(message);
}

function attempt(body, read) {
  try {
    const decoded = JSON.parse(body.toString('utf8'));
    return Array.isArray(decoded) ? decoded.map(read) : [read(decoded)];
  } catch {
    return null;
  }
}

function answer(body) {
  const text = Buffer.from(JSON.stringify({ 'TypeScript SDK': attempt(body, sdk), 'JSON.parse': attempt(body, reading) }));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(text.length);
  process.stdout.write(Buffer.concat([size, text]));
}

let pending = Buffer.alloc(0);
for await (const piece of process.stdin) {
  pending = Buffer.concat([pending, piece]);
  while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE()) {
    const end = 4 + pending.readUInt32BE();
    answer(pending.subarray(4, end));
    pending = pending.subarray(end);
  }
}
