// node-pty and ws in one process: a terminal server without log, runner, authentication or limits. Its flow control
// pauses the terminal while the socket is full. `GET /health` returns a status. A WebSocket on `/new` opens a shell; a
// WebSocket on `/<n>` joins shell n.

import fs from 'node:fs';
import http from 'node:http';
import { load } from '../support/packages.mjs';

const pty = load('node-pty');
const { WebSocketServer } = load('ws');
const HIGH = 1024 * 1024;
const LOW = 256 * 1024;
const terminals = new Map();

function open() {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const terminal = pty.spawn('/bin/sh', [], { cols: 120, rows: 36, env, encoding: null });
  // Keeps the slave open. Otherwise, the exit of the shell would hang up the terminal, and Node would drop unread
  // output.
  const slave = fs.openSync(terminal.ptsName, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
  const viewers = new Set();
  const id = terminals.size;
  terminals.set(id, { terminal, viewers });
  terminal.onData((data) => {
    for (const socket of viewers) {
      socket.send(data, () => {
        if (socket.bufferedAmount < LOW) terminal.resume();
      });
      if (socket.bufferedAmount > HIGH) terminal.pause();
    }
  });
  terminal.onExit(() => {
    fs.closeSync(slave);
    for (const socket of viewers) socket.close();
  });
  return id;
}

const server = http.createServer((_, answer) => answer.end('{"status":"ok"}'));
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, request) => {
  const path = request.url.slice(1);
  const id = path === 'new' ? open() : Number(path);
  const { terminal, viewers } = terminals.get(id);
  viewers.add(socket);
  socket.on('close', () => viewers.delete(socket));
  socket.on('message', (data) => terminal.write(data.toString()));
  socket.send(JSON.stringify({ id }));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
process.stdin.on('close', () => process.exit(0)).resume();
