import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../src/machine/host.ts';
import { bootId, sessionMembers, startTimeOf } from '../../src/runner/processes.ts';
import { isAlive } from '../e2e/support/kill.ts';
import { until } from '../support/until.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-console-command-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const env = { PATH: process.env.PATH ?? '' };

/** Returns the host of a server with this data directory. */
function hostOf(home: string) {
  mkdirSync(join(folder, home), { recursive: true });
  const processes = { startTimeOf, sessionMembers, bootId };
  return createHost({ home: join(folder, home), port: 1, environment: env, processes });
}

/** Runs a command until it is ended. Its end has the ids of its processes, the first of which leads the others. */
async function endless(home: string) {
  const pids = join(folder, `${home}.pids`);
  const command = `tail -f /dev/null & echo $$ $! > '${pids}.new' && mv '${pids}.new' '${pids}' && exec tail -f /dev/null`;
  const running = hostOf(home).runCommand({ path: folder }, { command, env, limitMs: 600_000 });
  await until('the command', () => existsSync(pids));
  return { running, pids: readFileSync(pids, 'utf8').trim().split(' ').map(Number) };
}

describe('a command of a repository', () => {
  it('that an earlier server left is ended with its processes, but not one of another data directory', async () => {
    const [left, other] = [await endless('home'), await endless('other')];
    await hostOf('home').endLeftoverCommands();
    expect(await left.running).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    expect([...left.pids, ...other.pids].map(isAlive)).toEqual([false, false, true, true]);
    await hostOf('other').endLeftoverCommands();
    await other.running;
    expect(readdirSync(join(folder, 'home/commands'))).toEqual([]);
  });

  it('that has ended is not mistaken for a later process with its pid', async () => {
    const { running, pids } = await endless('home');
    const file = join(folder, 'home/commands', `${pids[0]}.json`);
    const record = JSON.parse(readFileSync(file, 'utf8'));
    for (const changed of [{ startTime: '1' }, { boot: 'an earlier boot' }]) {
      writeFileSync(file, JSON.stringify({ ...record, ...changed }));
      await hostOf('home').endLeftoverCommands();
      expect(pids.map(isAlive)).toEqual([true, true]);
    }
    writeFileSync(file, JSON.stringify(record));
    await hostOf('home').endLeftoverCommands();
    await running;
  });

  it('is ended if its pid cannot be stored, for example on a full disk', async () => {
    const host = hostOf('home');
    writeFileSync(join(folder, 'home/commands'), '');
    const end = await host.runCommand({ path: folder }, { command: 'sleep 600', env, limitMs: 600_000 });
    expect(end).toMatchObject({ exitCode: 127, output: expect.stringContaining('ENOTDIR') });
  });
});
