// Runs programs one after another for the test process that started it (`run-sync.ts`), and exits with that process.
// Arguments: the named pipes for requests and for replies, each with one JSON value per line.
import { spawnSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';

const [requestsPath, repliesPath] = process.argv.slice(2);
const requests = openSync(requestsPath, 'r');
const replies = openSync(repliesPath, 'w');
const chunk = Buffer.alloc(65_536);
let pending = Buffer.alloc(0);

function reply(value) {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(replies, bytes, sent);
}

for (let size = readSync(requests, chunk); size > 0; size = readSync(requests, chunk)) {
  pending = Buffer.concat([pending, chunk.subarray(0, size)]);
  for (let end = pending.indexOf('\n'); end !== -1; end = pending.indexOf('\n')) {
    const { file, args, cwd, env } = JSON.parse(pending.toString('utf8', 0, end));
    pending = pending.subarray(end + 1);
    const { status, signal, stdout, stderr, error } = spawnSync(file, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      maxBuffer: 256 * 1024 ** 2,
    });
    reply({ status, signal, stdout: stdout ?? '', stderr: stderr ?? '', error: error?.message ?? null });
  }
}
