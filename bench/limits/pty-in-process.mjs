// Measures how fast one process can read the output of a terminal, without network or log: with our own loss-free
// reader (`own`) or with the reader of node-pty (`stock`). Each line on stdin is a JSON spec
// {"mode":"own"|"stock","file","args","bytes","type"}; the answer contains the number of bytes, the speed and the hash.
// `type` is typed once the terminal shows the word `ready`.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import tty from 'node:tty';
import { load } from '../support/packages.mjs';

const pty = load('node-pty');
const ENV = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
const READY = Buffer.from('ready');

/** Opens a terminal with a loss-free reader, which keeps the slave open until all output has been read. */
function openOwn(file, args, onData, onExit) {
  const env = Object.entries(ENV).map(([name, value]) => `${name}=${value}`);
  const opened = pty.native.fork(file, args, env, '/', 120, 36, -1, -1, true, '', () => {
    while (reader.read() !== null);
    const rest = Buffer.allocUnsafe(65_536);
    for (;;) {
      let bytes = 0;
      try {
        bytes = fs.readSync(opened.fd, rest);
      } catch {
        // EAGAIN means that the kernel has no more output.
      }
      if (bytes <= 0) break;
      onData(Buffer.from(rest.subarray(0, bytes)));
    }
    reader.destroy();
    fs.closeSync(slave);
    onExit();
  });
  const slave = fs.openSync(opened.pty, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
  const reader = new tty.ReadStream(opened.fd);
  reader.on('data', onData);
  reader.on('error', () => {});
  return (text) => fs.writeSync(opened.fd, text);
}

function openStock(file, args, onData, onExit) {
  const terminal = pty.spawn(file, args, { cols: 120, rows: 36, env: ENV, cwd: '/', encoding: null });
  terminal.onData(onData);
  terminal.onExit(onExit);
  return (text) => terminal.write(text);
}

function measure({ mode, file, args, bytes, type }) {
  return new Promise((resolve) => {
    const seen = Buffer.alloc(bytes + 1024);
    let length = 0;
    let waiting = type !== undefined;
    let since = performance.now();
    let last = since;
    const onData = (data) => {
      length += data.copy(seen, length);
      last = performance.now();
      if (!waiting || !seen.subarray(0, length).includes(READY)) return;
      waiting = false;
      length = 0;
      since = performance.now();
      write(type);
    };
    const onExit = () => {
      const sha256 = createHash('sha256').update(seen.subarray(0, length)).digest('hex');
      resolve({ bytes: length, ms: last - since, sha256 });
    };
    const write = (mode === 'own' ? openOwn : openStock)(file, args, onData, onExit);
  });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', async (line) => process.stdout.write(`${JSON.stringify(await measure(JSON.parse(line)))}\n`));
lines.on('close', () => process.exit(0));
process.stdout.write('{"ready":true}\n');
