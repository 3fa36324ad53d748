import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownSession } from '../e2e/support/delegations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal, type ToolClient, tokenOf } from '../support/calling.ts';
import { FURTHER_TOOLS } from '../support/tool-names.ts';

type Answer = Record<string, unknown>;
interface Page {
  total: number;
  data: Answer[];
}

let c: InProcessApp;
let own: { sessionId: string; workerId: string; taskId: string };
let tools: ToolClient;
let admin: ToolClient;
let worktreeId: string;
let boardId: string;
/** Folder with programs that have the names of agents and keep running. */
const programs = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-programs-')));

const create = (fields: object = {}) =>
  tools.call('agor_sessions_create', { worktreeId, agenticTool: 'scripted', ...fields });
const get = (sessionId: unknown) => tools.call('agor_sessions_get', { sessionId });

beforeAll(async () => {
  for (const name of ['codex', 'gemini']) {
    writeFileSync(join(programs, name), '#!/bin/sh\ncase "$1" in --*) exit;; esac\ncat\n');
    chmodSync(join(programs, name), 0o755);
  }
  c = await startTestApp({ env: { PATH: `${programs}:${process.env.PATH}` } });
  own = await ownSession(c, '@report succeeded done');
  tools = await openTools(c, tokenOf(c, own.workerId), '?toolsets=all');
  const { token } = await c.client.call('tokens.create', { name: 'admin', scopes: ['read', 'write', 'owner'] });
  admin = await openTools(c, token, '?toolsets=all');
  worktreeId = (await c.client.call('sessions.get', { sessionId: own.sessionId })).worktreeId ?? '';
  boardId = (await c.client.call('boards.create', { name: 'Board' })).id;
  await c.client.call('worktrees.update', { worktreeId, boardId });
});
afterAll(async () => {
  await tools.close();
  await admin.close();
  await c.close();
  rmSync(programs, { recursive: true, force: true });
});

describe('the answers of tools', () => {
  it('share one envelope for lists, with pages without gaps or duplicates', async () => {
    for (const name of ['b', 'c', 'd']) {
      await create({ title: name });
      await tools.call('agor_boards_create', { name });
      await tools.call('agor_worktrees_create', { repoId: c.repository.id, branch: `list-${name}` });
      await c.client.call('sessions.prompt', { sessionId: own.sessionId, prompt: `@say ${name}` });
      await c.addRepository(`list-${name}`);
      await tools.call('orchestrations_create', { objective: name, agents: [] });
    }
    await tools.call('orchestrations_create', { objective: 'e', agents: [] });
    await c.client.call('sessions.wait', { sessionId: own.sessionId, timeoutSeconds: 45 });
    const needed: Record<string, Answer> = { agor_worktrees_list: { repoId: c.repository.id } };
    for (const name of ['agor_sessions_list', ...FURTHER_TOOLS.filter((each) => each.endsWith('_list'))]) {
      const page = (fields: object) => tools.call(name, { ...needed[name], ...fields }) as Promise<Answer & Page>;
      const whole = await page({});
      expect(Object.keys(whole), name).toEqual(['total', 'limit', 'skip', 'data']);
      expect(whole, name).toMatchObject({ limit: 50, skip: 0 });
      expect(whole.total, name).toBeGreaterThan(3);
      expect(whole.data, name).toHaveLength(whole.total);
      for (const skip of whole.data.keys()) {
        expect(await page({ limit: 1, skip }), name).toEqual({
          total: whole.total,
          limit: 1,
          skip,
          data: [whole.data[skip]],
        });
      }
    }
  });

  it('share one envelope for created objects, around the object as its get tool returns it', async () => {
    const cases: [tools: ToolClient, creates: string, args: Answer, gets: string, id: string][] = [
      [tools, 'agor_sessions_create', { worktreeId, agenticTool: 'scripted' }, 'agor_sessions_get', 'session'],
      [tools, 'agor_boards_create', { name: 'Made', zones: ['Next', 'Now'] }, 'agor_boards_get', 'board'],
      [tools, 'agor_boards_duplicate', { boardId, newName: 'Copy' }, 'agor_boards_get', 'board'],
      [tools, 'agor_worktrees_create', { repoId: c.repository.id, branch: 'made' }, 'agor_worktrees_get', 'worktree'],
      [admin, 'agor_users_create', { username: 'ann' }, 'agor_users_get', 'user'],
    ];
    for (const [by, creates, args, gets, noun] of cases) {
      const { created, entity_id: id, entity, ...rest } = await by.call(creates, args);
      expect([created, rest], creates).toEqual([true, {}]);
      // The console computes the git status of a worktree anew for each response, so its `computed_at` differs.
      const untimed = (answer: unknown) => ({ ...(answer as object), git_status: undefined });
      expect(untimed(entity), creates).toEqual(untimed(await by.call(gets, { [`${noun}Id`]: id })));
      expect(entity, creates).toMatchObject({ [`${noun}_id`]: id });
    }
  });

  it('have the fields and types of the design', async () => {
    const text = expect.any(String);
    const session = await get(own.sessionId);
    expect(session).toMatchObject({
      session_id: own.sessionId,
      status: 'idle',
      agentic_tool: 'scripted',
      title: text,
      worktree_id: worktreeId,
      genealogy: { parent_session_id: null, forked_from_session_id: null, children: expect.any(Array) },
      tasks: expect.arrayContaining([own.taskId]),
      message_count: expect.any(Number),
      created_at: text,
    });
    const task = await tools.call('agor_tasks_get', { taskId: own.taskId });
    const times = { created_at: text, started_at: text, ended_at: text };
    const end = { status: 'completed', summary: 'done', error: null, outcome_source: 'report' };
    expect(task).toMatchObject({ task_id: own.taskId, session_id: own.sessionId, prompt: text, ...end, ...times });
    const { data } = (await tools.call('agor_tasks_list', { sessionId: own.sessionId })) as Answer & Page;
    expect(data.map((row) => row.created_at)).toEqual(
      data
        .map((row) => row.created_at)
        .sort()
        .reverse(),
    );
    for (const answer of [session, task, ...data]) expect(JSON.stringify(answer)).not.toMatch(/"[a-z]+[A-Z]\w*":/);
  });

  it('contain a board with the zones it was created with, side by side', async () => {
    const { entity } = await tools.call('agor_boards_create', { name: 'Staged', zones: ['Next', 'Now', 'Done'] });
    const { zones } = entity as { zones: { id: string; name: string; color: string; x: number; width: number }[] };
    expect(zones.map(({ name }) => name)).toEqual(['Next', 'Now', 'Done']);
    for (const [at, zone] of zones.entries()) {
      const before = zones[at - 1];
      if (before !== undefined) expect(zone.x).toBeGreaterThanOrEqual(before.x + before.width);
    }
    const placed = { worktreeId, boardId: (entity as Answer).board_id, zoneId: zones[1]?.id };
    expect(await tools.call('agor_worktrees_update', placed)).toMatchObject({ zone_id: zones[1]?.id });
    await c.client.call('worktrees.update', { worktreeId, boardId });
    const none = await tools.call('agor_boards_list', { limit: 1 });
    expect(await refusal(tools.call('agor_boards_create', { name: 'x', zones: ['a', ' '] }))).toMatchObject({
      code: 'VALIDATION',
    });
    expect((await tools.call('agor_boards_list', { limit: 1 })).total).toBe(none.total);
  });

  it('contain the sessions of one board on request', async () => {
    const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    const { data, total } = (await tools.call('agor_sessions_list', { boardId, limit: 500 })) as Answer & Page;
    expect(data).toHaveLength(total);
    expect(data.map((row) => row.session_id)).toContain(own.sessionId);
    expect(data.map((row) => row.session_id)).not.toContain(id);
  });
});

describe('the list of worktrees', () => {
  it("covers an agent's own repository by default, and all repositories for a person", async () => {
    const other = await c.addRepository('other-worktrees');
    const repositories = async (by: ToolClient, fields: object = {}) =>
      new Set(
        ((await by.call('agor_worktrees_list', { limit: 500, ...fields })) as Answer & Page).data.map(
          (row) => row.repo_id,
        ),
      );
    expect(await repositories(tools)).toEqual(new Set([c.repository.id]));
    expect(await repositories(tools, { repoId: other.id })).toEqual(new Set([other.id]));
    const all = await repositories(admin);
    expect(all.has(c.repository.id) && all.has(other.id)).toBe(true);
    rmSync(other.path, { recursive: true });
    expect((await repositories(admin)).has(c.repository.id)).toBe(true);
  });
});

describe('a session of an agent', () => {
  it('is in a worktree that exists, and never in the main checkout', async () => {
    const made = await tools.call('agor_worktrees_create', { repoId: c.repository.id, branch: 'gone' });
    await c.client.call('worktrees.remove', { worktreeId: String(made.entity_id) });
    const main = (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data.find(
      ({ kind }) => kind === 'main',
    );
    const before = (await tools.call('agor_sessions_list', {})).total;
    expect(await refusal(create({ worktreeId: made.entity_id }))).toMatchObject({
      code: 'CONFLICT',
      details: { state: 'removed' },
    });
    expect(await refusal(create({ worktreeId: main?.id }))).toMatchObject({ code: 'PERMISSION_DENIED' });
    const quick = asWorker(c, own.workerId).call('sessions.create', { cwd: c.folder, agentId: 'scripted' });
    expect(await refusal(quick)).toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringMatching(/quick/) });
    expect((await tools.call('agor_sessions_list', {})).total).toBe(before);
  });

  it('is not created for an agent that is not installed', async () => {
    await c.client.call('agents.create', { id: 'absent', name: 'Absent', command: [join(programs, 'absent')] });
    const before = (await tools.call('agor_sessions_list', {})).total;
    expect(await refusal(create({ agenticTool: 'absent' }))).toMatchObject({ code: 'AGENT_UNAVAILABLE' });
    expect((await tools.call('agor_sessions_list', {})).total).toBe(before);
  });

  it('keeps fields that an update does not name, and accepts an empty title', async () => {
    const { entity_id: id, entity } = await create({ title: 'Old', permissionMode: 'default' });
    const update = (fields: object) => tools.call('agor_sessions_update', { sessionId: id, ...fields });
    const { permission_config: config } = entity as { permission_config: Answer };
    expect(await update({ title: '' })).toMatchObject({ title: '', permission_config: config });
    const changed = (await update({ permissionMode: 'plan' })).permission_config;
    expect(changed).toMatchObject({ mode: 'plan', requested_mode: 'plan' });
    const { mode: _, requested_mode: __, ...kept } = config;
    expect(changed).toMatchObject(kept);
    expect(await update({ status: 'failed' })).toMatchObject({ status: 'failed', title: '' });
    expect(await get(id)).toMatchObject({ status: 'failed', permission_config: changed as Answer });
  });

  it('passes its agent on to its descendants unless they name another', async () => {
    const { entity_id: id, entity } = await create({ agenticTool: 'codex' });
    expect(entity).toMatchObject({ agentic_tool: 'codex', permission_config: { mode: 'auto' } });
    const agents: unknown[] = [];
    for (const fields of [{}, { agenticTool: 'gemini' }]) {
      const args = { sessionId: id, prompt: 'hello', mode: 'subsession', ...fields };
      const { sessionId } = await tools.call('agor_sessions_prompt', args);
      agents.push((await get(sessionId)).agentic_tool);
      await c.client.call('sessions.stop', { sessionId: String(sessionId) });
    }
    expect(agents).toEqual(['codex', 'gemini']);
    expect(await get(id)).toMatchObject({ agentic_tool: 'codex' });
  });
});
