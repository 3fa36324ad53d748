import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { refusal, refusalsOf } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { addPerson, type Person, sessionOf } from './support/people.ts';
import { lives, sessionsOf } from './support/sessions.ts';
import { worktreesIn } from './support/worktrees.ts';

// Tests that need real processes: shells, pids, working directories, memory, arguments of programs.
let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const { create, get, outputHas, mainCheckout, atWork, taskBecomes, agentOf, prompt, finished, said } = sessionsOf(
  () => c,
);
const { worktreesOf } = worktreesIn(() => c);

describe('an agent', () => {
  it('that was killed fails its task and can be prompted again in its old folder', async () => {
    const { sessionId, taskId, agent } = await atWork();
    process.kill(agent.pid ?? 0, 'SIGKILL');
    expect(await taskBecomes(taskId, 'failed')).toMatchObject({ outcomeSource: 'exit', certain: true });
    expect(await agentOf(sessionId)).toMatchObject({ state: 'exited', exitCode: null, signal: 'SIGKILL', pid: null });
    await prompt(sessionId, '@recall 1');
    await finished(sessionId);
    expect(await said(sessionId)).toContain('message 1: @sleep 600000');
    const again = await agentOf(sessionId);
    expect(lives(again.pid)).toBe(true);
    await c.client.call('sessions.pause', { sessionId });
    expect(lives(again.pid)).toBe(false);
  });
});

describe('terminals', () => {
  it('accept messages, which are typed with Enter; a diff view refuses them', async () => {
    const made = await c.client.call('sessions.create', { worktreeId: await mainCheckout(), agentId: 'scripted' });
    const sessionId = made.id;
    const terminal = await c.client.call('workers.create', { sessionId, type: 'terminal' });
    expect(terminal).toMatchObject({ type: 'terminal', state: 'running', agentId: null, pid: expect.any(Number) });
    const message = 'echo "sum $((40 + 2)) ü"';
    expect(await c.client.call('sessions.message', { sessionId, workerId: terminal.id, message })).toEqual({
      success: true,
    });
    await outputHas(terminal.id, 'sum 42 ü');
    await c.client.call('workers.input', { workerId: terminal.id, data: 'half a li' });
    // A client outside a worker returns a BUSY error at once. A client inside a worker repeats the call.
    const atOnce = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    const busy = await refusal(atOnce.call('sessions.message', { sessionId, workerId: terminal.id, message }));
    expect(busy).toMatchObject({ code: 'BUSY', details: { workerId: terminal.id } });

    const diff = await c.client.call('workers.create', { sessionId, type: 'git-diff' });
    expect(diff).toMatchObject({
      type: 'git-diff',
      pid: null,
      state: 'running',
      activityState: 'unknown',
      agentId: null,
    });
    const unsupported = await refusalsOf([
      c.client.call('sessions.message', { sessionId, workerId: diff.id, message }),
      c.client.call('workers.input', { workerId: diff.id, data: 'x' }),
      c.client.call('workers.resize', { workerId: diff.id, cols: 80, rows: 24 }),
      c.client.call('workers.restart', { workerId: diff.id }),
    ]);
    for (const error of unsupported) expect(error).toMatchObject({ code: 'UNSUPPORTED' });
    expect(await c.client.call('workers.remove', { workerId: diff.id })).toMatchObject({
      state: 'exited',
      exitCode: null,
    });
    const elsewhere = { sessionId: await create(), workerId: terminal.id, message };
    expect(await refusal(c.client.call('sessions.message', elsewhere))).toMatchObject({ code: 'VALIDATION' });
  });

  it('accept keys once per input id, have the requested size, and report how they ended', async () => {
    const sessionId = await create();
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'terminal', cols: 91, rows: 17 });
    const type = (data: string, inputId: string) => c.client.call('workers.input', { workerId, data, inputId });
    expect(await type('echo one-$((1 + 1)); stty size\r', 'a')).toMatchObject({ inputId: 'a', duplicate: false });
    expect(await type('echo one-$((1 + 1)); stty size\r', 'a')).toMatchObject({ inputId: 'a', duplicate: true });
    await outputHas(workerId, '17 91');
    await c.client.call('workers.resize', { workerId, cols: 100, rows: 30 });
    await type('stty size; echo count\r', 'b');
    await outputHas(workerId, '30 100');
    const { text = '' } = await c.client.call('workers.output', { workerId, sinceOffset: 0 });
    // Searches only for the end of a line: if the shell started after the keys were typed, its prompt is before the
    // text.
    expect(text.match(/one-2$/gm)).toHaveLength(1);

    expect(await refusal(c.client.call('workers.restart', { workerId }))).toMatchObject({ code: 'CONFLICT' });
    await type('exit 7\r', 'c');
    const ended = await c.until('an exit', async () => {
      const worker = await c.client.call('workers.get', { workerId });
      return worker.state === 'exited' && worker;
    });
    expect(ended).toMatchObject({ exitCode: 7, signal: null, pid: null });
    expect(await refusal(type('x', 'd'))).toMatchObject({ code: 'CONFLICT', details: { state: 'exited' } });
    const again = await c.client.call('workers.restart', { workerId });
    expect(again).toMatchObject({ sessionId, type: 'terminal', state: 'running' });
    expect(again.id).not.toBe(workerId);
    const removed = await c.client.call('workers.remove', { workerId: again.id });
    expect(removed).toMatchObject({ state: 'exited' });
    expect(lives(again.pid)).toBe(false);
    expect((await get(sessionId)).workers.map(({ id }) => id)).toEqual([workerId, again.id]);
  });
});

describe('the resource use of private sessions', () => {
  let ann: Person;
  let bob: Person;
  let bobs: Awaited<ReturnType<typeof sessionOf>>;
  let hidden: { workerId: string };
  beforeAll(async () => {
    [ann, bob] = [await addPerson(c, 'Ann'), await addPerson(c, 'Bob')];
    bobs = await sessionOf(c, bob.client, '@say of bob');
    const secret = await ann.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      visibility: 'private',
      title: 'hidden',
    });
    hidden = { workerId: (await ann.client.call('workers.create', { sessionId: secret.id, type: 'agent' })).id };
  });

  it.skipIf(process.platform !== 'linux')('is included only for people who can see the session', async () => {
    const takenAsSeenBy = (reader: Person['client']) =>
      c.until('one look for the sum and for each', async () => {
        const { data } = await reader.call('workers.resources', { limit: 500 });
        const { resources } = await reader.call('system.status', {});
        const each = data.flatMap((row) => (row.resources === null ? [] : [row.resources]));
        return resources !== null && each.every(({ at }) => at === resources.at) && { sum: resources, each };
      });
    const all = await takenAsSeenBy(c.client);
    for (const reader of [bob.client, bobs.client, ann.client, c.client]) {
      const { sum, each } = await takenAsSeenBy(reader);
      const summed = (of: 'processes' | 'memoryBytes') => each.reduce((total, one) => total + one[of], 0);
      expect([sum.processes, sum.memoryBytes]).toEqual([summed('processes'), summed('memoryBytes')]);
    }
    const ofBob = await c.until('a look that is asked for by Bob', async () => {
      const { resources } = await bob.client.call('system.status', {});
      return resources !== null && resources.at > all.sum.at && resources;
    });
    const { resources } = await ann.client.call('workers.get', { workerId: hidden.workerId });
    expect(resources?.processes).toBeGreaterThan(0);
    expect(resources?.at).toBe(ofBob.at);
  });
});

describe('an agent whose sandbox lets it commit', () => {
  it('may write only the git directory of its own worktree, even if `.git` now points to another one', async () => {
    const program = join(c.folder, 'sandboxed');
    const seen = join(c.folder, 'sandboxed-args');
    const record = `printf '%s\\n' "$@" > '${seen}.part' && mv '${seen}.part' '${seen}'; exec sleep 600`;
    writeFileSync(program, `#!/bin/sh\ncase "$1" in --version|--help) exit 0;; esac\n${record}\n`, { mode: 0o755 });
    await c.client.call('agents.create', { id: 'sandboxed', name: 'Sandboxed', kind: 'codex', command: [program] });
    const [first, second] = ['a', 'b'].map((folder) => join(c.folder, folder, 'namesake'));
    c.git(['worktree', 'add', '--quiet', '-b', 'namesake-a', String(first)]);
    c.git(['worktree', 'add', '--quiet', '-b', 'namesake-b', String(second)]);
    const worktreeId = (await worktreesOf()).find(({ path }) => path === second)?.id ?? '';
    const start = async () => {
      rmSync(seen, { force: true });
      const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'sandboxed' });
      const { warnings } = await c.client.call('workers.create', { sessionId, type: 'agent' });
      const args = await c.until('its start', async () => existsSync(seen) && readFileSync(seen, 'utf8').split('\n'));
      await c.client.call('sessions.stop', { sessionId });
      const folders = args.filter((_, at) => args[at - 1] === '--add-dir');
      return { folders, warnings };
    };

    const gitDir = c.git(['rev-parse', '--absolute-git-dir'], second);
    const { folders, warnings } = await start();
    expect(folders.filter((folder) => folder.includes('/worktrees/'))).toEqual([gitDir]);
    expect(warnings.join()).not.toContain('git directory');

    writeFileSync(join(String(second), '.git'), `gitdir: ${c.git(['rev-parse', '--absolute-git-dir'], first)}\n`);
    const led = await start();
    expect(led.folders).toEqual([]);
    expect(led.warnings.join()).toContain('now points to the git directory');

    writeFileSync(join(String(second), '.git'), `gitdir: ${gitDir}\n`);
    for (const path of [first, second]) c.git(['worktree', 'remove', '--force', String(path)]);
  });
});

describe('a live agent whose folder was deleted', () => {
  async function make(branch: string) {
    const fields = { repositoryId: c.repository.id, mode: 'either', branch, wait: true } as const;
    const { worktree } = await c.client.call('worktrees.create', fields);
    if (worktree === undefined) throw new Error('was not waited for');
    return { worktreeId: worktree.id, path: worktree.path };
  }

  async function idleIn(worktreeId: string): Promise<string> {
    const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say first words' });
    await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    return sessionId;
  }

  async function turn(sessionId: string, prompt: string) {
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt });
    return c.until('the end of the task', async () => {
      const task = await c.client.call('tasks.get', { taskId });
      return task.endedAt !== null && task;
    });
  }

  const agentsOf = async (sessionId: string) =>
    (await c.client.call('sessions.workers', { sessionId })).data.filter(({ type }) => type === 'agent');

  it.each([
    ['stays away', () => undefined],
    ['was made again by hand', (path: string) => void c.git(['worktree', 'add', '--force', path, 'stays-by-hand'])],
  ])('continues its conversation in a new process in its worktree if the folder %s', async (how, mend) => {
    const branch = how === 'stays away' ? 'stays-away' : 'stays-by-hand';
    const { worktreeId, path } = await make(branch);
    const sessionId = await idleIn(worktreeId);
    rmSync(path, { recursive: true });
    mend(path);
    const task = await turn(sessionId, '@write c.txt c\n@recall 1');
    expect(task).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(path, 'c.txt'), 'utf8')).toBe('c');
    expect(c.git(['rev-parse', '--abbrev-ref', 'HEAD'], path)).toBe(branch);
    expect((await agentsOf(sessionId)).map(({ state }) => state)).toEqual(['exited', 'running']);
    const { text } = await c.client.call('sessions.output', { sessionId, sinceOffset: 0 });
    expect(text).toContain('message 1: @say first words');
  });

  it('gets no prompt if the worktree cannot be created again, and the error of the task says why', async () => {
    const { worktreeId, path } = await make('deletedCwd');
    const sessionId = await idleIn(worktreeId);
    rmSync(path, { recursive: true });
    c.git(['worktree', 'prune']);
    const sha = c.git(['rev-parse', 'deletedCwd']);
    c.git(['branch', '--quiet', '-D', 'deletedCwd']);
    expect(await turn(sessionId, '@write c.txt c')).toMatchObject({
      status: 'failed',
      outcomeSource: 'system',
      error: { code: 'NOT_FOUND', message: expect.stringContaining(`git branch deletedCwd ${sha}`) },
    });
    expect((await agentsOf(sessionId)).every(({ state }) => state === 'exited')).toBe(true);
    expect(existsSync(path)).toBe(false);
    c.git(['branch', 'deletedCwd', sha]);
    expect(await turn(sessionId, '@write c.txt c')).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(path, 'c.txt'), 'utf8')).toBe('c');
  });
});

describe('a delegation', () => {
  it.each([
    ['ends at once', '#!/bin/sh\necho no\nexit 4\n'],
    ['is no program', '\x7fELF no program'],
  ])('whose agent %s is a failed task, and keeps its worktree', async (what, content) => {
    const program = join(c.folder, what.replaceAll(' ', '-'));
    writeFileSync(program, content, { mode: 0o755 });
    const id = `fails-${what.replaceAll(' ', '-')}`;
    await c.client.call('agents.create', { id, name: 'Fails', command: [program] });
    const fields = { repositoryId: c.repository.id, agentId: id, prompt: 'Just wait' };
    const made = await c.client.call('delegations.create', fields);
    await c.client.call('sessions.wait', { sessionId: made.sessionId });
    expect(await c.client.call('tasks.get', { taskId: made.taskId })).toMatchObject({
      status: 'failed',
      outcomeSource: 'exit',
      certain: true,
    });
    expect(existsSync(made.worktreePath)).toBe(true);
    expect((await c.client.call('delegations.get', { delegationId: made.delegationId })).state).toBe('handed_over');
  });
});
