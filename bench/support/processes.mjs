import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { onEnd } from './cleanup.mjs';

export const run = promisify(execFile);
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the resident memory of a process in MiB. */
export function rssMiB(pid) {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kib === undefined) throw new Error(`process ${pid} has ended`);
  return Number(kib) / 1024;
}

/** Returns the ids of the child processes of a process. */
export function childrenOf(pid) {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'),
  );
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

/** Returns the command line of a process, with spaces between the arguments. */
export function commandOf(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

/**
 * Returns the CPU time in ms that the live threads of a process have used; finer than the ticks of `/proc/<pid>/stat`.
 */
export function cpuMs(pid) {
  const used = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return used.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/**
 * Starts a Node program of the bench, which prints a line of JSON once it is ready.
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<{pid: number, firstLine: Record<string, unknown>, lines: AsyncIterator<string>,
 *   send(line: string): void, end(): Promise<void>}>} `firstLine` is the parsed first line; `lines` are the later lines
 */
export async function startProgram(file, args = []) {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const end = onEnd(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const lines = readLines(child.stdout);
  const first = await lines.next();
  if (first.done) throw new Error(`${file} ended before it was ready`);
  return {
    pid: child.pid,
    firstLine: JSON.parse(first.value),
    lines,
    send: (line) => child.stdin.write(`${line}\n`),
    end,
  };
}

async function* readLines(stream) {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
}

/**
 * Calls `look` every `everyMs` until it returns something other than undefined or false, and returns that. Throws after
 * `limitMs`.
 */
export async function until(what, look, { everyMs = 20, limitMs = 60_000 } = {}) {
  const end = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1000} s for ${what}`);
    await pause(everyMs);
  }
}
