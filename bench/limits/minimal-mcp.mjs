// A minimal MCP server: the SDK's stateful web-standard transport on node:http, and a list tool in two variants. A JSON
// line on stdin, e.g. {"sessions": [...]}, sets what both variants return.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { loadModule } from '../support/packages.mjs';

const { McpServer } = await loadModule('@modelcontextprotocol/sdk/server/mcp.js');
const { WebStandardStreamableHTTPServerTransport } = await loadModule(
  '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js',
);

let list = { sessions: [], total: 0 };
const transports = new Map();

async function open() {
  const server = new McpServer({ name: 'minimal', version: '1' });
  server.registerTool('list_sessions', { description: 'Rows as text' }, async () => ({
    content: [{ type: 'text', text: JSON.stringify(list) }],
  }));
  server.registerTool('list_sessions_twice', { description: 'Rows as text and as structure' }, async () => ({
    content: [{ type: 'text', text: JSON.stringify(list) }],
    structuredContent: list,
  }));
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => transports.set(id, transport),
    onsessionclosed: (id) => transports.delete(id),
  });
  await server.connect(transport);
  return transport;
}

async function answer(incoming, outgoing) {
  if (incoming.url === '/health') {
    outgoing.setHeader('content-type', 'application/json').end('{"status":"ok"}');
    return;
  }
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    body: chunks.length === 0 ? null : Buffer.concat(chunks),
  });
  const transport = transports.get(incoming.headers['mcp-session-id']) ?? (await open());
  const response = await transport.handleRequest(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

const server = http.createServer((incoming, outgoing) => {
  answer(incoming, outgoing).catch((error) => outgoing.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  list = JSON.parse(line);
  process.stdout.write('{"taken":true}\n');
});
lines.on('close', () => process.exit(0));
