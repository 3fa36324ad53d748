import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { readStat } from '../../src/runner/processes.ts';
import { listByPs, readByPs } from '../../src/runner/ps.ts';
import { until } from '../support/until.ts';
import { isAlive } from './helpers.ts';

const { TZ, LC_ALL } = process.env;
const started: number[] = [];

afterEach(() => {
  for (const [name, value] of Object.entries({ TZ, LC_ALL })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

/** Starts a shell in a Unix session of its own. Resolves with its pid and the pids in the first line that it prints. */
async function startSession(script: string): Promise<number[]> {
  const child = spawn('bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const pids = [child.pid ?? 0, ...String(line).trim().split(' ').map(Number)];
  started.push(...pids);
  return pids;
}

it('reads a process as /proc shows it', async () => {
  const [pid = 0] = await startSession('echo $$; exec sleep 1000');
  const { group, session, foreground } = readStat(pid) ?? {};
  expect(readByPs(pid)).toMatchObject({ pid, group, session, foreground });
  process.kill(pid, 'SIGKILL');
  await until('the process has ended', () => readByPs(pid) === undefined);
});

it('reads the same start time in each time zone and language', () => {
  process.env.TZ = 'Asia/Tokyo';
  const { startTime = '' } = readByPs(process.pid) ?? {};
  process.env.TZ = 'America/New_York';
  process.env.LC_ALL = 'de_DE.UTF-8';
  // `ps` of Linux computes the start time from the time since the boot, and may be wrong by a second.
  expect(Math.abs(Date.parse(readByPs(process.pid)?.startTime ?? '') - Date.parse(startTime))).toBeLessThan(5_000);
});

it('finds the session of a job in a group of its own, also after its parent has ended', async () => {
  const [leader = 0, , job = 0] = await startSession(`set -m; (trap '' HUP; exec sleep 1000) & echo $$ $!; wait`);
  const sessionOfJob = async () => (await listByPs()).find(({ pid }) => pid === job);
  expect(await sessionOfJob()).toMatchObject({ group: job, session: leader });
  process.kill(leader, 'SIGKILL');
  await until('the leader has ended', () => !isAlive(leader));
  expect(await sessionOfJob()).toMatchObject({ group: job, session: leader });
});
