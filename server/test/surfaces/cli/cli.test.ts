import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { headingOf } from '../../../src/surfaces/cli/printing/cells.ts';
import { toTable } from '../../../src/surfaces/cli/printing/table.ts';
import { runInProcess } from '../../support/cli.ts';
import { createTestGate, SESSION, startServer, WORKER } from '../http/harness.ts';
import { openPrograms, type Programs } from './programs.ts';

let programs: Programs;
let folder: string;
beforeAll(async () => {
  programs = await openPrograms();
  folder = programs.folder;
});
afterAll(() => programs.remove());
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess(args, {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    AGENT_CONSOLE_HOME: join(folder, 'home'),
    ...env,
  });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function start(answers: Parameters<typeof createTestGate>[0]) {
  const gate = createTestGate(answers);
  const server = await startServer({ gate });
  closers.push(() => server.close());
  return { gate, server, at: ['--url', server.url] };
}

const task = (id: string, summary: string) => ({
  id,
  sessionId: SESSION,
  kind: 'prompt',
  status: summary,
  outcomeSource: null,
  prompt: 'Fix the login',
  createdAt: new Date(Date.now() - 120_000).toISOString(),
  endedAt: null,
  waitingFor: null,
});

describe('a command that starts a job', () => {
  it('shows what the job is doing without a long wait, although stderr is no terminal', async () => {
    const ends = [{ state: 'running', progress: { fraction: 0.5, phase: 'committing with hooks' } }];
    const { at, gate } = await start({
      'worktrees.commit': () => ({ jobId: SESSION }),
      'jobs.get': () => ends.shift() ?? { state: 'succeeded', progress: { fraction: 1, phase: 'done' }, result: {} },
    });
    const { code, err } = await run(['commit', WORKER, '--message', 'Fix', ...at]);
    expect({ code, err }).toEqual({ code: 0, err: 'committing with hooks…\n' });
    const waits = gate.calls.filter(({ name }) => name === 'jobs.get').map(({ input }) => input);
    expect(waits).toEqual(Array(2).fill({ jobId: SESSION, waitSeconds: 1 }));
  });

  it('asks rarely for an agent, whose every call is audited, and for scripts, which see no progress', async () => {
    const running = Array.from({ length: 7 }, () => ({
      state: 'running',
      progress: { fraction: 0, phase: 'testing' },
    }));
    const { at, gate } = await start({
      'worktrees.check': () => ({ jobId: SESSION }),
      'jobs.get': () => running.pop() ?? { state: 'succeeded', progress: { fraction: 1, phase: 'done' }, result: {} },
    });
    const waitsOf = async (args: readonly string[], env: Record<string, string>) => {
      const from = gate.calls.length;
      await run(['check', WORKER, ...args, ...at], env);
      return gate.calls.slice(from).flatMap(({ name, input }) => (name === 'jobs.get' ? [input] : []));
    };
    const after = (...seconds: number[]) => seconds.map((waitSeconds) => ({ jobId: SESSION, waitSeconds }));
    expect(await waitsOf([], { AGENT_CONSOLE_WORKER_ID: WORKER })).toEqual(after(1, 2, 4, 8, 16, 32, 44, 44));
    expect(await waitsOf(['--json'], {})).toEqual(after(44));
  });
});

describe('a command', () => {
  it('prints rows as a table without control characters, as wide as COLUMNS, and the total', async () => {
    const { at } = await start({
      'tasks.list': () => ({
        total: 9,
        limit: 2,
        skip: 0,
        data: [task(SESSION, `run\u001b[31mning ${'x'.repeat(300)}`), task(WORKER, 'queued')],
      }),
    });
    const { code, out } = await run(['tasks', 'list', ...at], { COLUMNS: '100' });
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +SESSION +STATUS +PROMPT +AGE$/);
    expect(lines[1]).toContain(SESSION.slice(0, 18));
    expect(out).not.toContain(SESSION);
    expect(out).not.toContain('\u001b');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(lines.at(-1)).toBe('Showing 2 of 9 results. Use --skip and --limit for more.');
    // Output to a pipe is not shortened, unlike output to a terminal.
    expect((await run(['tasks', 'list', ...at])).out).toContain('x'.repeat(300));
  });

  it('lists sessions by name, with their activity, outcome and age, and whether they need a person', async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 1_000).toISOString();
    const agent = (activityState: string) => ({
      type: 'agent',
      state: 'running',
      activityState,
      activitySince: minutesAgo(3),
      activitySource: 'hook',
      confidence: 'certain',
    });
    const session = (title: string, status: string | null, ref: string | null, minutes: number, asks = false) => ({
      id: SESSION,
      title,
      status: 'idle',
      task:
        status === null
          ? null
          : { id: WORKER, status, endedAt: asks ? null : minutesAgo(1), waitingFor: asks ? 'answer' : null },
      agentId: 'claude-code',
      repositoryId: ref === null ? null : WORKER,
      gitState: ref === null ? null : { ref },
      cwd: '/home/ci/notes',
      workers: [agent(asks ? 'asking' : 'idle')],
      createdAt: minutesAgo(minutes),
    });
    const page = {
      total: 4,
      limit: 50,
      skip: 0,
      data: [
        session('Fix the login', 'failed', 'ac/fix-login', 120),
        session('', 'completed', 'ac/add-tests', 2_900),
        session('Ask', 'awaiting_input', 'ac/ask', 5, true),
        session('', null, null, 1),
      ],
    };
    const { at, gate } = await start({
      'sessions.list': () => page,
      'names.list': () => ({ names: [{ kind: 'repository', id: WORKER, title: 'shop' }] }),
    });
    const cellsOf = (out: string) =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    const id = SESSION.slice(0, 18);
    expect(cellsOf((await run(['sessions', 'list', ...at])).out)).toEqual([
      ['ID', 'TITLE', 'REPOSITORY', 'BRANCH', 'STATE', 'OUTCOME', 'AGENT', 'AGE', 'NEEDS YOU'],
      [id, 'Fix the login', 'shop', 'ac/fix-login', 'failed', 'failed', 'claude-code', '2h', '-'],
      [id, 'ac/add-tests', 'shop', 'ac/add-tests', 'done', 'completed', 'claude-code', '2d', '-'],
      [id, 'Ask', 'shop', 'ac/ask', 'asks', '-', 'claude-code', '5m', '3m'],
      [id, 'notes', '-', '-', 'idle', '-', 'claude-code', '1m', '-'],
    ]);
    expect(gate.calls.filter(({ name }) => name === 'names.list')).toHaveLength(1);
    const wide = cellsOf((await run(['sessions', 'list', '-o', 'wide', ...at])).out);
    expect(wide[0]?.slice(-3)).toEqual(['SOURCE', 'QUEUED', 'FOLDER']);
    expect(wide[1]).toEqual(expect.arrayContaining([SESSION, '/home/ci/notes']));
    const created = wide[1]?.find((cell) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(cell)) ?? '';
    const seconds = (time: number) => Math.floor(time / 1_000);
    // The command prints local times, and `Date.parse` reads a time without a time zone as local.
    expect(seconds(Date.parse(created.replace(' ', 'T')))).toBe(seconds(Date.parse(page.data[0]?.createdAt ?? '')));
    for (const json of [['--json'], ['-o', 'json'], ['--output=json']]) {
      expect(JSON.parse((await run(['sessions', 'list', ...json, ...at])).out)).toEqual(page);
    }
    expect((await run(['sessions', 'list', '-o', 'yaml', ...at])).out).toMatch(/^total: 4\nlimit: 50\n/);
    expect(await run(['sessions', 'list', '-o', 'xml', ...at])).toMatchObject({
      code: ERRORS.VALIDATION.exit,
      err: expect.stringContaining('table, wide, json, yaml'),
    });
  });

  it('has words, not field names, as column headings', () => {
    const words = { agentId: 'AGENT', outcomeSource: 'OUTCOME SOURCE', 'session.title': 'TITLE', createdAt: 'CREATED' };
    const others = { id: 'ID', 'subject.id': 'SUBJECT', 'parts.0.text': 'TEXT', at: 'AT' };
    for (const [column, heading] of Object.entries({ ...words, ...others })) expect(headingOf(column)).toBe(heading);
    for (const { cli } of CONTRACTS) {
      const headings = (cli?.columns ?? []).map(headingOf);
      expect(new Set(headings).size, cli?.command).toBe(headings.length);
      for (const heading of headings) expect(heading).toMatch(/^[A-Z]+(?:[ -][A-Z]+)*$/);
    }
  });

  it('shrinks the longest columns for a narrow terminal, but never ids', () => {
    const row = { id: SESSION, title: 'x'.repeat(90), text: 'y'.repeat(300_000) };
    const [head, line] = toTable(['id', 'title', 'text'], [row], { screen: { width: 80, hasColor: false } }).split(
      '\n',
    );
    expect(head).toMatch(/^ID +TITLE +TEXT$/);
    expect(line).toMatch(new RegExp(`^${SESSION.slice(0, 18)}  x{20,}…  y{20,}…$`));
    expect(line?.length).toBeLessThanOrEqual(80);
    const narrow = toTable(['id', 'title', 'text'], [row], { screen: { width: 30, hasColor: false } }).split('\n')[1];
    expect(narrow).toContain(`${SESSION.slice(0, 18)} `);
  });

  it('separates the columns of every table by tabs in a pipe, without padding and cuts', async () => {
    const prompts = ['short', 'x'.repeat(2_000)];
    const data = prompts.map((prompt) => ({ ...task(SESSION, 'queued'), prompt }));
    const { at } = await start({ 'tasks.list': () => ({ total: 2, limit: 50, skip: 0, data }) });
    const [head, ...lines] = (await run(['tasks', 'list', ...at])).out.trimEnd().split('\n');
    const cells = lines.map((line) => line.split('\t'));
    for (const row of cells) expect(row).toHaveLength(head?.split('\t').length ?? 0);
    expect(`${head}${lines[0]}`).not.toContain('  ');
    expect(cells.map((row) => row.find((cell) => prompts.includes(cell)))).toEqual(prompts);
    const options = { screen: { width: Number.POSITIVE_INFINITY, hasColor: false }, wide: true };
    expect(toTable(['id', 'text'], [{ id: SESSION, text: 'a\tb' }], options)).toBe(`ID\tTEXT\n${SESSION}\ta b`);
  });

  it('prints JSON for scripts, with --json before or after the command', async () => {
    const page = { total: 1, limit: 50, skip: 0, data: [task(SESSION, 'queued \u009b31m')] };
    const { at } = await start({ 'tasks.list': () => page });
    for (const args of [
      ['tasks', 'list', '--json', ...at],
      ['--json', ...at, 'tasks', 'list'],
    ]) {
      const { out } = await run(args);
      expect(JSON.parse(out)).toEqual(page);
      expect(out).not.toContain('\u009b');
    }
  });

  it('parses arguments, options, repeated options, switches and numbers by the schema', async () => {
    const { gate, at } = await start({
      'sessions.report': () => ({}),
      'agents.create': () => ({}),
      'delegations.create': () => ({}),
      'sessions.list': () => ({ total: 0, limit: 5, skip: 2, data: [] }),
      'tasks.move': () => ({}),
      'repositories.create': () => ({}),
    });
    const lines = [
      [
        'sessions',
        'report',
        'succeeded',
        'all done',
        '--session-id',
        SESSION,
        '--artifacts',
        'a.txt',
        '--artifacts',
        'b.txt',
        ...at,
      ],
      ['agents', 'create', 'mine', '--name', 'Mine', '--command', 'my-agent', '--command=--fast', ...at],
      ['delegate', 'fix it', '--repository-id', SESSION, '--no-notify-on-completion', '--use-remote', ...at],
      ['sessions', 'list', '--limit', '5', '--skip', '2', '--no-live', ...at],
      ['tasks', 'move', SESSION, '--after', 'null', '--expected-version', '3', ...at],
      [...at, 'repositories', 'create', '--url', 'https://example.com/a.git'],
    ];
    for (const line of lines) expect((await run(line)).err).toBe('');
    expect(gate.calls.map(({ input }) => input)).toEqual([
      { sessionId: SESSION, outcome: 'succeeded', summary: 'all done', artifacts: ['a.txt', 'b.txt'] },
      {
        id: 'mine',
        name: 'Mine',
        command: ['my-agent', '--fast'],
        env: [],
        driver: 'pty',
        kind: 'custom',
        queueWhenUnknown: 'hold',
      },
      { prompt: 'fix it', repositoryId: SESSION, notifyOnCompletion: false, useRemote: true },
      { limit: 5, skip: 2, live: false, archived: false },
      { taskId: SESSION, after: null, expectedVersion: 3 },
      { url: 'https://example.com/a.git' },
    ]);
  });

  it('reads a long prompt from stdin', async () => {
    const { gate, at } = await start({ 'sessions.prompt': () => ({ taskId: 't', sessionId: SESSION }) });
    const prompt = `first line\n${'more '.repeat(5_000)}end`;
    expect((await programs.run(['sessions', 'prompt', SESSION, '-', ...at], {}, `${prompt}\n`)).code).toBe(0);
    expect(gate.calls[0]?.input).toMatchObject({ prompt });
  });

  it('exits with the status of the error and prints its message', async () => {
    const { at } = await start({
      'system.status': () => {
        throw new ConsoleError('LIMIT_EXCEEDED', 'Too many sessions; end one.', { limit: 50 });
      },
    });
    const plain = await run(['status', ...at]);
    expect(plain).toEqual({
      code: ERRORS.LIMIT_EXCEEDED.exit,
      out: '',
      err: 'LIMIT_EXCEEDED: Too many sessions; end one.\n',
    });
    const json = await run(['status', '--json', ...at]);
    expect(JSON.parse(json.err).error.details).toEqual({ limit: 50 });
    const wrong = [['sessions', 'lst'], ['sessions', 'list', '--colour', 'red'], ['tasks', 'get'], ['nothing']];
    for (const args of wrong) expect((await run([...args])).code, args.join(' ')).toBe(ERRORS.VALIDATION.exit);
    const help = await programs.run(['--help']);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('serve') });
  });
});

describe('finding the console', () => {
  it('uses server.json when no console is named', async () => {
    const { server } = await start({ 'system.status': () => ({ version: 'found' }) });
    const home = join(folder, 'known-home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'server.json'), JSON.stringify({ port: server.port, pid: 1, version: '1' }));
    expect((await run(['status'], { AGENT_CONSOLE_HOME: home })).out).toContain('found');
    expect((await run(['status'], { AGENT_CONSOLE_BASE_URL: server.url })).out).toContain('found');
  });

  it('reports at once how to start one if none runs, and refuses an address that is not a URL', async () => {
    const none = await run(['status']);
    expect(none.code).toBe(ERRORS.RUNNER_UNAVAILABLE.exit);
    expect(none.err).toContain('agent-console serve');
    const refused = await run(['status', '--url', `http://127.0.0.1:${await freePort()}`]);
    expect(refused.err).toContain('agent-console serve');
    expect(refused.code).toBe(ERRORS.RUNNER_UNAVAILABLE.exit);
    // In a clone, the program is not on PATH, so a command started by npx or npm suggests npx.
    const byNpx = await run(['status'], { npm_config_user_agent: 'npm/10.8.2 node/v20.20.2 linux x64' });
    expect(byNpx.err).toContain('`npx agent-console serve`');
    expect(none.err).toContain('`agent-console serve`');
    expect((await run(['status', '--url', 'ftp://x/y'])).code).toBe(ERRORS.VALIDATION.exit);
  });

  it('suggests npx after a removal too, if npx started it', async () => {
    const { at } = await start({
      'names.resolve': () => ({ kind: 'worktree', id: WORKER, title: 'shop' }),
      'worktrees.remove': () => ({
        worktree: { id: WORKER, name: 'shop' },
        recoveryRef: 'refs/kept',
        lost: { uncommitted: [], untracked: [], unpushed: [], ignored: [], more: 0 },
        leftOut: [],
        warnings: [],
      }),
    });
    const env = { npm_config_user_agent: 'npm/10.8.2' };
    const removed = await run(['worktrees', 'remove', WORKER, '--yes', ...at], env);
    expect(removed.out).toContain(`: npx agent-console worktrees restore ${WORKER}\n`);
  });

  it('sends the token in cli-token only to the console of that data directory, and never inside a worker', async () => {
    const tokens: (string | undefined)[] = [];
    const gate = createTestGate({ 'system.status': () => ({}) });
    const server = await startServer({
      gate,
      identify: async ({ headers }) => {
        tokens.push(headers.authorization);
        return { kind: 'user', userId: 'u', scopes: ['read'], via: 'token' };
      },
    });
    closers.push(() => server.close());
    const home = join(folder, 'token-home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'server.json'), JSON.stringify({ port: server.port, pid: 1, version: '1' }));
    await writeFile(join(home, 'cli-token'), 'secret\n');
    await chmod(join(home, 'cli-token'), 0o600);
    const env = { AGENT_CONSOLE_HOME: home };
    await run(['status'], env);
    await run(['status', '--url', server.url], env);
    await run(['status'], { ...env, AGENT_CONSOLE_WORKER_ID: WORKER });
    await run(['status', '--url', server.url], { ...env, AGENT_CONSOLE_TOKEN: 'mine' });
    expect(tokens).toEqual(['Bearer secret', undefined, undefined, 'Bearer mine']);
  });

  it('retries inside a worker while the server restarts, always with the same idempotency key', async () => {
    const keys: (string | undefined)[] = [];
    const gate = createTestGate({
      'sessions.create': (_: never, call) => {
        keys.push(call.idempotencyKey);
        if (keys.length < 3) throw new ConsoleError('BUSY', 'The console is restarting. Call again in a second.');
        return { id: SESSION };
      },
    });
    // The command starts before the server, so its first request fails and has to be repeated.
    const port = await freePort();
    const call = run(['sessions', 'create', '--worktree-id', SESSION, '--url', `http://127.0.0.1:${port}`], {
      AGENT_CONSOLE_WORKER_ID: WORKER,
    });
    const server = await startServer({ gate, port });
    closers.push(() => server.close());
    expect((await call).code).toBe(0);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('a command that waits', () => {
  const waited = { sessionId: SESSION, reached: 'finished', stillRunning: false };
  const job = { state: 'succeeded', result: {}, progress: { phase: '' } };
  const ended = { ...task(SESSION, 'completed'), endedAt: new Date().toISOString() };

  it.each([
    ['sessions.wait', ['sessions', 'wait', SESSION], waited],
    ['jobs.get', ['worktrees', 'push', SESSION], job],
    ['tasks.get', ['sessions', 'prompt', SESSION, 'Go on', '--wait'], ended],
  ])('calls %s again when the console restarts', async (name, args, answer) => {
    let calls = 0;
    const { at } = await start({
      'worktrees.push': () => ({ jobId: SESSION }),
      'sessions.prompt': () => ({ taskId: SESSION, sessionId: SESSION }),
      [name]: () => {
        calls += 1;
        if (calls === 1) throw new ConsoleError('BUSY', 'The console is restarting. Call again in a second.');
        return answer;
      },
    });
    expect(await run([...at, ...args, '--json'])).toMatchObject({ code: 0, err: '' });
    expect(calls).toBe(2);
  });
});

describe('commands of this machine', () => {
  it('serve refuses a public address and an invalid port', async () => {
    const open = await run(['serve', '--host', '0.0.0.0']);
    expect(open.code).toBe(ERRORS.PERMISSION_DENIED.exit);
    expect(open.err).toContain('AGENT_CONSOLE_AUTH=token');
    expect((await run(['serve', '--port', '99999'])).code).toBe(ERRORS.VALIDATION.exit);
  });

  it('stop says that no console is running', async () => {
    expect(await run(['stop'])).toMatchObject({ code: 0, out: expect.stringContaining('No console is running') });
  });

  it('doctor reports a problem and exits with 1', async () => {
    const home = join(folder, 'open-home');
    await mkdir(home);
    await chmod(home, 0o755);
    const { code, out } = await run(['doctor', '--json'], { AGENT_CONSOLE_HOME: home });
    const findings = JSON.parse(out) as { check: string; result: string; mend: string | null }[];
    expect(code).toBe(1);
    expect(findings.find(({ check }) => check === 'data directory')).toMatchObject({ result: 'problem' });
    expect(findings.find(({ check }) => check === 'git')).toMatchObject({ result: 'ok' });
  });
});
