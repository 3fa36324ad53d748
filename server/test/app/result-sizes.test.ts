import { TOOL_RESULT_BYTES } from '@agent-console/shared/limits/answers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownSession } from '../e2e/support/delegations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, type ToolClient, tokenOf } from '../support/calling.ts';
import { DEFAULT_SETS, FURTHER_TOOLS } from '../support/tool-names.ts';

type Answer = Record<string, unknown>;

const TURNS = 30;
const LONG = 75_000;
/** Returns a text of this length that contains its own positions, so that a test can detect lost parts. */
const text = (name: string, length: number) =>
  Array.from({ length: Math.ceil(length / 20) }, (_, at) => `${name} ${String(at).padStart(8, '0')}`.padEnd(19, '.'))
    .join(' ')
    .slice(0, length);

let c: InProcessApp;
let own: { sessionId: string; workerId: string; taskId: string };
let tools: ToolClient;
/** Calls tools as a person, because an agent that pauses its own session would lose its token. */
let person: ToolClient;
let worktreeId: string;
/** Id of the task with the longest possible summary. */
let reported: string;
let boardId: string;
let orchestrationId: string;

const bytes = (answer: Answer) => Buffer.byteLength(JSON.stringify(answer));

beforeAll(async () => {
  c = await startTestApp();
  own = await ownSession(c, '@say ready\n@report succeeded ready');
  tools = await openTools(c, tokenOf(c, own.workerId), '?toolsets=all');
  person = await openTools(c, (await c.client.call('tokens.create', { name: 'person' })).token, '?toolsets=all');
  const { sessionId } = own;
  worktreeId = (await c.client.call('sessions.get', { sessionId })).worktreeId ?? '';
  boardId = (await c.client.call('boards.create', { name: 'Board', description: text('about', 20_000) })).id;
  await c.client.call('worktrees.update', { worktreeId, boardId });
  for (let at = 0; at < 30; at += 1) await c.client.call('boards.create', { name: `Board ${at} ${text('n', 60)}` });
  for (let at = 0; at < 55; at += 1) {
    const title = `Session ${at}: ${text('title', 60)}`;
    const description = text('description', 2_000);
    const where = at % 2 === 0 ? { cwd: c.folder } : { worktreeId };
    await c.client.call('sessions.create', { ...where, agentId: 'scripted', title, description });
  }
  for (let at = 0; at < TURNS; at += 1) {
    await c.client.call('sessions.prompt', { sessionId, prompt: `@say ${text(`answer${at}`, 1_000)}` });
  }
  for (let at = 0; at < 3; at += 1) {
    await c.client.call('sessions.prompt', { sessionId, prompt: `@say ${text(`long${at}`, LONG)}` });
  }
  for (let at = 0; at < 20; at += 1) {
    const agents = Array.from({ length: 10 }, () => ({
      role: 'worker',
      agenticTool: 'scripted',
      task: text('task', 500),
    }));
    const fields = { objective: text('objective', 4_000), repositoryId: c.repository.id, agents };
    orchestrationId = (await c.client.call('orchestrations.create', fields)).id;
  }
  const report = { sessionId, prompt: `@report succeeded ${text('summary', 19_900)}` };
  reported = (await c.client.call('sessions.prompt', report)).taskId;
  await c.until('the end of the last turn', async () => {
    const { stillRunning } = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });
    return !stillRunning;
  });
  await c.until('every message', async () => {
    const { total } = await c.client.call('sessions.messages', { sessionId });
    return total >= 2 * (TURNS + 3) + 4;
  });
}, 120_000);
afterAll(async () => {
  await tools.close();
  await person.close();
  await c.close();
});

/** Arguments of every reading tool, as an agent passes them when it polls for news. */
const CASES: Record<string, () => Answer> = {
  list_sessions: () => ({}),
  get_session_status: () => ({ sessionId: own.sessionId }),
  wait_for_session: () => ({ sessionId: own.sessionId, timeoutSeconds: 0 }),
  read_session_output: () => ({ sessionId: own.sessionId }),
  agor_sessions_search: () => ({ query: 'Session' }),
  agor_sessions_list: () => ({}),
  agor_sessions_get: () => ({ sessionId: own.sessionId }),
  agor_sessions_get_current: () => ({}),
  agor_sessions_genealogy: () => ({ sessionId: own.sessionId }),
  agor_repos_list: () => ({}),
  agor_repos_get: () => ({ repoId: c.repository.id }),
  agor_worktrees_list: () => ({}),
  agor_worktrees_get: () => ({ worktreeId }),
  agor_boards_list: () => ({}),
  agor_boards_get: () => ({ boardId }),
  agor_tasks_list: () => ({}),
  agor_tasks_get: () => ({ taskId: reported }),
  agor_users_get_current: () => ({}),
  orchestrations_list: () => ({}),
  orchestrations_get: () => ({ orchestrationId }),
  orchestrations_events: () => ({ orchestrationId }),
};

/** Arguments of tools that return what they changed. Their results must be as short as those of reading tools. */
const CHANGES: Record<string, () => Answer> = {
  agor_sessions_update: () => ({ sessionId: own.sessionId, description: text('description', 20_000) }),
  agor_sessions_create: () => ({ worktreeId, agenticTool: 'scripted', description: text('description', 20_000) }),
  pause_session: () => ({ sessionId: own.sessionId }),
  resume_session: () => ({ sessionId: own.sessionId }),
  stop_session: () => ({ sessionId: own.sessionId }),
};

describe('results of tools in a session with a long conversation, among 55 others', () => {
  it('are measured for every reading tool', () => {
    const reads = [...DEFAULT_SETS, ...FURTHER_TOOLS].filter((name) =>
      /_(list|get|get_current|search|genealogy|status|output)$|^(list|wait_for)_/.test(name),
    );
    expect(reads.filter((name) => !(name in CASES) && name !== 'agor_users_get')).toEqual([]);
  });

  it.each(Object.keys(CASES))('%s is short by default', async (name) => {
    expect(bytes(await tools.call(name, CASES[name]?.() ?? {}))).toBeLessThan(TOOL_RESULT_BYTES);
  });

  it.each([{ includeMessages: true }, { messagesFrom: 1 }, { messagesFrom: 60 }, { messagesFrom: 65 }])(
    'agor_sessions_get is short with %o',
    async (asked) => {
      const answer = await tools.call('agor_sessions_get', { sessionId: own.sessionId, ...asked });
      expect(bytes(answer)).toBeLessThan(TOOL_RESULT_BYTES);
      expect((answer.messages as unknown[]).length).toBeGreaterThan(0);
    },
  );

  it('list fifty sessions, or as many long ones as fit, with the limit that leads to the next page', async () => {
    expect(await tools.call('agor_sessions_list', {})).toMatchObject({ limit: 50, data: { length: 50 } });
    const first = (await tools.call('agor_tasks_list', {})) as { limit: number; total: number; data: Answer[] };
    expect(first.data.length).toBeGreaterThan(5);
    expect(first).toMatchObject({ limit: first.data.length });
    const rest = await tools.call('agor_tasks_list', { skip: first.limit, limit: 500 });
    const all = await tools.call('agor_tasks_list', { limit: 500 });
    expect([...first.data, ...(rest.data as Answer[])]).toEqual(all.data);
  });

  it('contain cut summaries, and name the tool that returns the rest', async () => {
    const summary = text('summary', 19_900);
    for (const name of ['get_session_status', 'wait_for_session']) {
      const { task } = (await tools.call(name, CASES[name]?.() ?? {})) as { task: { summary: string } };
      expect(task.summary, name).toMatch(/… \[cut; use agor_tasks_get for the full text\]$/);
      expect(summary.startsWith(task.summary.slice(0, 500)), name).toBe(true);
    }
    const { tasks } = await c.client.call('sessions.get', { sessionId: own.sessionId });
    expect(tasks.at(-1)).toMatchObject({ id: reported, summary: `${summary.slice(0, 500)}…`, summaryTruncated: true });
    const whole = await c.client.call('tasks.get', { taskId: reported });
    expect(whole.summary).toBe(summary);
    expect(whole).not.toHaveProperty('summaryTruncated');
  });

  it('read a whole task page by page, without gaps or duplicates', async () => {
    let [prompt, summary] = ['', ''];
    let textOffset: number | null = 0;
    while (textOffset !== null) {
      const page: Answer = await tools.call('agor_tasks_get', { taskId: reported, textOffset });
      expect(bytes(page)).toBeLessThan(TOOL_RESULT_BYTES);
      prompt += String(page.prompt);
      summary += String(page.summary);
      textOffset = page.next_text_offset as number | null;
    }
    const whole = await c.client.call('tasks.get', { taskId: reported });
    expect([prompt, summary]).toEqual([whole.prompt, whole.summary]);
  });

  it('read a whole conversation page by page, without gaps or duplicates', async () => {
    // The first page starts a few short turns before the three long turns, whose prompts and answers have 75 kB each.
    const first = 2 * TURNS - 3;
    const said = new Map<number, string>();
    let next: Answer | null = { messagesFrom: first };
    while (next !== null) {
      const page: Answer = await tools.call('agor_sessions_get', { sessionId: own.sessionId, ...next });
      expect(bytes(page)).toBeLessThan(TOOL_RESULT_BYTES);
      for (const { seq, parts } of page.messages as { seq: number; parts: { text: string }[] }[]) {
        said.set(seq, (said.get(seq) ?? '') + parts.map((part) => part.text).join(''));
      }
      next = page.messages_next as Answer | null;
    }
    const { data } = await c.client.call('sessions.messages', { sessionId: own.sessionId, limit: 500 });
    expect([...said.entries()]).toEqual(
      data.slice(first - 1).map(({ seq, parts }) => [seq, parts.map((part) => part.text).join('')]),
    );
  });

  it.each(Object.keys(CHANGES))('%s returns no more than the matching read', async (name) => {
    expect(bytes(await person.call(name, CHANGES[name]?.() ?? {}))).toBeLessThan(TOOL_RESULT_BYTES);
  });
});
