import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createForkServer } from '../../src/git/fork-server.ts';
import { type ProcessSpec, type RunProcess, runProcess } from '../../src/git/process.ts';
import { until } from '../support/until.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/fork-server.js', import.meta.url));
const HERE = { cwd: '/', env: { PATH: process.env.PATH ?? '' }, timeoutMs: 50_000 };

/** Returns the specification of a shell command whose output is added to `chunks`. */
function shell(command: string, chunks: Buffer[] = [], more: Partial<ProcessSpec> = {}): ProcessSpec {
  return { ...HERE, file: 'sh', args: ['-c', command], onStdout: (chunk) => void chunks.push(chunk), ...more };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const KINDS: [string, RunProcess][] = [
  ['a child of this process', runProcess],
  ['a child of the fork server', createForkServer(PROGRAM)],
];

describe.concurrent.each(KINDS)('a program that runs as %s', (_, run) => {
  it('returns its exit status, its output and the end of its error output', async () => {
    const chunks: Buffer[] = [];
    const seen: string[] = [];
    const spec = shell('cat; printf "%070000d" 7 >&2; exit 3', chunks, {
      input: 'given',
      onStderr: (text) => void seen.push(text),
    });
    const end = await run(spec);
    expect(end).toMatchObject({ exitCode: 3, ended: undefined });
    expect(Buffer.concat(chunks).toString()).toBe('given');
    expect(seen.join('')).toHaveLength(70_000);
    expect(seen.join('').endsWith(end.stderr)).toBe(true);
    expect(end.stderr.length).toBeLessThan(70_000);
  });

  it('keeps every byte in order, also for a reader that takes its time', async () => {
    const hash = createHash('sha256');
    let bytes = 0;
    await run(
      shell('seq 1 300000', [], {
        async onStdout(chunk) {
          await new Promise(setImmediate);
          hash.update(chunk);
          bytes += chunk.length;
        },
      }),
    );
    const expected = Array.from({ length: 300_000 }, (_, at) => `${at + 1}\n`).join('');
    expect(bytes).toBe(expected.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(expected).digest('hex'));
  });

  it('takes bytes as input, and ignores that the program does not read them', async () => {
    const chunks: Buffer[] = [];
    const input = Buffer.from([0, 255, 10, 13]);
    await run(shell('cat', chunks, { input }));
    expect(Buffer.concat(chunks)).toEqual(input);
    expect(await run(shell('exit 0', [], { input: Buffer.alloc(1_000_000) }))).toMatchObject({ exitCode: 0 });
  });

  it('ends with its process group when its reader stops it, fails, or aborts, and after its time', async () => {
    const pids: number[] = [];
    const endless = (more: Partial<ProcessSpec>) =>
      run(shell('sleep 1000 & echo begun; wait', [], { onStart: (pid) => void pids.push(pid), ...more }));
    const abort = new AbortController();
    expect(await endless({ onStdout: () => 'stop' })).toMatchObject({ ended: 'stopped' });
    expect(await endless({ onStdout: () => Promise.resolve('stop') })).toMatchObject({ ended: 'stopped' });
    expect(await endless({ onStdout: () => abort.abort(), signal: abort.signal })).toMatchObject({ ended: 'aborted' });
    expect(await endless({ signal: abort.signal })).toMatchObject({ ended: 'aborted' });
    expect(await endless({ timeoutMs: 1 })).toMatchObject({ ended: 'timeout' });
    const failure = new Error('no space');
    await expect(endless({ onStdout: () => Promise.reject(failure) })).rejects.toBe(failure);
    expect(pids).toHaveLength(6);
    for (const pid of pids) await until('the end of the group', () => !isRunning(-pid));
  });

  it('ends although a process that it started keeps its output open', async () => {
    const pids: Buffer[] = [];
    expect(await run(shell('sleep 1000 & echo $!', pids))).toMatchObject({ exitCode: 0, ended: undefined });
    process.kill(Number(Buffer.concat(pids)));
  });

  it('fails with the error of the system if it cannot be started', async () => {
    const missing = { ...shell(''), file: '/nowhere/git' };
    await expect(run(missing)).rejects.toMatchObject({ code: 'ENOENT', syscall: 'spawn /nowhere/git' });
    await expect(run({ ...shell(''), cwd: '/nowhere' })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the fork server', () => {
  it('starts again after it was killed, and leaves nothing running of what it had started', async () => {
    const run = createForkServer(PROGRAM);
    const parents: Buffer[] = [];
    const groups: number[] = [];
    const interrupted = run(shell('echo $PPID; sleep 1000', parents, { onStart: (pid) => void groups.push(pid) }));
    const failed = expect(interrupted).rejects.toMatchObject({ code: 'GIT_FAILED' });
    await until('the program', () => parents.length > 0);
    process.kill(Number(Buffer.concat(parents)), 'SIGKILL');
    await failed;
    await until('the end of the program', () => groups.every((pid) => !isRunning(-pid)));
    expect(await run(shell('exit 0'))).toMatchObject({ exitCode: 0 });
  });

  it('ends with a server that is killed', async () => {
    const script = `
      const { fork } = require('node:child_process');
      const program = fork(process.argv[1], [], { detached: true, serialization: 'advanced', execArgv: [] });
      program.on('spawn', () => console.log(program.pid));
    `;
    const server = spawn(process.execPath, ['-e', script, PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = await once(server.stdout, 'data');
    const pid = Number(printed);
    expect(isRunning(pid)).toBe(true);
    server.kill('SIGKILL');
    await until('the end of the fork server', () => !isRunning(pid));
  });
});
