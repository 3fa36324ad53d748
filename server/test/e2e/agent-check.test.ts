import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AgentCheck, AgentCheckName } from '@agent-console/shared/models/agent-check';
import { contractOf } from '@agent-console/shared/operations/table';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal, runCommand } from '../support/calling.ts';
import { CLAUDE_SCRIPT } from '../support/claude-script.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { isAlive, killServer } from './support/kill.ts';

const CLI = fileURLToPath(new URL('../../bin/agent-console.js', import.meta.url));

let c: TestConsole;

beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const NAMES: readonly AgentCheckName[] = ['program', 'version', 'login', 'start', 'tools'];

const resultsOf = ({ checks }: AgentCheck) => Object.fromEntries(checks.map(({ name, result }) => [name, result]));
const detailOf = ({ checks }: AgentCheck, name: AgentCheckName) => checks.find((each) => each.name === name)?.detail;
const check = (id: string, deep = false) => c.client.call('agents.check', { id, deep });

let counter = 0;

/** Creates an agent with this shell script as its program. Returns the agent's id. */
async function scriptAgent(script: string, kind: 'custom' | 'claude-code' = 'custom'): Promise<string> {
  counter += 1;
  const id = `script-${counter}`;
  const program = join(c.folder, id);
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  await c.client.call('agents.create', { id, name: id, kind, command: [program] });
  return id;
}

/**
 * Creates an agent whose program does not finish its start before `release` is called, and then exits. `started`
 * returns the pid of the program's newest process.
 */
async function patientAgent() {
  const place = join(c.folder, `patient-${counter + 1}`);
  const id = await scriptAgent(`echo $$ >"${place}"
while [ ! -e "${place}-on" ]; do echo "One moment"; sleep 0.2; done`);
  return {
    id,
    started: () => existsSync(place) && (Number(readFileSync(place, 'utf8')) || undefined),
    release: () => writeFileSync(`${place}-on`, ''),
  };
}

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** Returns everything that a check could leave behind: sessions, files of workers, and running processes. */
async function traces() {
  const [live, all, archived, status] = await Promise.all([
    c.client.call('sessions.list', { live: true }),
    c.client.call('sessions.list', {}),
    c.client.call('sessions.list', { archived: true }),
    c.client.call('system.status', {}),
  ]);
  return {
    sessions: [live.total, all.total, archived.total, status.counts.sessions, status.counts.liveSessions],
    workers: filesIn(join(c.home, 'workers')),
    scratch: filesIn(join(c.home, 'scratch')),
    processes: (await c.runner.status()).workersAlive,
  };
}

const NOTHING = { sessions: [0, 0, 0, 0, 0], workers: [], scratch: [], processes: 0 };

describe('checking an agent', () => {
  it('finds that it starts and accepts prompts, and leaves nothing behind', async () => {
    const found = await check('scripted', true);
    expect(found.checks.map(({ name }) => name)).toEqual(NAMES);
    expect(resultsOf(found)).toEqual({
      program: 'yes',
      version: 'skipped',
      login: 'skipped',
      start: 'yes',
      tools: 'skipped',
    });
    expect([found.agentId, found.ok]).toEqual(['scripted', true]);
    expect(await traces()).toEqual(NOTHING);
  });

  it('reports how an agent exited, with its last output', async () => {
    const id = await scriptAgent('echo "no such model"; exit 7');
    const found = await check(id);
    expect([found.ok, resultsOf(found)]).toMatchObject([false, { program: 'yes', start: 'no' }]);
    expect(detailOf(found, 'start')).toContain('exit code 7');
    expect(detailOf(found, 'start')).toContain('no such model');
  });

  it('says which program is missing, and starts nothing', async () => {
    await c.client.call('agents.create', { id: 'absent', name: 'Absent', command: ['no-such-program-here'] });
    const found = await check('absent');
    expect([found.ok, resultsOf(found)]).toMatchObject([false, { program: 'no', start: 'skipped', tools: 'skipped' }]);
    expect(detailOf(found, 'program')).toContain('no-such-program-here');
  });

  it('detects that the agent reached the tools with its own token, and that its hooks report', async () => {
    const id = await scriptAgent(CLAUDE_SCRIPT, 'claude-code');
    const found = await check(id);
    expect(found.version).toBe('2.1.330');
    expect(resultsOf(found)).toMatchObject({ start: 'yes', tools: 'yes' });
    const prompted = await check(id, true);
    expect([prompted.ok, detailOf(prompted, 'login')]).toEqual([
      false,
      'Could not send a prompt: the agent is not logged in; log in with its own program.',
    ]);
  });

  it('leaves nothing behind when the server dies meanwhile', async () => {
    const id = await scriptAgent('echo $$ >"$HOME/cut-off"; echo hello; exec sleep 600');
    const call = check(id).catch(() => undefined);
    const file = join(c.env.HOME ?? '', 'cut-off');
    const pid = await c.until('its process', async () => existsSync(file) && Number(readFileSync(file, 'utf8')));
    await killServer(c);
    await c.until('its end', async () => !isAlive(pid));
    await call;
    await c.until('an empty console', async () => JSON.stringify(await traces()) === JSON.stringify(NOTHING));
  });

  it('leaves nothing behind when the server dies between the end of its agent and the removal of its rows', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    await c.client.call('sessions.stop', { sessionId });
    await c.runner.stopServer();
    const database = new LibSql(join(c.home, 'console.db'));
    const sql =
      'select (select count(*) from sessions where id = ?) + (select count(*) from workers where id = ?) as n';
    const count = () => (database.prepare(sql).get(sessionId, workerId) as { n: number }).n;
    const cwd = join(realpathSync(c.home), 'scratch', 'place-x', 'work');
    database.prepare("update sessions set removedAt = '2026-01-01', cwd = ? where id = ?").run(cwd, sessionId);
    const before = count();
    await c.serve();
    expect([before, count()]).toEqual([2, 0]);
    database.close();
    expect(await traces()).toEqual(NOTHING);
  });

  it('leaves nothing behind when the server is stopped meanwhile, even before the next one starts', async () => {
    const { id, started } = await patientAgent();
    const call = check(id).catch(() => undefined);
    const pid = await c.until('its process', async () => started());
    await c.runner.stopServer();
    expect(isAlive(pid)).toBe(false);
    await c.serve();
    await call;
    expect(await traces()).toEqual(NOTHING);
  });

  it('ends the process that answers its prompt when the server is stopped meanwhile', async () => {
    await c.serve({ env: { ANTHROPIC_API_KEY: 'none' } });
    const file = join(c.env.HOME ?? '', 'prompted-pid');
    const script = `case "$1" in -p) echo $$ >"${file}"; exec sleep 600;; esac; exit 3`;
    const call = check(await scriptAgent(script, 'claude-code'), true).catch(() => undefined);
    const pid = await c.until('its prompt', async () => existsSync(file) && Number(readFileSync(file, 'utf8')));
    await c.runner.stopServer();
    expect([isAlive(pid), filesIn(join(c.home, 'scratch'))]).toEqual([false, []]);
    await c.serve();
    await call;
    expect(await traces()).toEqual(NOTHING);
  });

  it('is refused while two other agents are being checked', async () => {
    const [one, other] = [await patientAgent(), await patientAgent()];
    const answers = [check(one.id), check(other.id)];
    await c.until('both', async () => one.started() && other.started());
    expect((await refusal(check('scripted'))).code).toBe('BUSY');
    for (const each of [one, other]) each.release();
    expect((await Promise.all(answers)).map(({ agentId }) => agentId)).toEqual([one.id, other.id]);
    expect((await check('scripted')).ok).toBe(true);
  });

  it('continues when its caller disconnects, and returns the result to the next caller', async () => {
    const { id, started, release } = await patientAgent();
    const caller = new AbortController();
    const { lastEventSeq } = await c.client.call('system.status', {});
    const call = fetch(`${c.baseUrl}/api/agents/${id}/check`, { method: 'POST', signal: caller.signal });
    const pid = await c.until('its process', async () => started());
    caller.abort();
    await expect(call).rejects.toThrow('abort');
    // The server responds to this call only after it has noticed that the caller of the check has disconnected.
    await c.client.call('system.status', {});
    release();
    await c.events(lastEventSeq, (event) => event.type === 'agent.checked');
    const found = await check(id);
    expect([found.complete, resultsOf(found).start, started()]).toEqual([true, 'no', pid]);
    // The check above has returned its result, so this call starts a new check.
    await check(id);
    expect(started()).not.toBe(pid);
  });

  it('never answers for a definition that was changed meanwhile', async () => {
    const { id, started, release } = await patientAgent();
    const caller = new AbortController();
    const { lastEventSeq } = await c.client.call('system.status', {});
    const call = fetch(`${c.baseUrl}/api/agents/${id}/check`, { method: 'POST', signal: caller.signal });
    await c.until('its process', async () => started());
    caller.abort();
    await expect(call).rejects.toThrow('abort');
    await c.client.call('system.status', {});
    await c.client.call('agents.update', { id, command: ['no-such-program-here'] });
    expect(await refusal(check(id))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('definition was changed'),
    });
    release();
    await c.events(lastEventSeq, (event) => event.type === 'agent.checked');
    expect(detailOf(await check(id), 'program')).toContain('no-such-program-here');
  });

  it('with a prompt also answers a call for a check without one', async () => {
    const { id, started, release } = await patientAgent();
    const deep = check(id, true);
    await c.until('its process', async () => started());
    const plain = check(id);
    release();
    expect(await plain).toEqual(await deep);
  });

  it.runIf(process.env.LONG)(
    'that takes long returns partial results, and the complete result to the next call',
    {
      timeout: 120_000,
    },
    async () => {
      const { id, started, release } = await patientAgent();
      const first = await check(id);
      expect([first.complete, first.ok, resultsOf(first)]).toMatchObject([
        false,
        false,
        { program: 'yes', start: 'unknown', tools: 'skipped' },
      ]);
      expect(detailOf(first, 'start')).toMatch(/check again.*One moment/s);
      const pid = started();
      release();
      const second = await check(id);
      expect([second.complete, resultsOf(second).start, started()]).toEqual([true, 'no', pid]);
    },
  );

  it('is also a command, and allowed only for the owner', async () => {
    const found = (await runCommand(c, contractOf('agents.check'), { id: 'scripted' })) as AgentCheck;
    expect([found.agentId, found.ok]).toEqual(['scripted', true]);
    const { token } = await c.client.call('tokens.create', { name: 'no owner', scopes: ['read', 'write'] });
    await expect(runCommand(c, contractOf('agents.check'), { id: 'scripted' }, token)).rejects.toThrow('owner');
  });
});

describe('checking an agent whose screen does not show its activity, and that ignores signals', () => {
  const WORDS = 'Welcome to a tool whose words are long enough for several lines of a terminal';
  const SCRIPT = `trap "" TERM HUP INT
echo "${WORDS}"
echo $$ >>"$HOME/started"
while :; do read -r line && echo "$line" >>"$HOME/prompted" || sleep 1; done`;
  let id: string;
  let seen: {
    found: AgentCheck;
    printed: string;
    exitCode: number;
    otherDepth: string;
    sessions: number[];
    firstEvent: number;
  };

  const inHome = (name: string) => join(c.env.HOME ?? '', name);
  const started = () =>
    existsSync(inHome('started')) ? readFileSync(inHome('started'), 'utf8').trim().split('\n').map(Number) : [];

  beforeAll(async () => {
    const { lastEventSeq } = await c.client.call('system.status', {});
    id = await scriptAgent(SCRIPT);
    const first = check(id);
    await c.until('its start', async () => started().length > 0);
    // The check finds that the agent does not work, so the command exits with 1.
    const second = promisify(execFile)(process.execPath, [CLI, 'agents', 'check', id], { env: c.env }).then(
      () => expect.unreachable(),
      (failed: { code: number; stdout: string }) => failed,
    );
    const otherDepth = (await refusal(check(id, true))).code;
    const { sessions } = await traces();
    const [found, { stdout: printed, code: exitCode }] = await Promise.all([first, second]);
    seen = { found, printed, exitCode, otherDepth, sessions, firstEvent: lastEventSeq };
  });

  it('reports its start as unknown, with its screen', () => {
    const { found } = seen;
    expect([found.ok, resultsOf(found)]).toMatchObject([false, { start: 'unknown' }]);
    expect(detailOf(found, 'start')).toContain(WORDS);
  });

  it('sends no prompt unless requested', () => {
    expect(existsSync(inHome('prompted'))).toBe(false);
  });

  it('is done once for two concurrent calls, and refused for one with another depth', () => {
    expect(seen.otherDepth).toBe('CONFLICT');
    expect(started()).toHaveLength(1);
  });

  it('ends the agent and leaves nothing behind', async () => {
    expect(started().filter(isAlive)).toEqual([]);
    expect(await traces()).toEqual(NOTHING);
  });

  it('shows no session meanwhile, and its events only show that an agent was checked', async () => {
    expect(seen.sessions).toEqual([0, 0, 0, 0, 0]);
    const events = await c.events(seen.firstEvent, (event) => event.type === 'agent.checked');
    expect(events.map(({ type }) => type)).toEqual([
      'agent.created',
      'worker.started',
      'worker.exited',
      'agent.checked',
    ]);
    expect(events.every(({ data }) => data.sessionId === undefined)).toBe(true);
    expect(events.at(-1)).toMatchObject({ subject: { kind: 'agent', id }, data: { ok: false } });
  });

  it('is printed as a table without truncated text', () => {
    const { printed, exitCode } = seen;
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^Agent +script-\d+$/m);
    expect(printed).toMatch(/^program\tyes\t\//m);
    expect(printed).toMatch(/^start\tunknown\tThe agent's activity/m);
    expect(printed.replace(/\s+/g, ' ')).toContain(WORDS);
    expect(printed).not.toContain('…');
  });
});
