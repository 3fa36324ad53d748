import { contractOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson, bearer, type Person, sessionOf } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, runCommand, send, type ToolClient } from '../support/calling.ts';

let c: InProcessApp;
let ann: Person;
let bob: Person;
let anns: Awaited<ReturnType<typeof sessionOf>>;
let bobs: Awaited<ReturnType<typeof sessionOf>>;
let tools: ToolClient;

beforeAll(async () => {
  c = await startTestApp();
  [ann, bob] = [await addPerson(c, 'Ann'), await addPerson(c, 'Bob')];
  anns = await sessionOf(c, ann.client, '@say The migration of Zürich has ended\n@say and Bern waits');
  bobs = await sessionOf(c, bob.client, '@say of bob');
  tools = await openTools(c, bobs.token);
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

const newSession = async (fields: { title?: string; description?: string } = {}, by = c.client) =>
  (await by.call('sessions.create', { cwd: c.folder, agentId: 'scripted', ...fields })).id;
const foundBy = async (query: string, by = c.client) => {
  const { total, data } = await by.call('sessions.search', { query });
  expect(total).toBe(data.length);
  return data.map(({ session }) => session.id);
};
const said = (sessionId: string, text: string) =>
  c.until('an answer', async () => {
    const { data } = await c.client.call('sessions.messages', { sessionId });
    return data.find(({ role, parts }) => role === 'agent' && JSON.stringify(parts).includes(text));
  });

describe('a search for words of another session', () => {
  it('returns the session with message and positions, over REST, MCP and the command line alike', async () => {
    const message = await said(anns.sessionId, 'has ended');
    await c.until('the git status of its worktree', async () => {
      const { gitState } = await c.client.call('sessions.get', { sessionId: anns.sessionId });
      return gitState?.work != null;
    });
    const found = await c.client.call('sessions.search', { query: 'zurich migration', limit: 5 });
    expect(found).toEqual({
      total: 1,
      limit: 5,
      skip: 0,
      data: [
        {
          session: (await c.client.call('sessions.list', { worktreeId: found.data[0]?.session.worktreeId ?? '' }))
            .data[0],
          messageId: message.id,
          seq: message.seq,
          taskId: null,
          more: [],
          snippet: 'The migration of Zürich has ended',
          marks: [
            { start: 4, end: 13 },
            { start: 17, end: 23 },
          ],
          // The query matches three texts: the title, the prompt and the agent's answer.
          matches: 3,
        },
      ],
      truncated: false,
    });
    const several = await c.client.call('sessions.search', { query: 'zurich migration', excerpts: 3 });
    const [prompt] = (await c.client.call('sessions.messages', { sessionId: anns.sessionId })).data;
    expect(several.data).toMatchObject([{ messageId: message.id, more: [{ messageId: prompt?.id, seq: 1 }] }]);
    const wire = await send(
      c,
      'GET',
      '/sessions/search?query=zurich%20migration&limit=5',
      undefined,
      bearer(bob.token),
    );
    expect(wire).toMatchObject({ status: 200, body: found });
    for (const cli of [
      { command: 'sessions search', positional: ['query'] },
      { command: 'session search', positional: ['query'] },
    ])
      expect(
        await runCommand(
          c,
          { ...contractOf('sessions.search'), cli: { ...contractOf('sessions.search').cli, ...cli } },
          { query: 'zurich migration', limit: 5 },
        ),
      ).toEqual(found);
    const byTool = await tools.call('agor_sessions_search', { query: 'zurich migration', agent: 'scripted' });
    expect(byTool).toMatchObject({
      total: 1,
      truncated: false,
      data: [{ session_id: anns.sessionId, message_id: message.id, snippet: found.data[0]?.snippet, status: 'idle' }],
    });
    expect(JSON.stringify(byTool)).not.toMatch(/"[a-z]+[A-Z]\w*":/);
  });

  it('is limited by its filters, page by page', async () => {
    const ids: string[] = [];
    for (const title of ['one', 'two', 'three']) ids.unshift(await newSession({ title: `harbour ${title}` }));
    const { worktreeId } = await c.client.call('sessions.get', { sessionId: anns.sessionId });
    await c.client.call('sessions.update', { sessionId: ids[0] ?? '', status: 'completed' });
    await c.client.call('sessions.archive', { sessionId: ids[1] ?? '' });
    const search = async (fields: object) => {
      const { total, data } = await c.client.call('sessions.search', { query: 'harbour', ...fields });
      return { total, ids: data.map(({ session }) => session.id) };
    };
    expect(await search({})).toEqual({ total: 3, ids });
    expect(await search({ limit: 1, skip: 1 })).toEqual({ total: 3, ids: [ids[1]] });
    expect(await search({ archived: true })).toEqual({ total: 1, ids: [ids[1]] });
    expect(await search({ archived: false })).toEqual({ total: 2, ids: [ids[0], ids[2]] });
    expect(await search({ status: 'completed' })).toEqual({ total: 1, ids: [ids[0]] });
    expect(await search({ status: 'idle', archived: false })).toEqual({ total: 1, ids: [ids[2]] });
    expect(await search({ agentId: 'codex' })).toEqual({ total: 0, ids: [] });
    expect(await search({ worktreeId })).toEqual({ total: 0, ids: [] });
    expect(await search({ query: 'bern', worktreeId })).toEqual({ total: 1, ids: [anns.sessionId] });
    expect(await search({ query: 'bern', repositoryId: c.repository.id })).toEqual({ total: 1, ids: [anns.sessionId] });
    const { id: boardId } = await c.client.call('boards.create', { name: 'Board' });
    expect(await search({ query: 'bern', boardId })).toEqual({ total: 0, ids: [] });
    await c.client.call('worktrees.update', { worktreeId: worktreeId ?? '', boardId });
    expect(await search({ query: 'bern', boardId })).toEqual({ total: 1, ids: [anns.sessionId] });
  });

  it('finds a queued prompt, its message once it has started, and nothing after the session was removed', async () => {
    const sessionId = await newSession();
    await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say lighthouse' });
    const search = async () => (await c.client.call('sessions.search', { query: 'lighthouse' })).data[0];
    expect(await search()).toMatchObject({ taskId, messageId: null, matches: 1, snippet: '@say lighthouse' });
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say go on' });
    const message = await said(sessionId, 'lighthouse');
    expect(await search()).toMatchObject({ taskId: null, messageId: message.id, matches: 2 });
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.remove', { sessionId });
    expect(await foundBy('lighthouse')).toEqual([]);
  });

  it('finds messages from before and after a restart', async () => {
    const sessionId = await newSession();
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say before the restart' });
    await said(sessionId, 'before the restart');
    await c.restart();
    expect(await foundBy('"before the restart"')).toEqual([sessionId]);
    await c.client.call('sessions.prompt', { sessionId, prompt: '@say after the restart' });
    await said(sessionId, 'after the restart');
    expect(await foundBy('"after the restart"')).toEqual([sessionId]);
  });
});

describe('words of a private session', () => {
  it('are found by its owner, their agents and the local owner, and by nobody else', async () => {
    const made = await ann.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      visibility: 'private',
      title: 'obsidian title',
      initialPrompt: '@say obsidian said',
    });
    await said(made.id, 'obsidian said');
    await newSession({ title: 'obsidian of all' }, bob.client);
    for (const query of ['obsidian', 'obsid*', 'title', '"obsidian said"']) {
      for (const by of [ann.client, c.client, anns.client]) expect(await foundBy(query, by), query).toContain(made.id);
      for (const by of [bob.client, bobs.client]) {
        const answer = await by.call('sessions.search', { query });
        expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${made.id}|obsidian (?:title|said)`));
        expect(answer).toMatchObject({ total: query.startsWith('obsid') ? 1 : 0, truncated: false });
      }
      const byTool = await tools.call('agor_sessions_search', { query });
      expect(JSON.stringify(byTool)).not.toMatch(new RegExp(`${made.id}|obsidian (?:title|said)`));
    }
    await ann.client.call('sessions.update', { sessionId: made.id, visibility: 'workspace' });
    expect(await foundBy('"obsidian said"', bob.client)).toEqual([made.id]);
  });
});

describe('a search', () => {
  it.each([
    ['', 'contains no word'],
    ['"* -- !"', 'contains no word; enter words to search for'],
    ['🌍', 'contains no word'],
    ['one\u0000two', 'control character U+0000 at position 3'],
    ['one '.repeat(2_500), 'at most 500'],
    ['a '.repeat(100), 'too many words'],
    ['lo*', 'needs at least 3 characters before the *'],
  ])('that is empty is rejected with instructions %#', async (query, message) => {
    const refused = await refusal(c.client.call('sessions.search', { query }));
    expect(refused).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(message) });
    expect(await refusal(tools.call('agor_sessions_search', { query }))).toEqual(refused);
  });

  it.each([
    '"',
    'a"b',
    'NEAR(bern',
    'text: bern',
    '-bern',
    'bern AND',
    '^bern',
    "'; drop table messages; --",
    'bern %',
    '{x} : bern',
  ])('has no syntax errors: %j', async (words) => {
    const answer = await c.client.call('sessions.search', { query: `${words} bern` });
    expect(answer.truncated).toBe(false);
    expect(await foundBy('bern')).toContain(anns.sessionId);
  });

  it('returns at most two hundred sessions', async () => {
    expect(await refusal(c.client.call('sessions.search', { query: 'bern', limit: 201 }))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('limit'),
    });
    expect(await refusal(tools.call('agor_sessions_search', { query: 'bern', limit: 0 }))).toMatchObject({
      code: 'VALIDATION',
    });
  });
});
