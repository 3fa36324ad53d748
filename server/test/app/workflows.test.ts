import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS } from '../e2e/support/mcp.ts';
import { transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, tokenOf } from '../support/calling.ts';
import { type Block, blocksOf, difference, fill, type Names, readDocument } from '../support/documents.ts';
import { cat } from '../support/memory-runner/programs.ts';

/**
 * One section of the document. The info string of each code block names the tool or method to call, or the kind of the
 * block: `answer`, `notice`, `prompt` or `told`.
 */
interface Workflow {
  title: string;
  blocks: Block[];
}
/** Context of one workflow: the session whose agent makes the calls, and the values of the placeholders. */
interface Run {
  me: { sessionId: string; workerId: string; worktreeId: string };
  names: Names;
}
interface Case {
  before?: (run: Run) => Promise<void>;
  after?: (run: Run) => Promise<void>;
}

interface AgentMessage {
  role: string;
  parts: unknown[];
}

const workflows = readDocument('docs/guide/workflows.md')
  .split(/^## /m)
  .slice(1)
  .map((section): Workflow => ({ title: section.slice(0, section.indexOf('\n')), blocks: blocksOf(section) }));
/** Folder of a stand-in program named `codex`. The tests of real agents cover Codex itself. */
const programs = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-programs-')));
let c: InProcessApp;
let counter = 0;

beforeAll(async () => {
  writeFileSync(join(programs, 'codex'), '#!/bin/sh\ncase "$1" in --*) exit;; esac\ncat\n');
  chmodSync(join(programs, 'codex'), 0o755);
  c = await startTestApp({
    programs: { codex: cat },
    env: { PATH: `${programs}:${process.env.PATH}` },
  });
  await c.client.call('settings.update', { delegationChildren: 20, liveSessions: 100 });
});
afterAll(async () => {
  await c.close();
  rmSync(programs, { recursive: true, force: true });
});

const get = (sessionId: string) => c.client.call('sessions.get', { sessionId });
const sessions = async () => (await c.client.call('sessions.list', { limit: 500 })).data;
const ended = (taskId: string) =>
  c.until('the end of a task', async () => {
    const task = await c.client.call('tasks.get', { taskId });
    return task.endedAt !== null && task;
  });

/** Creates a session with a worktree and a running agent that has finished one prompt of a person. */
async function session(prompt: string, title?: string) {
  counter += 1;
  const { sessionId, workerId, taskId } = await c.client.call('delegations.create', {
    repositoryId: c.repository.id,
    agentId: 'scripted',
    branch: `given-${counter}`,
    prompt,
    ...(title === undefined ? {} : { title }),
  });
  await ended(taskId);
  return { sessionId, workerId, worktreeId: (await get(sessionId)).worktreeId ?? '' };
}

/** Makes the agent of a session call a tool in a turn of its own. Resolves to the result of the tool. */
async function callByAgent(sessionId: string, tool: string, args: unknown): Promise<unknown> {
  const known = transcriptOf(c, sessionId).length;
  const prompt = `@tool ${tool} ${JSON.stringify(args)}`;
  await ended((await c.client.call('sessions.prompt', { sessionId, prompt })).taskId);
  const said = transcriptOf(c, sessionId).slice(known);
  const lead = `tool ${tool}: `;
  const answer = said.find(({ role, text }) => role === 'agent' && text?.startsWith(lead))?.text;
  if (answer === undefined) throw new Error(`no answer of ${tool}: ${said.map(({ text }) => text).join('\n')}`);
  return JSON.parse(answer.slice(lead.length));
}

async function callByOwner(tool: string, args: Record<string, unknown>): Promise<unknown> {
  const { token } = await c.client.call('tokens.create', { name: 'me', scopes: ['read', 'write', 'owner'] });
  const tools = await openTools(c, token);
  return tools.call(tool, args).finally(() => tools.close());
}

/** Sends an MCP prompt to the agent of a session, as if a person chose it there. Returns what the agent received. */
async function choosePrompt({ sessionId, workerId }: Run['me'], args: { name: string }): Promise<string> {
  const client = await ERAS.modern(`${c.baseUrl}/mcp`, tokenOf(c, workerId));
  const { messages } = await client.getPrompt(args).finally(() => client.close());
  const [content] = messages.map((message) => message.content);
  if (content?.type !== 'text') throw new Error('a prompt of ours is one text');
  await ended((await c.client.call('sessions.prompt', { sessionId, prompt: content.text })).taskId);
  return transcriptOf(c, sessionId).findLast(({ role }) => role === 'user')?.text ?? '';
}

async function follow({ blocks }: Workflow, { me, names }: Run): Promise<void> {
  let call: () => Promise<unknown> = () => Promise.reject(new Error('an answer stands behind its call'));
  let told = '';
  for (const { info, text } of blocks) {
    const [name = '', as, who] = info.split(' ');
    if (name === 'answer') {
      await answers(call, JSON.parse(text), names);
    } else if (name === 'prompt') {
      await c.client.call('sessions.prompt', { sessionId: me.sessionId, prompt: fill(text, names) });
    } else if (name === 'notice') {
      await heard(me.sessionId, text, names);
    } else if (name === 'told') {
      for (const line of text.split('\n')) expect(told).toContain(fill(line, names));
    } else {
      const args = JSON.parse(fill(text, names));
      if (name === 'prompts/get') told = await choosePrompt(me, args);
      else
        call = () => (as === 'as' && who === 'owner' ? callByOwner(name, args) : callByAgent(me.sessionId, name, args));
    }
  }
}

/**
 * Compares the result of a call with `shown`, the result in the document. Repeats a call that returns messages, because
 * messages are stored shortly after the events that they describe.
 */
async function answers(call: () => Promise<unknown>, shown: Record<string, unknown>, names: Names): Promise<void> {
  let found = difference(shown, await call(), names);
  if (found !== undefined && 'messages' in shown) {
    await c.until(found, async () => {
      found = difference(shown, await call(), names);
      return found === undefined;
    });
  }
  expect(found).toBeUndefined();
}

/**
 * Waits until the agent of a session got a notice with this line. Stores in `names` the id that the notice has in place
 * of the line's placeholder `<name>`.
 */
async function heard(sessionId: string, line: string, names: Names): Promise<void> {
  const [, before = '', name = '', behind = ''] = /^(.*)<([a-z]+)>(.*)$/.exec(line) ?? [];
  await c.until(`the notice ${line}`, () => {
    const lines = transcriptOf(c, sessionId).flatMap(({ role, text }) => (role === 'user' ? text?.split('\n') : []));
    const found = lines.find((each) => each?.startsWith(before) && each.endsWith(behind));
    if (found !== undefined) names.set(name, found.slice(before.length, found.length - behind.length));
    return found !== undefined;
  });
}

/** What to prepare and check for each section of the document, by the title of the section. */
const CASES: Record<string, Case> = {
  'Continue your own work': {
    before: async ({ names }) => void names.set('sessions', String((await sessions()).length)),
    async after({ me, names }) {
      const { tasks } = await get(me.sessionId);
      expect(tasks.filter(({ prompt }) => prompt.startsWith('Now add integration tests'))).toHaveLength(1);
      expect(tasks.find(({ id }) => id === names.get('next'))?.source).toMatchObject({ id: me.sessionId });
      expect((await sessions()).length).toBe(Number(names.get('sessions')));
    },
  },
  'Try an alternative': {
    before: async ({ names }) => void names.set('sessions', String((await sessions()).length)),
    async after({ names }) {
      expect((await sessions()).length).toBe(Number(names.get('sessions')) + 1);
      const heardFirst = transcriptOf(c, names.get('fork') ?? '').find(({ role }) => role === 'user');
      expect(heardFirst?.text).toBe('@say I am ready');
    },
  },
  'Work in another worktree': {
    async before({ names }) {
      const repositoryId = c.repository.id;
      const branch = 'feature-dashboard';
      const { jobId } = await c.client.call('worktrees.create', { repositoryId, mode: 'custom', branch, name: branch });
      await c.until('a worktree', async () => (await c.client.call('jobs.get', { jobId })).state === 'succeeded');
      names.set('repository', repositoryId);
    },
    async after({ me, names }) {
      const other = await c.client.call('worktrees.get', { worktreeId: names.get('dashboard') ?? '' });
      expect(c.git(['log', '-1', '--format=%s'], other.path)).toContain('Create a metrics dashboard');
      expect(c.git(['log', '-1', '--format=%s'], (await get(me.sessionId)).cwd)).toBe('First commit');
    },
  },
  'Hand a part to another agent': {
    async after({ me, names }) {
      const docs = names.get('docs') ?? '';
      expect((await get(docs)).depth).toBe((await get(me.sessionId)).depth + 1);
      expect(await callByAgent(me.sessionId, 'get_session_status', { sessionId: me.sessionId })).toMatchObject({
        status: 'active',
      });
      await c.client.call('sessions.stop', { sessionId: docs });
    },
  },
  'Review your work': {
    async after({ me }) {
      expect(await get(me.sessionId)).toMatchObject({
        status: 'completed',
        title: 'Implement JWT authentication with refresh tokens',
      });
    },
  },
  'Coordinate without a person': {
    async after({ me, names }) {
      const root = await c.until('the summary', async () => {
        const found = await get(me.sessionId);
        return found.status === 'completed' && found;
      });
      expect(root.description).toBe('The parser is done. The lexer failed: the grammar is ambiguous.');
      const children = await Promise.all(root.genealogy.children.map(get));
      expect(children.map(({ id, title, tasks }) => [id.slice(0, 18), title, tasks[0]?.status])).toEqual([
        [names.get('parser'), 'Parser', 'completed'],
        [names.get('lexer'), 'Lexer', 'failed'],
      ]);
      // A person has sent only two prompts: the first prompt of the session, and the prompt from the document.
      const people = [root, ...children].flatMap(({ tasks }) => tasks.filter(({ source }) => source.kind === 'person'));
      expect(people).toHaveLength(2);
      expect((await c.client.call('approvals.list', { sessionId: me.sessionId })).total).toBe(0);
    },
  },
  'Copy a board': {
    before: async () => void (await c.client.call('boards.create', { name: 'Airflow', zones: ['Doing', 'Done'] })),
    async after({ names }) {
      expect(names.get('copy')).not.toBe(names.get('airflow'));
      const { zones } = await c.client.call('boards.get', { boardId: names.get('copy') ?? '' });
      expect(zones.map(({ name }) => name)).toEqual(['Doing', 'Done']);
    },
  },
  'Add a teammate': {
    async after({ me, names }) {
      const { username } = await c.client.call('users.get', { userId: names.get('sarah') ?? '' });
      expect(username).toBe('sarah');
      const tools = await openTools(c, tokenOf(c, me.workerId));
      const refused = await refusal(tools.call('agor_users_create', { username: 'tom' }));
      expect(refused.code).toBe('PERMISSION_DENIED');
      await tools.close();
    },
  },
  'Find your surroundings': {
    async before({ me, names }) {
      const { id: boardId } = await c.client.call('boards.create', { name: 'Release 2' });
      const neighbour = await session('@say The build is green again', 'Fix the build');
      for (const { worktreeId } of [me, neighbour]) await c.client.call('worktrees.update', { worktreeId, boardId });
      names.set('neighbour', neighbour.sessionId);
    },
  },
  'Ask what another session decided': {
    async after({ me, names }) {
      const args = { sessionId: names.get('schema'), includeMessages: true };
      const { messages } = (await callByAgent(me.sessionId, 'agor_sessions_get', args)) as { messages: AgentMessage[] };
      const last = messages.findLast(({ role }) => role === 'agent');
      expect(last?.parts).toMatchObject([{ text: 'The users table has id, email and created_at' }]);
    },
  },
  'Run something in a subsession': {
    async after({ me, names }) {
      const child = await get(names.get('tests') ?? '');
      expect(child.genealogy.parentSessionId).toBe(me.sessionId);
      expect(await ended(child.tasks[0]?.id ?? '')).toMatchObject({ status: 'completed', summary: '12 tests pass' });
    },
  },
};

describe('the document of workflows', () => {
  it('has the sections of this test, each with calls and their results', () => {
    expect(workflows.map(({ title }) => title)).toEqual(Object.keys(CASES));
    const infos = (blocks: readonly Block[]) => blocks.map(({ info }) => info);
    for (const { blocks } of workflows)
      expect(infos(blocks)).toContain(blocks[0]?.info === 'prompt' ? 'notice' : 'answer');
  });

  it.each(workflows)('$title', async (workflow) => {
    const me = await session('@say I am ready');
    const run: Run = { me, names: new Map([['me', me.sessionId]]) };
    await CASES[workflow.title]?.before?.(run);
    await follow(workflow, run);
    await CASES[workflow.title]?.after?.(run);
  });
});
