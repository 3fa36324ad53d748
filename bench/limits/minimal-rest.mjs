// A minimal REST list: node:http, rows in memory, JSON serialized for each request. A line on stdin sets the JSON that
// GET returns.
import http from 'node:http';
import { createInterface } from 'node:readline';

let list = {};

const server = http.createServer((_, outgoing) => {
  outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(list));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  list = JSON.parse(line);
  process.stdout.write('{"taken":true}\n');
});
lines.on('close', () => process.exit(0));
