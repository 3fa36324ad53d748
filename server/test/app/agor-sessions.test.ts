import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownSession } from '../e2e/support/delegations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, type ToolClient, tokenOf } from '../support/calling.ts';

let c: InProcessApp;
let own: { sessionId: string; workerId: string; taskId: string };
let tools: ToolClient;
let worktreeId: string;

const ended = (taskId: string) =>
  c.until('the end of a task', async () => {
    const task = await c.client.call('tasks.get', { taskId });
    return task.endedAt !== null && task;
  });
const get = (sessionId: unknown) => tools.call('agor_sessions_get', { sessionId });
const create = (fields: object = {}) =>
  tools.call('agor_sessions_create', { worktreeId, agenticTool: 'scripted', ...fields });

beforeAll(async () => {
  c = await startTestApp();
  own = await ownSession(c, '@say one\n@say two');
  tools = await openTools(c, tokenOf(c, own.workerId));
  worktreeId = (await c.client.call('sessions.get', { sessionId: own.sessionId })).worktreeId ?? '';
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

describe('an agent that inspects sessions', () => {
  it('finds its own session without naming it, and any other by its id', async () => {
    const current = await tools.call('agor_sessions_get_current', {});
    expect(current).toMatchObject({ session_id: own.sessionId, agentic_tool: 'scripted', worktree_id: worktreeId });
    expect(current).toMatchObject({ tasks: [own.taskId], task_count: 1, task: { task_id: own.taskId } });
    const { worktree, repo, board, ...rest } = current;
    // After the end of a turn, the console measures the state of the branch again. This may happen between the two
    // calls.
    expect(await get(own.sessionId)).toEqual({
      ...rest,
      git_state: expect.objectContaining({ ref: 'own', current_sha: expect.any(String) }),
    });
    const same = await tools.call('agor_worktrees_get', { worktreeId });
    // The console computes the git status anew for each response, so its `computed_at` differs.
    expect(worktree).toEqual({
      ...same,
      git_status: expect.objectContaining({ base: 'main', ahead: expect.any(Number) }),
    });
    expect(repo).toMatchObject({ repo_id: c.repository.id, name: 'shop', default_branch: 'main' });
    expect(board).toBeNull();
    expect(JSON.stringify(current)).not.toMatch(/"[a-z]+[A-Z]\w*":/);
  });

  it('finds the board of its own session', async () => {
    const { entity_id: boardId } = await tools.call('agor_boards_create', { name: 'Mine' });
    await tools.call('agor_worktrees_update', { worktreeId, boardId });
    const { board, worktree } = await tools.call('agor_sessions_get_current', {});
    expect(board).toMatchObject({ board_id: boardId, name: 'Mine', worktree_count: 1 });
    expect(worktree).toMatchObject({ worktree_id: worktreeId, board_id: boardId });
    await tools.call('agor_worktrees_update', { worktreeId, boardId: null });
  });

  it('receives messages only on request, in order', async () => {
    expect(await get(own.sessionId)).not.toHaveProperty('messages');
    const { messages } = await tools.call('agor_sessions_get', { sessionId: own.sessionId, includeMessages: true });
    const said = (messages as { seq: number; role: string; parts: { text: string }[] }[]).map(
      ({ seq, role, parts }) => [seq, role, parts[0]?.text],
    );
    expect(said).toEqual([
      [1, 'user', '@say one\n@say two'],
      [2, 'agent', 'one'],
      [3, 'agent', 'two'],
    ]);
  });

  it('lists sessions by status, agent and worktree, fifty per page', async () => {
    const { id: other } = await c.client.call('agents.create', { id: 'other', name: 'Other', command: ['sh'] });
    for (let at = 0; at < 55; at += 1) {
      await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: `${at}` });
    }
    await c.client.call('sessions.create', { cwd: c.folder, agentId: other });
    const all = await tools.call('agor_sessions_list', {});
    expect(all).toMatchObject({ limit: 50, skip: 0, total: expect.any(Number) });
    expect(all.data).toHaveLength(50);
    const ids = async (args: Record<string, unknown>) =>
      ((await tools.call('agor_sessions_list', args)).data as { session_id: string; agentic_tool: string }[]).map(
        (row) => row.agentic_tool,
      );
    expect(await ids({ agent: other })).toEqual([other]);
    expect(await ids({ agent: other, worktreeId })).toEqual([]);
    expect(await ids({ worktreeId, status: 'idle', agent: 'scripted' })).toEqual(['scripted']);
    expect(await ids({ status: 'running' })).toEqual([]);
  });
});

describe('an agent creating a session', () => {
  it('gets an idle one without messages, with the worktree state reported by git', async () => {
    const made = await create({ title: 'Grüße 🌍', description: 'two\nlines' });
    expect(made).toEqual({ created: true, entity_id: expect.any(String), entity: await get(made.entity_id) });
    const { cwd } = await c.client.call('sessions.get', { sessionId: String(made.entity_id) });
    const sha = c.git(['rev-parse', 'HEAD'], cwd);
    expect(made.entity).toMatchObject({
      status: 'idle',
      title: 'Grüße 🌍',
      description: 'two\nlines',
      git_state: { ref: 'own', base_sha: sha, current_sha: sha },
      permission_config: { mode: 'acceptEdits', allowed_tools: [] },
      genealogy: { children: [] },
      tasks: [],
      message_count: 0,
    });
  });

  it('gets a running one if it provides a first prompt', async () => {
    const made = await create({ initialPrompt: '@report succeeded done' });
    expect(await ended(String(made.taskId))).toMatchObject({ status: 'completed', summary: 'done' });
    expect(made.entity).toMatchObject({ status: 'running', tasks: [made.taskId] });
  });

  it.each([
    [{ worktreeId: undefined }, 'VALIDATION', /^worktreeId: is required/],
    [{ agenticTool: undefined }, 'VALIDATION', /^agenticTool: is required/],
    [{ permissionMode: 'yolo2' }, 'VALIDATION', /acceptEdits.*allow-all/],
    [{ boardId: 'b' }, 'VALIDATION', /agor_worktrees_update/],
    [{ x: 1, y: 2 }, 'VALIDATION', /agor_worktrees_update/],
    [{ worktreeId: '00000000-0000-7000-8000-000000000000' }, 'NOT_FOUND', /not found/],
  ])('is rejected %#', async (fields, code, message) => {
    const before = (await tools.call('agor_sessions_list', {})).total;
    expect(await refusal(create(fields))).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await tools.call('agor_sessions_list', {})).total).toBe(before);
  });
});

describe('an agent that sets the status of a session', () => {
  const update = (sessionId: unknown, fields: Record<string, unknown>) =>
    tools.call('agor_sessions_update', { sessionId, ...fields });

  it('gets the session with that status, and every follower is informed', async () => {
    const { entity_id: id } = await create({ description: 'old' });
    const answer = await update(id, { title: 'New', description: '', permissionMode: 'plan', status: 'completed' });
    const { tasks, ...shown } = await get(id);
    expect(tasks).toEqual([]);
    expect(shown).toMatchObject(answer);
    expect(answer).toMatchObject({ title: 'New', description: '', status: 'completed' });
    await c.events(0, ({ type, subject, data }) => {
      return type === 'session.updated' && subject.id === id && data.title === 'New' && data.status === 'completed';
    });
    expect(await update(id, { status: 'idle' })).toMatchObject({ status: 'idle', title: 'New' });
  });

  it('is rejected for a status that contradicts the session', async () => {
    const { entity_id: id } = await create();
    expect(await refusal(update(id, { status: 'running' }))).toMatchObject({ code: 'CONFLICT' });
    expect(await refusal(update(id, { status: 'done' }))).toMatchObject({ code: 'VALIDATION' });
    expect(await refusal(update(id, {}))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('At least one field'),
    });
    for (const field of ['genealogy', 'git_state']) {
      expect(await refusal(update(id, { title: 'x', [field]: {} }))).toMatchObject({
        code: 'VALIDATION',
        message: expect.stringContaining(field),
      });
    }
  });

  it('can mark its work done during its own turn, which takes effect when the turn is over', async () => {
    const { entity_id: id } = await create();
    const done = { sessionId: id, title: 'Reflected', status: 'completed' };
    const prompt = `@tool agor_sessions_update ${JSON.stringify(done)}\n@permission Bash npm test\n@report succeeded ok`;
    const { taskId } = await tools.call('agor_sessions_prompt', { sessionId: id, prompt, mode: 'continue' });
    const approvalId = await c.until('a question', async () => {
      return (await c.client.call('approvals.list', { sessionId: String(id) })).data[0]?.id;
    });
    expect(await get(id)).toMatchObject({ status: 'awaiting_input', title: 'Reflected' });
    await c.client.call('approvals.answer', { approvalId, optionId: '1' });
    expect(await ended(String(taskId))).toMatchObject({ status: 'completed', outcomeSource: 'report' });
    expect(await get(id)).toMatchObject({ status: 'completed' });
    const next = await c.client.call('sessions.prompt', { sessionId: String(id), prompt: '@say more' });
    expect(await ended(next.taskId)).toMatchObject({ status: 'completed' });
    expect(await get(id)).toMatchObject({ status: 'completed' });
    expect(await c.client.call('sessions.get', { sessionId: String(id) })).toMatchObject({ status: 'idle' });
  });
});

describe('the status of a session that was spawned or forked', () => {
  const list = async (status: string) =>
    ((await tools.call('agor_sessions_list', { status, limit: 500 })).data as { session_id: string }[]).map(
      (row) => row.session_id,
    );
  const rest = async (sessionId: string) => c.client.call('sessions.get', { sessionId });

  it('is the outcome of its last prompt when idle, in every agor_* answer and filter, and idle over REST', async () => {
    const spawned = await tools.call('agor_sessions_spawn', { prompt: '@report succeeded ok' });
    const forked = await tools.call('agor_sessions_fork', { prompt: '@report failed no', notifyOnCompletion: false });
    const cases = [
      [spawned, 'completed'],
      [forked, 'failed'],
    ] as const;
    for (const [{ sessionId, taskId }, outcome] of cases) {
      await ended(String(taskId));
      const id = String(sessionId);
      expect(await get(id)).toMatchObject({ status: outcome });
      expect(await rest(id)).toMatchObject({ status: 'idle', outcome });
      expect(await list(outcome)).toContain(id);
      expect(await list('idle')).not.toContain(id);
      const { children } = await tools.call('agor_sessions_genealogy', { sessionId: own.sessionId });
      expect(children).toContainEqual(expect.objectContaining({ session_id: id, status: outcome }));
      const { data } = await c.client.call('sessions.list', { status: 'idle', limit: 500 });
      expect(data.map((session) => session.id)).toContain(id);
    }
    expect(await list('failed')).not.toContain(spawned.sessionId);
    // The notices about the ends of both children are prompts for the session's agent, so the session works for a
    // moment.
    await c.until('its rest', async () => (await rest(own.sessionId)).status === 'idle');
    expect(await rest(own.sessionId)).toMatchObject({ outcome: null });
    expect(await get(own.sessionId)).toMatchObject({ status: 'idle' });
    expect(await list('idle')).toContain(own.sessionId);
  });

  it('is its activity while it works, and reports a cancellation', async () => {
    const { sessionId, taskId } = await tools.call('agor_sessions_spawn', { prompt: '@sleep 600000' });
    const id = String(sessionId);
    expect(await get(id)).toMatchObject({ status: 'running' });
    expect(await list('running')).toContain(id);
    await tools.call('agor_tasks_cancel', { taskId });
    await ended(String(taskId));
    expect(await get(id)).toMatchObject({ status: 'cancelled' });
    expect(await list('cancelled')).toEqual([id]);
    await c.client.call('sessions.stop', { sessionId: id });
    expect(await get(id)).toMatchObject({ status: 'stopped' });
  });
});

describe('an agent that starts work in another worktree', () => {
  it('creates a session there and continues it', async () => {
    const { jobId } = await c.client.call('worktrees.create', {
      repositoryId: c.repository.id,
      mode: 'custom',
      branch: 'elsewhere',
    });
    const job = await c.until('a worktree', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state === 'succeeded' && found;
    });
    const { path } = await c.client.call('worktrees.get', { worktreeId: String(job.result?.worktreeId) });
    const { entity_id: sessionId } = await create({ worktreeId: job.result?.worktreeId });
    const prompt = '@write there.txt yes\n@report succeeded written';
    const { taskId } = await tools.call('agor_sessions_prompt', { sessionId, prompt, mode: 'continue' });
    await ended(String(taskId));
    expect(c.git(['status', '--porcelain'], path)).toContain('there.txt');
  });
});
