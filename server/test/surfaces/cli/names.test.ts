import { join } from 'node:path';
import { ConsoleError, ERRORS, fieldError } from '@agent-console/shared/errors';
import { see } from '@agent-console/shared/see';
import { textOfIssues } from '@agent-console/shared/validate';
import { afterEach, describe, expect, it } from 'vitest';
import { createCli } from '../../../src/surfaces/cli/cli.ts';
import { runInProcess } from '../../support/cli.ts';
import { createTestGate, SESSION, startServer, WORKER } from '../http/harness.ts';

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess(args, { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(answers: Parameters<typeof createTestGate>[0]) {
  const gate = createTestGate(answers);
  const server = await startServer({ gate });
  closers.push(() => server.close());
  return { gate, at: ['--url', server.url] };
}

const refuse = (error: ConsoleError) => () => {
  throw error;
};

describe('a command about its own session', () => {
  const answers = {
    'sessions.spawn': () => ({}),
    'sessions.fork': () => ({}),
    'sessions.report': () => ({}),
    'sessions.get': () => ({}),
  };
  const lines = [
    ['session', 'subsession', '--prompt', 'x'],
    ['sessions', 'spawn', '--prompt', 'x'],
    ['sessions', 'fork', '--prompt', 'x'],
    ['sessions', 'report', 'succeeded', 'x'],
    ['sessions', 'get'],
  ];

  it('requires the session if run outside of one, and calls nothing', async () => {
    const { gate, at } = await start(answers);
    for (const line of lines) {
      const name = line[1] === 'report' ? '--session' : '<session>';
      const { code, err } = await run([...line, ...at]);
      expect(err).toBe(
        `UNAUTHENTICATED: ${name}: this command was not run in a session; pass the session, or run it in a session of the console\n`,
      );
      expect(code).toBe(ERRORS.UNAUTHENTICATED.exit);
    }
    expect(gate.calls).toEqual([]);
  });

  it('defaults to its own session, unless another is named by argument or option', async () => {
    const { gate, at } = await start(answers);
    const inside = { AGENT_CONSOLE_SESSION_ID: SESSION };
    for (const line of lines) expect((await run([...line, ...at], inside)).err).toBe('');
    expect((await run(['sessions', 'get', WORKER, ...at], inside)).err).toBe('');
    expect((await run(['sessions', 'get', '--session-id', WORKER, ...at], inside)).err).toBe('');
    expect(gate.calls.map(({ input }) => (input as { sessionId?: string }).sessionId)).toEqual([
      ...lines.map(() => SESSION),
      WORKER,
      WORKER,
    ]);
  });
});

describe('an error', () => {
  const list = see('repositories.list');
  const missing = fieldError('repositoryId', `is required; see ${list.rest}`, { see: list });
  const issues = [
    { path: 'sessionId', message: 'is short' },
    { path: 'prompt', message: 'is blank' },
    { path: 'agentId', message: 'keeps its agent' },
  ];
  const end = see('workers.remove', { workerId: WORKER });

  it('names options and commands instead of fields and paths', async () => {
    const { at } = await start({
      'delegations.create': refuse(missing),
      'workers.restart': refuse(
        new ConsoleError('CONFLICT', `Worker "prompt: agentId" is running. End it (${end.rest}).`, { see: end }),
      ),
      'sessions.prompt': refuse(
        new ConsoleError('VALIDATION', `${textOfIssues(issues)} (and 2 more problems)`, { issues }),
      ),
    });
    const said = async (...line: string[]) => (await run([...line, ...at])).err;
    expect(await said('delegate', 'x')).toBe(
      'VALIDATION: --repository: is required; see `agent-console repositories list`\n',
    );
    expect(await said('workers', 'restart', WORKER)).toBe(
      `CONFLICT: Worker "prompt: agentId" is running. End it (\`agent-console workers remove ${WORKER}\`).\n`,
    );
    expect(await said('sessions', 'prompt', SESSION, 'x')).toBe(
      'VALIDATION: <session>: is short; <prompt>: is blank; --agent: keeps its agent (and 2 more problems)\n',
    );
  });

  it('names the option of each field that its message mentions in backticks', async () => {
    const message = 'No branch is named `main`. Pass `useRemote`, or run `git fetch`.';
    const { at } = await start({ 'delegations.create': refuse(new ConsoleError('NOT_FOUND', message)) });
    expect((await run(['delegate', 'x', ...at])).err).toBe(
      'NOT_FOUND: No branch is named `main`. Pass `--use-remote`, or run `git fetch`.\n',
    );
  });

  it.each([
    [['repositories', 'create'], 'pass either `<path>` or `--url`'],
    [['sessions', 'create', '--worktree', SESSION, '--cwd', '/a'], 'pass either `--worktree` or `--cwd`'],
    [['worktrees', 'list', '--repository', SESSION, '--all'], 'pass either `<repository>` or `--all`'],
    [['agents', 'create'], 'pass either `--registry-entry`, or `<id>`, `--name` and `--command`'],
  ])('of the input names options: %j', async (line, message) => {
    const { at } = await start({});
    expect((await run([...at, ...line])).err).toBe(`VALIDATION: ${message}\n`);
  });

  it('of orchestrations run names its options', async () => {
    const error = new ConsoleError('CONFLICT', 'Run the definition with `contentHash` 0a.');
    const { at } = await start({ 'orchestrations.run': refuse(error) });
    const line = ['orchestrations', 'run', 'review', '--repository', SESSION];
    expect((await run([...line, ...at])).err).toBe('CONFLICT: Run the definition with `--content-hash` 0a.\n');
  });

  it('names options and commands in JSON too', async () => {
    const { at } = await start({ 'delegations.create': refuse(missing) });
    const { error } = JSON.parse((await run(['delegate', 'x', '--json', ...at])).err) as { error: object };
    expect(error).toMatchObject({ code: 'VALIDATION', details: { field: '--repository' } });
  });
});

describe('a field', () => {
  it('is cleared by an empty value if it is nullable', async () => {
    const { gate, at } = await start({ 'repositories.update': () => ({}), 'worktrees.update': () => ({}) });
    const lines = [
      [
        'repositories',
        'update',
        SESSION,
        '--cleanup-command',
        '',
        '--setup-command',
        'null',
        '--check-command',
        'make',
      ],
      ['worktrees', 'update', SESSION, '--board-id', '', '--x', ''],
    ];
    for (const line of lines) expect((await run([...line, ...at])).err).toBe('');
    expect(gate.calls.map(({ input }) => input)).toEqual([
      { repositoryId: SESSION, cleanupCommand: null, setupCommand: null, checkCommand: 'make' },
      { worktreeId: SESSION, boardId: null, x: null },
    ]);
  });

  it('can be passed as an argument or as an option if it is optional, but not as both', async () => {
    const { gate, at } = await start({ 'repositories.create': () => ({}) });
    expect((await run([...at, 'repositories', 'create', '/a/b'])).err).toBe('');
    expect((await run([...at, 'repositories', 'create', '--path', '/a/b'])).err).toBe('');
    expect(gate.calls.map(({ input }) => input)).toEqual([{ path: '/a/b' }, { path: '/a/b' }]);
    expect((await run([...at, 'repositories', 'create', '/a/b', '--path', '/a/b'])).err).toBe(
      'VALIDATION: <path>: passed 2 times; pass it once\n',
    );
  });

  it('is resolved against the current directory if it is a path', async () => {
    const { gate, at } = await start({ 'repositories.create': () => ({}) });
    for (const path of ['.', 'shop']) expect((await run([...at, 'repositories', 'create', path])).err).toBe('');
    expect(gate.calls.map(({ input }) => input)).toEqual([
      { path: process.cwd() },
      { path: join(process.cwd(), 'shop') },
    ]);
    for (const url of ['https://github.com/x/y', 'git@github.com:x/y']) {
      const { err } = await run([...at, 'repositories', 'create', url]);
      expect(err).toBe('VALIDATION: <path>: is a URL; pass it with --url\n');
    }
  });

  it('has help that says how to clear it', () => {
    const update = createCli('')
      .commands.find((command) => command.name() === 'repositories')
      ?.commands.find((command) => command.name() === 'update');
    expect(update?.helpInformation().replace(/\s+/g, ' ')).toMatch(/--cleanup-command <command> \S.*; "" clears it/);
  });
});
