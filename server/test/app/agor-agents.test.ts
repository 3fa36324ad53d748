import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownSession } from '../e2e/support/delegations.ts';
import { ERAS, type McpClient, type Update } from '../e2e/support/mcp.ts';
import { SocketFollower } from '../streams/live-follower.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, type ToolClient, tokenOf } from '../support/calling.ts';

type Answer = Record<string, unknown>;

/** Fields of a session that depend only on how the session was created. */
const ALIKE = [
  'title',
  'agentic_tool',
  'worktree_id',
  'git_state',
  'genealogy',
  'depth',
  'permission_config',
  'visibility',
  'created_by_user_id',
  'created_by_session_id',
  'via_session_id',
];
/** Number of concurrent calls of each of the ten agents. */
const CALLS = process.env.LONG ? 100 : 5;

let c: InProcessApp;
let own: { sessionId: string; workerId: string; taskId: string };
let tools: ToolClient;
const open: McpClient[] = [];

beforeAll(async () => {
  c = await startTestApp();
  own = await ownSession(c, '@report succeeded done');
  tools = await openTools(c, tokenOf(c, own.workerId));
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

async function connect(era: keyof typeof ERAS): Promise<McpClient> {
  const client = await ERAS[era](`${c.baseUrl}/mcp?toolsets=all`, tokenOf(c, own.workerId));
  open.push(client);
  return client;
}

/** Creates another session in the worktree of `own`, with its own agent. */
async function beside() {
  const { worktreeId } = await c.client.call('sessions.get', { sessionId: own.sessionId });
  const { id } = await c.client.call('sessions.create', { worktreeId: worktreeId ?? '', agentId: 'scripted' });
  const worker = await c.client.call('workers.create', { sessionId: id, type: 'agent' });
  return { sessionId: id, token: tokenOf(c, worker.id) };
}

const child = async (prompt: string) => {
  const { sessionId, taskId } = await tools.call('agor_sessions_spawn', { prompt, notifyOnCompletion: false });
  return { sessionId: String(sessionId), taskId: String(taskId) };
};
/** Polls like an agent until a task has ended. */
const polled = (taskId: string) =>
  c.until('the end of a task', async () => {
    const task = await tools.call('agor_tasks_get', { taskId });
    return task.ended_at !== null && task;
  });

describe('the identity of an agent', () => {
  it('is reported to each of many concurrent callers, by token alone', async () => {
    const agents = await Promise.all(Array.from({ length: 10 }, beside));
    const answers = await Promise.all(
      agents.map(async ({ token }) => {
        const client = await openTools(c, token);
        const calls = Array.from({ length: CALLS }, () => client.call('agor_sessions_get_current', {}));
        const ids = (await Promise.all(calls)).map((answer) => answer.session_id);
        await client.close();
        return [...new Set(ids)];
      }),
    );
    expect(answers).toEqual(agents.map(({ sessionId }) => [sessionId]));
    for (const { sessionId } of agents) await c.client.call('sessions.stop', { sessionId });
  });

  it('is empty for a person, who is told how to call', async () => {
    const { token } = await c.client.call('tokens.create', { name: 'person' });
    const person = await openTools(c, token);
    const calls: [name: string, args: Answer][] = [
      ['agor_sessions_get_current', {}],
      ['report_result', { outcome: 'succeeded', summary: 'x' }],
      ['agor_sessions_spawn', { prompt: 'x' }],
      ['agor_sessions_fork', { prompt: 'x' }],
    ];
    for (const [name, args] of calls) {
      const error = await refusal(person.call(name, args));
      expect({ name, ...error }).toMatchObject({ name, code: 'UNAUTHENTICATED' });
      expect(error.message).toMatch(/session.*token/);
    }
    await person.close();
  });
});

describe('delegated work', () => {
  it('is created and continued by one call each, which returns before the task ends and can be polled', async () => {
    const { sessionId, taskId } = await child('@permission Bash npm test\n@report succeeded found it');
    const question = await c.until('a question', async () => {
      return (await c.client.call('approvals.list', { sessionId })).data[0];
    });
    expect(await tools.call('agor_sessions_get', { sessionId })).toMatchObject({ status: 'awaiting_input' });
    await c.client.call('approvals.answer', { approvalId: question.id, optionId: '1' });
    expect(await polled(taskId)).toMatchObject({ status: 'completed', summary: 'found it' });
    const after = await tools.call('agor_sessions_get', { sessionId, includeMessages: true });
    expect(after).toMatchObject({ status: 'completed', tasks: [taskId] });
    await c.client.call('sessions.wait', { sessionId, until: 'idle', timeoutSeconds: 45 });
    const next = { sessionId, mode: 'continue', prompt: '@say the last words\n@report succeeded again' };
    const more = await tools.call('agor_sessions_prompt', next);
    expect(more).toEqual({ success: true, taskId: expect.any(String) });
    await polled(String(more.taskId));
    await c.until('what it said last', async () => {
      const { messages } = await tools.call('agor_sessions_get', { sessionId, includeMessages: true });
      const said = (messages as { role: string; parts: { text?: string }[] }[]).filter(({ role }) => role === 'agent');
      return said.some(({ parts }) => parts[0]?.text === 'the last words');
    });
  });

  it('runs for its duration, and names its owner', async () => {
    const { sessionId, taskId: first } = await child('@report succeeded first');
    await polled(first);
    await c.client.call('sessions.wait', { sessionId, until: 'idle', timeoutSeconds: 45 });
    const { taskId } = await tools.call('agor_sessions_prompt', {
      sessionId,
      mode: 'continue',
      prompt: '@sleep 600000',
    });
    const task = await tools.call('agor_tasks_get', { taskId });
    expect(task).toMatchObject({
      session_id: sessionId,
      status: 'running',
      source: { kind: 'session', id: own.sessionId },
    });
    expect(await tools.call('agor_sessions_get', { sessionId })).toMatchObject({ status: 'running' });
    const byPerson = await c.client.call('sessions.prompt', { sessionId, prompt: 'x' });
    expect((await c.client.call('tasks.get', { taskId: byPerson.taskId })).source.kind).toBe('person');
    await c.client.call('sessions.stop', { sessionId });
  });

  it('is the same when created by the spawn tool and by a subsession prompt', async () => {
    const prompt = '@report succeeded done';
    const answers = [
      await tools.call('agor_sessions_spawn', { prompt }),
      await tools.call('agor_sessions_prompt', { sessionId: own.sessionId, mode: 'subsession', prompt }),
    ];
    const made: Answer[] = [];
    for (const answer of answers) {
      expect(answer).toEqual({ sessionId: expect.any(String), taskId: expect.any(String), status: 'running' });
      await polled(String(answer.taskId));
      const shown = await tools.call('agor_sessions_get', { sessionId: answer.sessionId });
      made.push(Object.fromEntries(ALIKE.map((name) => [name, shown[name]])));
    }
    expect(Object.values(made[0] ?? {})).not.toContain(undefined);
    expect(made[1]).toEqual(made[0]);
  });
});

describe('a change made by a tool', () => {
  it('is in the next REST response and in event streams', async () => {
    const follower = new SocketFollower(() => c.baseUrl);
    follower.connect('anew');
    await c.until('a snapshot', () => follower.cursor !== undefined);
    await tools.call('agor_sessions_update', { sessionId: own.sessionId, title: 'By a tool' });
    expect((await c.client.call('sessions.get', { sessionId: own.sessionId })).title).toBe('By a tool');
    const { sessionId } = await child('@report succeeded done');
    expect((await c.client.call('sessions.get', { sessionId: own.sessionId })).genealogy.children).toContain(sessionId);
    const told = () => follower.followings.flatMap(({ events }) => events);
    const ended = ({ type, data }: ConsoleEvent) => type === 'notice.created' && data.aboutSessionId === sessionId;
    await c.until('the end of the child', () => told().some(ended));
    expect(told().filter(ended)).toHaveLength(1);
    expect(told().filter(({ alias }) => alias === 'genealogy')).toMatchObject([
      { type: 'session.spawned', data: { parentSessionId: own.sessionId, childSessionId: sessionId } },
      {
        type: 'task.ended',
        subject: { kind: 'task' },
        data: { parentSessionId: own.sessionId, childSessionId: sessionId, status: 'completed' },
      },
    ]);
    expect(told()).toContainEqual(
      expect.objectContaining({
        type: 'session.updated',
        alias: 'sessions patched',
        data: expect.objectContaining({ title: 'By a tool' }),
      }),
    );
    follower.leave();
  });

  it('is reported to every client that watches the session', async () => {
    const { sessionId, taskId } = await child('@ask go on?\n@report succeeded done');
    const seen = await Promise.all(
      (['legacy', 'modern'] as const).map(async (era) => {
        const updates: Update[] = [];
        await (await connect(era)).watch(`agor://session/${sessionId}`, (update) => updates.push(update));
        return updates;
      }),
    );
    await tools.call('agor_tasks_cancel', { taskId });
    await c.until('both to hear of the end', () =>
      seen.every((updates) => updates.some(({ events }) => events.some(({ type }) => type === 'task.ended'))),
    );
  });
});

describe.each(['legacy', 'modern'] as const)('a prompt requested by a %s client', (era) => {
  const text = async (name: string, args: Record<string, string>) => {
    const { messages } = await (await connect(era)).getPrompt({ name, arguments: args });
    const [{ role, content } = { role: 'nobody', content: { type: 'none' } }] = messages;
    expect([messages.length, role]).toEqual([1, 'user']);
    if (content.type !== 'text' || !('text' in content)) throw new Error('a prompt of ours is one text');
    return content.text;
  };

  it('is one of several, and getting it changes nothing', async () => {
    const mcp = await connect(era);
    const before = await tools.call('agor_boards_list', {});
    const { prompts } = await mcp.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'spawn-subsession',
      'create-board',
      'duplicate-worktree',
      'orchestrate-review',
      'orchestrate-implement-test-review',
      'orchestrate-race',
      'orchestrate-map',
    ]);
    await text('create-board', { name: 'x' });
    expect(await tools.call('agor_boards_list', {})).toEqual(before);
  });

  it('names its session and tools that do what it describes', async () => {
    const subsession = await text('spawn-subsession', { prompt: 'write the docs' });
    for (const word of [own.sessionId, '> write the docs', 'agor_sessions_spawn']) expect(subsession).toContain(word);
    const board = await text('create-board', { name: 'Auth', purpose: 'the login' });
    for (const word of ['> Auth', '> the login', 'agor_boards_create']) expect(board).toContain(word);
    const copy = await text('duplicate-worktree', { worktreeId: 'w-1', prompt: 'try it' });
    for (const word of ['> w-1', '> try it', 'delegate_to_worktree', 'baseBranch']) expect(copy).toContain(word);
    const fields = (await (await connect(era)).listTools()).tools.find(({ name }) => name === 'agor_boards_create');
    expect(Object.keys(fields?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining(['name', 'description', 'zones']),
    );
  });
});
