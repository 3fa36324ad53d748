import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@agent-console/shared/errors';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeOf } from '../../src/config.ts';
import { examine } from '../../src/surfaces/cli/doctor/doctor.ts';
import type { Finding } from '../../src/surfaces/cli/doctor/finding.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { smallDisk } from '../support/disk.ts';

const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));
const CLI = fileURLToPath(new URL('../../bin/agent-console.js', import.meta.url));
/** With port 0, the system chooses a port that no other program uses. */
const ANY_PORT = { PORT: '0' };

/** Runs the checks of doctor in this process, and returns the findings. */
async function doctor(c: TestConsole, more: Record<string, string> = {}) {
  const env = { ...c.env, ...ANY_PORT, ...more };
  return examined(await examine({ env, home: homeOf(env), programs: PROGRAMS }));
}

/** Runs the command `doctor`, and returns its findings and exit status. */
function doctorCommand(c: TestConsole) {
  const env = { ...c.env, ...ANY_PORT };
  const { status, stdout } = spawnSync(process.execPath, [CLI, 'doctor', '--json'], { env, encoding: 'utf8' });
  return { status, ...examined(JSON.parse(stdout) as Finding[]) };
}

function examined(findings: Finding[]) {
  return {
    findings,
    of: (check: string) => findings.filter((one) => one.check === check),
    problems: findings.filter(({ result }) => result === 'problem'),
  };
}

/** Sets a name and an email address for commits in the temporary HOME. */
function introduce(c: TestConsole): void {
  writeFileSync(join(c.env.HOME ?? '', '.gitconfig'), '[user]\n\tname = Tester\n\temail = tester@example.com\n');
}

describe('doctor, while the console is running', () => {
  let c: TestConsole;
  beforeAll(async () => {
    c = await startConsole();
  });
  afterAll(() => c.close());

  it('reports a missing git identity until there is one', async () => {
    rmSync(join(c.env.HOME ?? '', '.gitconfig'));
    const before = doctorCommand(c);
    expect(before.status).toBe(1);
    expect(before.of('repository shop')).toMatchObject([
      { result: 'problem', mend: expect.stringContaining('user.email') },
    ]);
    introduce(c);
    const after = await doctor(c);
    expect(after.of('repository shop')).toEqual([]);
    expect(after.of('git identity')).toMatchObject([{ result: 'ok' }]);
  });

  it('finds no problem while agents work', async () => {
    await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@say hello',
      branch: 'healthy',
    });
    const { status, problems, findings, of } = doctorCommand(c);
    expect(problems).toEqual([]);
    expect(status).toBe(0);
    for (const check of ['node', 'git', 'build', 'HOME', 'callers', 'open files', 'terminals'])
      expect(of(check), check).toMatchObject([{ result: 'ok' }]);
    for (const check of ['data directory', 'logs', 'database', 'server', 'worktrees'])
      expect(of(check), check).toMatchObject([{ result: 'ok' }]);
    // The test starts the runner without a version, so `doctor` notes that the version differs.
    expect(of('runner')).toMatchObject([{ result: 'note', detail: expect.stringMatching(/[1-9] workers running/) }]);
    expect(of('disk')).toHaveLength(1);
    expect(of('agents')).toMatchObject([{ detail: expect.stringContaining('scripted') }]);
    expect(findings.every(({ result, mend }) => result !== 'problem' || mend !== null)).toBe(true);
  });

  it('notes prunable worktrees with their size, but none with a live session', async () => {
    const { worktree } = await c.client.call('worktrees.create', {
      repositoryId: c.repository.id,
      mode: 'custom',
      branch: 'unused',
      wait: true,
    });
    await c.client.call('worktrees.get', { worktreeId: worktree?.id ?? '' });
    const { of } = await doctor(c);
    const detail = expect.stringMatching(new RegExp(`^1 worktree can be removed \\([\\d.]+ kB\\): ${worktree?.name}$`));
    expect(of('repository shop')).toEqual([
      { check: 'repository shop', result: 'note', detail, mend: expect.stringContaining('agent-console prune') },
    ]);
    await c.client.call('worktrees.remove', { worktreeId: worktree?.id ?? '' });
    expect((await doctor(c)).of('repository shop')).toEqual([]);
  });

  it('prints findings as lines', () => {
    const { stdout, status } = spawnSync(process.execPath, [CLI, 'doctor'], {
      env: { ...c.env, ...ANY_PORT },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok +database +intact; .+ events in the last hour$/m);
    expect(stdout).toContain('No problems found.');
  });

  it('names files and directories that others can read', async () => {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@say hello',
      branch: 'secrets',
    });
    const token = join('workers', made.workerId, 'process', 'token');
    for (const name of ['server.json', 'console.db', token]) {
      const path = join(c.home, name);
      const { mode } = statSync(path);
      chmodSync(path, 0o644);
      const { of } = await doctor(c);
      expect(of('data directory'), name).toMatchObject([
        { result: 'problem', detail: expect.stringContaining(name), mend: expect.stringContaining('chmod go-rwx') },
      ]);
      chmodSync(path, mode & 0o777);
    }
    chmodSync(c.home, 0o755);
    const [open] = (await doctor(c)).of('data directory');
    expect(open).toMatchObject({ result: 'problem', detail: expect.stringMatching(/^readable by other users: /) });
    // After the suggested command has run, doctor finds no problem.
    spawnSync('sh', ['-c', open?.mend ?? 'false']);
    expect((await doctor(c)).of('data directory')).toMatchObject([{ result: 'ok' }]);
  });

  it('compares worktrees and branches with git without changing them', async () => {
    const make = (branch: string) =>
      c.client.call('delegations.create', {
        repositoryId: c.repository.id,
        agentId: 'scripted',
        prompt: '@say hello',
        branch,
      });
    const [gone, lost] = [await make('folder-gone'), await make('both-gone')];
    for (const { sessionId } of [gone, lost]) {
      await c.client.call('sessions.wait', { sessionId });
      await c.client.call('sessions.stop', { sessionId });
    }
    rmSync(gone.worktreePath, { recursive: true });
    rmSync(lost.worktreePath, { recursive: true });
    c.git(['worktree', 'prune']);
    c.git(['branch', '-D', 'both-gone']);
    const ours = dirname(gone.worktreePath);
    c.git(['worktree', 'add', '--quiet', '-b', 'by-hand', join(ours, 'by-hand')]);
    mkdirSync(join(ours, 'stray'));

    const { of } = await doctor(c);
    const said = of('repository shop');
    const about = (path: string) => said.filter(({ detail }) => detail.includes(path));
    expect(about(gone.worktreePath)).toMatchObject([
      { result: 'note', detail: expect.stringMatching(/directory is gone/) },
    ]);
    expect(about(lost.worktreePath)).toMatchObject([
      { result: 'problem', detail: expect.stringContaining('both-gone'), mend: expect.stringContaining('reflog') },
    ]);
    expect(about(join(ours, 'by-hand'))).toMatchObject([
      { result: 'note', mend: expect.stringContaining('worktree remove') },
    ]);
    expect(about(join(ours, 'stray'))).toMatchObject([{ result: 'note' }]);
    for (const name of ['by-hand', 'stray']) expect(statSync(join(ours, name)).isDirectory()).toBe(true);
  });

  it('reports nothing else about a repository that git cannot read', async () => {
    const head = join(c.repository.path, '.git', 'HEAD');
    renameSync(head, `${head}.away`);
    const { of } = await doctor(c);
    renameSync(`${head}.away`, head);
    expect(of('repository shop')).toMatchObject([
      {
        result: 'problem',
        detail: expect.stringContaining('git cannot read'),
        mend: expect.stringContaining('git -C'),
      },
    ]);
  });

  it('names a repository that was moved', async () => {
    renameSync(c.repository.path, `${c.repository.path}-moved`);
    const { of } = await doctor(c);
    renameSync(`${c.repository.path}-moved`, c.repository.path);
    expect(of('repository shop')).toMatchObject([
      {
        result: 'problem',
        detail: expect.stringContaining(`${c.repository.path} is missing`),
        mend: expect.stringMatching(/worktrees remove <id> --force .* repositories remove <id>/),
      },
    ]);
  });

  it('detects that server.json names another process', async () => {
    const file = join(c.home, 'server.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"pid":\d+/, `"pid":${process.pid}`));
    const { of } = await doctor(c);
    writeFileSync(file, text);
    expect(of('server.json')).toMatchObject([
      { result: 'problem', detail: expect.stringContaining(String(process.pid)) },
    ]);
  });

  it('reports a missing git and continues with the other checks', async () => {
    const empty = join(c.folder, 'empty');
    mkdirSync(empty);
    const { of } = await doctor(c, { PATH: empty });
    expect(of('git')).toMatchObject([{ result: 'problem', mend: expect.stringContaining('Install git') }]);
    expect(of('database')).toMatchObject([{ result: 'ok' }]);
  });
});

describe('doctor, while the console is stopped', () => {
  let c: TestConsole;
  const database = () => join(c.home, 'console.db');
  beforeAll(async () => {
    c = await startConsole();
  });
  afterAll(() => c.close());

  it('finds workers recorded as running without a process', async () => {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@sleep 600000',
    });
    const worker = await c.client.call('workers.get', { workerId: made.workerId });
    await c.runner.stopServer();
    // Kills the agent while no server is running that could record its end.
    process.kill(worker.pid ?? 0, 'SIGKILL');
    await c.until('the end of the agent', async () => (await c.runner.status()).workersAlive === 0);
    const { of } = await doctor(c);
    expect(of('workers')).toMatchObject([
      { result: 'problem', detail: expect.stringContaining(made.workerId), mend: expect.stringContaining('serve') },
    ]);
    expect(of('server')).toMatchObject([{ result: 'note', mend: 'Run `agent-console serve`.' }]);
    await c.serve();
    await c.until('the end in the records', async () => {
      const { state } = await c.client.call('workers.get', { workerId: made.workerId });
      return state === 'exited' || state === 'lost';
    });
    expect((await doctor(c)).of('workers')).toEqual([]);
  });

  it('reports a port in use and an invalid setting', async () => {
    await c.runner.stopServer();
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const taken = await doctor(c, { PORT: String(port) });
    holder.close();
    expect(taken.of('port')).toMatchObject([
      { result: 'problem', detail: expect.stringContaining(String(port)), mend: expect.stringContaining('--port') },
    ]);
    expect((await doctor(c, { PORT: 'many' })).of('settings')).toMatchObject([{ result: 'problem' }]);
    expect((await doctor(c)).of('port')).toEqual([]);
  });

  it('notes what a crash left over', async () => {
    await c.serve();
    const { pid } = await c.runner.status();
    const server = c.serverPid();
    for (const each of [pid, server]) process.kill(each, 'SIGKILL');
    const { of, problems } = await c.until('the end of both', async () => {
      const look = await doctor(c);
      return look.of('runner').some(({ detail }) => detail.includes('left over')) && look;
    });
    expect(of('runner')).toMatchObject([
      { result: 'note', detail: expect.stringMatching(/server\.json.*runner\.json/) },
    ]);
    expect(problems).toEqual([]);
  });

  it('notes that the clock was set back', async () => {
    const db = new LibSql(database());
    db.prepare(`update events set at = '2999-01-01T00:00:00.000Z' where seq = (select max(seq) from events)`).run();
    db.close();
    expect((await doctor(c)).of('clock')).toMatchObject([{ result: 'note', detail: expect.stringContaining('2999') }]);
  });

  it('and serve refuse the database of a newer version', async () => {
    const change = (statement: string) => {
      const db = new LibSql(database());
      db.prepare(statement).run();
      db.close();
    };
    change(`insert into __drizzle_migrations (hash, created_at) values ('newer', 32503680000000)`);
    expect((await doctor(c)).of('database')).toMatchObject([
      { result: 'problem', detail: expect.stringContaining('newer version'), mend: expect.stringContaining('version') },
    ]);
    const serve = spawnSync(process.execPath, [CLI, 'serve', '--detach'], { env: { ...c.env, ...ANY_PORT } });
    expect(serve.stderr.toString()).toContain('UNSUPPORTED');
    expect(serve.stderr.toString()).toContain('newer version of Agent Console');
    expect(serve.status).toBe(ERRORS.UNSUPPORTED.exit);
    change(`delete from __drizzle_migrations where hash = 'newer'`);
    expect((await doctor(c)).of('database')).toMatchObject([{ result: 'ok' }]);
  });

  it('reads the database without changing it, and detects damage', async () => {
    const db = new LibSql(database());
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const before = readFileSync(database());
    expect((await doctor(c)).of('database')).toMatchObject([{ result: 'ok' }]);
    expect(readFileSync(database()).equals(before)).toBe(true);

    const file = openSync(database(), 'r+');
    for (let at = 4_096; at < before.length; at += 4_096) writeSync(file, Buffer.alloc(512, 0x5a), 0, 512, at);
    closeSync(file);
    const torn = await doctor(c);
    expect(torn.of('database')).toMatchObject([
      {
        result: 'problem',
        detail: expect.stringContaining('damaged'),
        mend: expect.stringMatching(/\.recover.*delete console\.db, console\.db-wal and console\.db-shm/),
      },
    ]);
    writeFileSync(database(), 'this is no database, and it is longer than the sixteen bytes of a header\n'.repeat(99));
    expect((await doctor(c)).of('database')).toMatchObject([{ result: 'problem' }]);
  });

  it('names missing programs', async () => {
    const findings = await examine({ env: { ...c.env, ...ANY_PORT }, home: c.home, programs: c.folder });
    expect(examined(findings).of('build')).toMatchObject([
      { result: 'problem', mend: expect.stringContaining('npm run build') },
    ]);
  });

  it('notes a missing data directory, and reports a file in its place', async () => {
    const home = join(c.folder, 'nowhere');
    expect((await doctor(c, { AGENT_CONSOLE_HOME: home })).of('data directory')).toMatchObject([{ result: 'note' }]);
    writeFileSync(home, '');
    expect((await doctor(c, { AGENT_CONSOLE_HOME: home })).of('data directory')).toMatchObject([{ result: 'problem' }]);
  });

  it('reports a full disk', async (test) => {
    const disk = smallDisk(20);
    if (disk === undefined) {
      console.warn('SKIPPED: a small disk can only be mounted by root');
      return test.skip();
    }
    chmodSync(disk.folder, 0o700);
    const { of } = await doctor(c, { AGENT_CONSOLE_HOME: disk.folder });
    disk.unmount();
    expect(of('disk')).toMatchObject([
      { result: 'problem', detail: expect.stringMatching(/MB free/), mend: expect.stringContaining('Free some space') },
    ]);
  });
});
