import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleClient } from '../../src/surfaces/cli/client.ts';
import { delegationsIn } from '../e2e/support/delegations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal, send, tokenOf } from '../support/calling.ts';

type Input = RequestOf<'delegations.create'>;
type Made = OutputOf<'delegations.create'>;

let c: InProcessApp;
let root: Made;
let rootClient: ConsoleClient;
/**
 * The commits that the delegations use. The checkout (`here`) is behind `origin`, and the commit of the pull request is
 * on no branch.
 */
let shas: Record<'older' | 'here' | 'origin' | 'pull', string>;

const { quiet, delegate, end, rootAtRest } = delegationsIn(() => c);

beforeAll(async () => {
  c = await startTestApp();
  const origin = join(c.folder, 'origin.git');
  const colleague = join(c.folder, 'colleague');
  c.git(['commit', '--quiet', '--allow-empty', '-m', 'Second']);
  c.git(['init', '--quiet', '--bare', '-b', 'main', origin], c.folder);
  c.git(['remote', 'add', 'origin', origin]);
  c.git(['push', '--quiet', 'origin', 'main']);
  c.git(['clone', '--quiet', origin, colleague], c.folder);
  const commit = (message: string) => {
    c.git(['commit', '--quiet', '--allow-empty', '-m', message], colleague);
    return c.git(['rev-parse', 'HEAD'], colleague);
  };
  const pushed = commit('On origin only');
  c.git(['push', '--quiet', 'origin', 'main'], colleague);
  const pull = commit('Proposed');
  c.git(['push', '--quiet', 'origin', 'HEAD:refs/pull/123/head'], colleague);
  shas = { older: c.git(['rev-parse', 'main~1']), here: c.git(['rev-parse', 'main']), origin: pushed, pull };
  root = await rootAtRest();
  rootClient = asWorker(c, root.workerId);
});
afterAll(() => c.close());

/** Returns those values of a delegated session that follow from the fields of the delegation. */
async function facts(made: Made) {
  const session = await c.client.call('sessions.get', { sessionId: made.sessionId });
  return {
    prompt: session.tasks[0]?.prompt,
    // The scripted agent commits a note if a prompt has no commands. The base is the newest commit that is not a note.
    base: c.git(['log', '-1', '--format=%H', '--invert-grep', '--grep=^note: '], made.worktreePath),
    branch: c.git(['symbolic-ref', '--short', 'HEAD'], made.worktreePath),
    agentId: session.agentId,
    title: session.title,
    depth: session.depth,
    parent: session.genealogy.parentSessionId,
    notify: session.tasks[0]?.source,
    mode: session.permissionConfig,
  };
}

describe('each input changes its own field and nothing else', () => {
  it('alone', async () => {
    const byDefault = await delegate({ agentId: 'scripted', prompt: 'Tidy the cellar' }, rootClient);
    const base = await facts(byDefault);
    expect(base).toMatchObject({
      prompt: 'Tidy the cellar',
      base: shas.here,
      branch: 'ac/tidy-cellar',
      agentId: 'scripted',
      title: 'Tidy the cellar',
      depth: 1,
      parent: root.sessionId,
      notify: { kind: 'session', id: root.sessionId },
    });
    expect(byDefault.warnings).toEqual([expect.stringContaining('ac/tidy-cellar')]);
    await end(byDefault);
    const cases: [Partial<Input>, Partial<typeof base>][] = [
      [
        { prompt: 'Paint the fence' },
        { prompt: 'Paint the fence', branch: 'ac/paint-fence', title: 'Paint the fence' },
      ],
      [{ baseBranch: shas.older.slice(0, 12) }, { base: shas.older }],
      [{ baseBranch: 'main~1' }, { base: shas.older }],
      [{ branch: 'topic/given' }, { branch: 'topic/given' }],
      [{ agentId: 'cat' }, { agentId: 'cat' }],
      [{ title: 'Called so' }, { title: 'Called so' }],
      [{ useRemote: true }, { base: shas.origin }],
      [{ repositoryId: c.repository.id.slice(0, 30) }, {}],
      [{ notifyOnCompletion: false }, {}],
    ];
    for (const [input, changed] of cases) {
      const made = await delegate({ agentId: 'scripted', prompt: 'Tidy the cellar', ...input }, rootClient);
      const { branch, ...found } = await facts(made);
      const wanted = { ...base, ...changed };
      expect({ input, found }).toEqual({ input, found: { ...wanted, branch: undefined } });
      // The console may have appended a number to make the generated name unique.
      expect(branch.replace(/-\d+$/, '')).toBe(wanted.branch);
      await end(made);
    }
  });

  it("without an agent uses the caller's own, or the default agent", async () => {
    const { agentId: _, ...fields } = quiet;
    const own = await rootClient.call('delegations.create', fields);
    const persons = await c.client.call('delegations.create', { ...fields, repositoryId: c.repository.id });
    for (const made of [own, persons]) {
      expect((await facts(made)).agentId).toBe('scripted');
      await end(made);
    }
    await c.client.call('settings.update', { defaultAgentId: 'claude-code' });
    const error = await refusal(c.client.call('delegations.create', { ...fields, repositoryId: c.repository.id }));
    expect(error).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringContaining('claude-code'),
      details: { installed: expect.arrayContaining(['scripted', 'cat']) },
    });
    await c.client.call('settings.update', { defaultAgentId: 'scripted' });
  });

  it('without a repository is rejected for people', async () => {
    const error = await refusal(c.client.call('delegations.create', quiet));
    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('repositoryId') });
    const other = await c.addRepository('other');
    const elsewhere = refusal(rootClient.call('delegations.create', { ...quiet, repositoryId: other.id }));
    expect(await elsewhere).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('with useRemote checks out a pull request that is on no branch', async () => {
    const made = await delegate({ baseBranch: 'pull/123/head', useRemote: true, branch: 'review/123' });
    expect(await facts(made)).toMatchObject({ base: shas.pull, branch: 'review/123' });
    expect(made.warnings.join()).toContain('pull/123/head');
    expect(made.warnings.join()).toContain(shas.pull.slice(0, 12));
    expect(c.git(['rev-parse', 'main'])).toBe(shas.here);
    await end(made);
    const warned = await delegate({ baseBranch: 'root', useRemote: true });
    expect(warned.warnings.join()).toMatch(/root could not be fetched.*using the local/);
    await end(warned);
  });
});

describe('the answer', () => {
  it('is true on disk, in git and over REST when the call returns', async () => {
    const tools = await openTools(c, tokenOf(c, root.workerId));
    const made = (await tools.call('delegate_to_worktree', { ...quiet, branch: 'answered' })) as unknown as Made;
    await tools.close();
    expect(Object.keys(made).sort()).toEqual(
      [
        'branch',
        'delegationId',
        'sessionId',
        'state',
        'taskId',
        'warnings',
        'workerId',
        'worktreeId',
        'worktreePath',
      ].sort(),
    );
    expect(made).toMatchObject({ state: 'prompting', branch: 'answered', warnings: [] });
    expect(readFileSync(join(made.worktreePath, 'readme.md'), 'utf8')).toBe('# shop\n');
    expect(c.git(['worktree', 'list', '--porcelain'])).toContain(`worktree ${made.worktreePath}\n`);
    expect(c.git(['rev-parse', 'answered'])).toBe(shas.here);
    const session = await c.client.call('sessions.get', { sessionId: made.sessionId });
    expect(session).toMatchObject({ cwd: made.worktreePath, status: 'running', tasks: [{ id: made.taskId }] });
    expect(session.workers).toMatchObject([{ id: made.workerId, type: 'agent', state: 'running' }]);
    const pid = session.workers[0]?.pid;
    expect(c.runner.list()).toContainEqual(expect.objectContaining({ workerId: made.workerId, pid, exit: null }));
    expect(await c.client.call('delegations.get', { delegationId: made.delegationId })).toMatchObject({
      parentSessionId: root.sessionId,
      sessionId: made.sessionId,
      worktreePath: made.worktreePath,
      branch: 'answered',
      failedStep: null,
      error: null,
    });
    await end(made);
  });
});

describe('limits', () => {
  it('of depth apply two levels below the root, also after a restart', async () => {
    const child = await delegate({ agentId: 'scripted', prompt: '@say child' }, rootClient);
    const grandchild = await delegate({ agentId: 'scripted', prompt: '@say grandchild' }, asWorker(c, child.workerId));
    expect((await facts(grandchild)).depth).toBe(2);
    const third = () => refusal(delegate({}, asWorker(c, grandchild.workerId)));
    const wanted = {
      code: 'LIMIT_EXCEEDED',
      retryable: false,
      message: expect.stringContaining('2 levels'),
      details: { limit: 'delegationDepth', value: 2, depth: 2 },
    };
    expect(await third()).toMatchObject(wanted);
    await c.restart();
    expect(await third()).toMatchObject(wanted);
    await c.client.call('settings.update', { delegationDepth: 3 });
    await end(await delegate({}, asWorker(c, grandchild.workerId)));
    await c.client.call('settings.update', { delegationDepth: 2 });
    for (const made of [grandchild, child]) await end(made);
  });

  it('of working children name these children, and a finished child frees its slot', async () => {
    await c.client.call('settings.update', { delegationChildren: 2 });
    const finisher = await delegate({ agentId: 'scripted', prompt: '@ask done?\n@report succeeded yes' }, rootClient);
    const other = await delegate({}, rootClient);
    const asked = await Promise.all([refusal(delegate({}, rootClient)), refusal(delegate({}, rootClient))]);
    for (const error of asked) {
      expect(error).toMatchObject({
        code: 'LIMIT_EXCEEDED',
        retryable: true,
        details: { limit: 'delegationChildren' },
      });
      expect([...(error.details.holders as string[])].sort()).toEqual([finisher.sessionId, other.sessionId].sort());
    }
    await c.client.call('sessions.wait', { sessionId: finisher.sessionId, until: 'asking' });
    await c.client.call('workers.input', { workerId: finisher.workerId, data: 'y\r' });
    await c.client.call('sessions.wait', { sessionId: finisher.sessionId });
    const next = await delegate({}, rootClient);
    const persons = await delegate({});
    for (const made of [other, next, persons, finisher]) await end(made);
    await c.client.call('settings.update', { delegationChildren: 50 });
  });

  it('are not exceeded by concurrent calls', async () => {
    await c.client.call('settings.update', { delegationChildren: 3 });
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => delegate({}, rootClient)));
    const made = calls.flatMap((call) => (call.status === 'fulfilled' ? [call.value] : []));
    expect(made).toHaveLength(3);
    for (const each of made) await end(each);
    await c.client.call('settings.update', { delegationChildren: 50 });
  });

  it('of live sessions apply to people too', async () => {
    const { counts } = await c.client.call('system.status', {});
    await c.client.call('settings.update', { liveSessions: counts.liveSessions + 1 });
    const last = await delegate({});
    expect(await refusal(delegate({}))).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'liveSessions' } });
    await end(last);
    await end(await delegate({}));
    await c.client.call('settings.update', { liveSessions: 500 });
  });
});

describe('many concurrent delegations', () => {
  const count = process.env.LONG ? 100 : 10;
  it(`from one repository get ${count} worktrees, indexes and branches`, {
    timeout: 60_000 + count * 1_000,
  }, async () => {
    const repository = await c.addRepository('parallel');
    const fields = { repositoryId: repository.id, prompt: 'The same words for all' };
    const made = await Promise.all(Array.from({ length: count }, () => delegate(fields)));
    for (const field of ['sessionId', 'workerId', 'worktreePath', 'branch', 'taskId', 'delegationId'] as const) {
      expect(new Set(made.map((each) => each[field])).size).toBe(count);
    }
    expect(made.every(({ state }) => state === 'prompting')).toBe(true);
    const rows = (await c.client.call('worktrees.list', { repositoryId: repository.id, limit: 500 })).data;
    const indexes = rows.flatMap(({ index }) => (index === null ? [] : [index]));
    expect(indexes.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at + 1));
    expect(c.git(['worktree', 'list', '--porcelain'], repository.path).match(/^worktree /gm)).toHaveLength(count + 1);
    for (const each of made) {
      expect(c.git(['symbolic-ref', '--short', 'HEAD'], each.worktreePath)).toBe(each.branch);
      expect(c.git(['status', '--porcelain'], each.worktreePath)).toBe('');
    }
    await Promise.all(made.map(end));
  });
});

describe('repeating a call', () => {
  const post = (key: string, fields: object) =>
    send(c, 'POST', '/delegations', { repositoryId: c.repository.id, ...quiet, ...fields }, { 'Idempotency-Key': key });

  it('with the same key returns the same result, also while the first call runs', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => post('k1', { branch: 'keyed' })));
    answers.push(await post('k1', { branch: 'keyed' }));
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: answers[0]?.body });
    const other = await post('k1', { branch: 'keyed-2' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(c.git(['branch', '--list', 'keyed*'])).toBe('+ keyed');
    await end(answers[0]?.body as unknown as Made);
    expect((await post('k1', { branch: 'keyed' })).body).toEqual(answers[0]?.body);
  });

  it('of an agent with idempotencyKey does the work once, and without one again', async () => {
    const tools = await openTools(c, tokenOf(c, root.workerId));
    const call = (fields: object) =>
      tools.call('delegate_to_worktree', { ...quiet, ...fields }) as unknown as Promise<Made>;
    const [one, two] = [await call({ idempotencyKey: 'mine' }), await call({ idempotencyKey: 'mine' })];
    expect(two).toEqual(one);
    const error = await refusal(call({ idempotencyKey: 'mine', title: 'Other' }));
    expect(error).toMatchObject({ code: 'CONFLICT' });
    const [three, four] = [await call({}), await call({})];
    expect(new Set([one, three, four].map(({ sessionId }) => sessionId)).size).toBe(3);
    await tools.close();
    for (const made of [one, three, four]) await end(made);
  });

  it('of an agent without idempotencyKey does the work once, however often its response is lost', async () => {
    const folder = join(c.folder, 'namer');
    const [asked, go] = [join(folder, 'asked'), join(folder, 'go')];
    mkdirSync(folder);
    // When the console asks this script for a branch name, the script answers once the file `go` exists. To run the
    // agent in a terminal, the memory runner uses its own `cat` instead of the script, because the script has this
    // name.
    const answer = `echo >>'${asked}'; until [ -e '${go}' ]; do sleep 0.02; done; echo named-once`;
    const script = `#!/bin/sh\ncase " $* " in *" -p "*) ${answer};; esac\n`;
    writeFileSync(join(folder, 'cat'), script, { mode: 0o755 });
    await c.client.call('agents.create', {
      id: 'namer',
      name: 'Namer',
      kind: 'claude-code',
      env: ['HOME'],
      command: [join(folder, 'cat')],
    });
    const headers = { Authorization: `Bearer ${tokenOf(c, root.workerId)}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ agentId: 'namer', prompt: 'Just wait', title: 'Lost twice' });
    const call = (signal?: AbortSignal) =>
      fetch(`${c.baseUrl}/api/delegations`, { method: 'POST', headers, body, ...(signal && { signal }) });
    for (let lost = 0; lost < 2; lost += 1) {
      const leave = new AbortController();
      const left = call(leave.signal);
      await c.until('the question for a name', () => existsSync(asked));
      // This call reaches the server after the call that delegates. So once this call returns, the server has begun the
      // delegation.
      await c.client.call('system.status', {});
      leave.abort();
      await expect(left).rejects.toThrow();
    }
    const answered = call();
    await c.client.call('system.status', {});
    writeFileSync(go, '');
    const made = (await (await answered).json()) as Made;
    const { data } = await c.client.call('delegations.list', { parentSessionId: root.sessionId, limit: 500 });
    expect(data.filter(({ branch }) => branch.startsWith('ac/named-once'))).toMatchObject([{ id: made.delegationId }]);
    expect(readFileSync(asked, 'utf8')).toBe('\n');
    await end(made);
  });
});
