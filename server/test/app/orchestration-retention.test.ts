import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { busy, done, orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
/** Milliseconds by which the server's clock is ahead of the real time. */
let ahead = 0;
beforeAll(async () => {
  c = await startTestApp({ now: () => new Date(Date.now() + ahead) });
});
afterAll(() => c.close());

const { create, status, reached, workerOf, ended, eventsOf, reportAs } = orchestrationsIn(() => c);

type Options = { olderThanDays?: number; archive?: boolean; dryRun?: boolean };
const cleanup = async (options: Options = { olderThanDays: 0 }) =>
  (await c.client.call('orchestrations.cleanup', options)).results;
const namesOf = (results: Awaited<ReturnType<typeof cleanup>>) =>
  results.map(({ orchestrationId }) => orchestrationId).sort();
const folderOf = ({ sharedDirectory }: { sharedDirectory: string }) => dirname(sharedDirectory);
const openTask = expect.stringMatching(/^Session .* has an open task\. Wait until the task has ended, or stop/);
const gone = (orchestrationId: string) => refusal(c.client.call('orchestrations.get', { orchestrationId }));

async function completed(summary = 'done') {
  const { id } = await create([{ agentId: 'a', role: 'engineer', task: done(summary) }], { start: true });
  return ended(id);
}

describe('the cleanup of orchestrations', () => {
  it('removes completed, failed and cancelled ones, and keeps all others', async () => {
    const good = await completed();
    const bad = await create([{ role: 'engineer', task: '@report failed no' }], { start: true });
    await ended(bad.id);
    const off = await create([{ role: 'engineer', task: done() }]);
    await c.client.call('orchestrations.cancel', { orchestrationId: off.id });
    const waits = await create([{ role: 'engineer', task: done() }]);
    const runs = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const rests = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    await workerOf(rests.id, 'a');
    await c.client.call('orchestrations.pause', { orchestrationId: rests.id });

    expect(await cleanup({ olderThanDays: 1 })).toEqual([]);
    const planned = await cleanup({ olderThanDays: 0, dryRun: true });
    expect(namesOf(planned)).toEqual([good.id, bad.id, off.id].sort());
    expect(existsSync(planned[0]?.archive ?? '')).toBe(false);
    expect((await status(good.id)).archivedAt).toBeNull();

    const cleaned = await cleanup();
    expect(namesOf(cleaned)).toEqual(namesOf(planned));
    for (const { orchestrationId, error } of cleaned) {
      expect(error).toBeNull();
      expect(await gone(orchestrationId)).toMatchObject({ code: 'NOT_FOUND' });
    }
    for (const orchestration of [good, bad, off]) expect(existsSync(folderOf(orchestration))).toBe(false);
    for (const { id } of [waits, runs, rests]) {
      expect(existsSync(folderOf(await status(id)))).toBe(true);
      await c.client.call('orchestrations.cancel', { orchestrationId: id });
    }
    // The cleanup of orchestrations keeps their sessions and worktrees, because these have their own retention.
    const [agent] = good.agents;
    expect(await c.client.call('sessions.get', { sessionId: agent?.sessionId ?? '' })).toMatchObject({
      archivedAt: null,
    });
    await cleanup();
  });

  it('ends agents that still work, and keeps the terminals of people', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const worker = await workerOf(id, 'a');
    const { sessionId } = worker;
    const terminal = await c.client.call('workers.create', { sessionId, type: 'terminal' });
    await reportAs(id, 'a');
    await ended(id);
    await cleanup();
    expect(await gone(id)).toMatchObject({ code: 'NOT_FOUND' });
    await c.until('the end of the agent', () => !c.runner.lives(worker.id));
    expect(c.runner.lives(terminal.id)).toBe(true);
    await c.client.call('sessions.stop', { sessionId });
  });

  it('waits for a line that a person has not finished, and ends the other agents', async () => {
    const agents = ['a', 'b'].map((agentId) => ({ agentId, role: 'engineer', task: busy }));
    const { id } = await create(agents, { start: true });
    const [a, b] = [await workerOf(id, 'a'), await workerOf(id, 'b')];
    // The cleanup ends the agents in the order of their ids.
    const [{ id: workerId, sessionId }, other] = a.id < b.id ? [a, b] : [b, a];
    for (const { agentId } of agents) await reportAs(id, agentId);
    await ended(id);
    await c.client.call('workers.input', { workerId, data: 'half a line' });
    const [result] = await cleanup();
    expect(result).toMatchObject({
      orchestrationId: id,
      archive: null,
      error: { code: 'CONFLICT', message: expect.stringContaining(`In session ${sessionId}, somebody has typed`) },
    });
    expect((await status(id)).state).toBe('completed');
    expect(c.runner.lives(workerId)).toBe(true);
    expect((await c.client.call('sessions.get', { sessionId: other.sessionId })).pausedBy).toBe('idle');
    // The cleanup does not end an agent with an unfinished line. Ctrl+U deletes the line.
    await c.client.call('workers.input', { workerId, data: '\x15' });
    expect((await cleanup())[0]?.error).toBeNull();
    await c.until('the end of the agents', () => !c.runner.lives(workerId) && !c.runner.lives(other.id));
  });

  it('waits for a session that somebody continues, and then ends its agent', async () => {
    const { id, agents } = await completed();
    const sessionId = agents[0]?.sessionId ?? '';
    const { taskId = '' } = await c.client.call('sessions.prompt', { sessionId, prompt: busy });
    const worker = await c.until('the agent', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.find(({ state }) => state === 'running');
    });
    expect(await cleanup()).toMatchObject([{ orchestrationId: id, error: { code: 'CONFLICT', message: openTask } }]);
    expect((await status(id)).state).toBe('completed');
    expect((await c.client.call('tasks.get', { taskId })).status).toBe('running');
    await c.client.call('tasks.cancel', { taskId });
    // A mark does not keep the agent either.
    await c.client.call('sessions.update', { sessionId, status: 'completed' });
    expect(await cleanup()).toMatchObject([{ orchestrationId: id, error: null }]);
    await c.until('the end of the agent', () => !c.runner.lives(worker.id));
    expect((await c.client.call('sessions.get', { sessionId })).status).toBe('completed');
  });

  it('archives objective, agents, attempts, events and output first', async () => {
    const { id, agents } = await completed('all is well');
    const events = await eventsOf(id);
    const [result] = await cleanup();
    const folder = result?.archive ?? '';
    const kept = JSON.parse(readFileSync(join(folder, 'orchestration.json'), 'utf8'));
    expect(kept).toMatchObject({
      id,
      objective: 'Build the shop',
      agents: [{ agentId: 'a', summary: 'all is well', state: 'completed' }],
      attempts: [{ agentId: 'a', attempt: 1, sessionId: agents[0]?.sessionId, state: 'completed' }],
    });
    const lines = readFileSync(join(folder, 'events.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(events.map((event) => event.id));
    const [output = ''] = readdirSync(join(folder, 'output'));
    expect(readFileSync(join(folder, 'output', output), 'utf8')).toContain('tool report_result');
  });

  it('writes no archive if the caller does not want one', async () => {
    const { id } = await completed();
    expect(await cleanup({ olderThanDays: 0, archive: false })).toMatchObject([{ orchestrationId: id, archive: null }]);
    expect(existsSync(join(c.home, 'orchestrations', 'archive', id))).toBe(false);
    await c.client.call('settings.update', { archiveOrchestrations: 'no', orchestrationRetentionDays: 1 });
    expect(await cleanup({})).toEqual([]);
    await c.client.call('settings.update', { archiveOrchestrations: 'yes', orchestrationRetentionDays: 0 });
    expect(await refusal(c.client.call('orchestrations.cleanup', {}))).toMatchObject({
      code: 'VALIDATION',
      details: { field: 'olderThanDays' },
    });
  });

  it('never follows a link out of the data directory, and cleans the others', async () => {
    const outside = join(c.folder, 'outside');
    const trapped = await completed();
    const precious = join(outside, trapped.id, 'precious');
    mkdirSync(precious, { recursive: true });
    // The cleanup removes a link inside the folder, but not the target of the link.
    symlinkSync(outside, join(trapped.sharedDirectory, 'link'));
    const workspace = join(c.home, 'orchestrations', trapped.workspaceHash);
    renameSync(workspace, `${workspace}.away`);
    symlinkSync(outside, workspace);
    const { id: repositoryId } = await c.addRepository('other');
    const agents = [{ role: 'engineer', task: done() }];
    const other = await ended((await create(agents, { repositoryId, start: true })).id);

    const results = await cleanup();
    const errors = Object.fromEntries(results.map(({ orchestrationId, error }) => [orchestrationId, error?.message]));
    expect(errors[trapped.id]).toContain('is not a folder of the console');
    // The archive was complete before the removal of the folder failed.
    const archive = results.find(({ orchestrationId }) => orchestrationId === trapped.id)?.archive;
    expect(existsSync(join(archive ?? '', 'events.ndjson'))).toBe(true);
    expect(errors[other.id]).toBeUndefined();
    for (const { id } of [trapped, other]) expect(await gone(id)).toMatchObject({ code: 'NOT_FOUND' });
    const seen = await c.events(0, ({ type }) => type === 'orchestration.cleaned_up');
    expect(seen.at(-1)).toMatchObject({ subject: { id: trapped.id } });
    expect(existsSync(precious)).toBe(true);

    rmSync(workspace);
    renameSync(`${workspace}.away`, workspace);
    expect(existsSync(folderOf(trapped))).toBe(true);
    expect(existsSync(folderOf(other))).toBe(false);
  });

  it('does not remove an orchestration that was retried meanwhile', async () => {
    const { id } = await create([{ agentId: 'a', role: 'engineer', task: '@report failed no' }], { start: true });
    await ended(id);
    await Promise.allSettled([
      cleanup(),
      c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'a' }),
    ]);
    const left = await status(id).catch(() => undefined);
    if (left !== undefined) await reached(id, 'its end', ({ state }) => state === 'failed');
    await cleanup();
    expect(await gone(id)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('archiving an orchestration', () => {
  const listed = async (archived: boolean) =>
    (await c.client.call('orchestrations.list', { archived, limit: 500 })).data.map(({ id }) => id);
  const inInbox = async () => JSON.stringify((await c.client.call('inbox.list', {})).data);

  it('hides an ended orchestration until it is unarchived or retried', async () => {
    const runs = await create([{ agentId: 'a', role: 'engineer', task: busy }], { start: true });
    const refused = await refusal(c.client.call('orchestrations.archive', { orchestrationId: runs.id }));
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { state: 'running' } });
    await c.client.call('orchestrations.cancel', { orchestrationId: runs.id });

    const { id } = await create([{ agentId: 'a', role: 'engineer', task: '@report failed no' }], { start: true });
    await ended(id);
    expect(await inInbox()).toContain(id);
    const archived = await c.client.call('orchestrations.archive', { orchestrationId: id });
    expect(archived.archivedAt).not.toBeNull();
    expect(await c.client.call('orchestrations.archive', { orchestrationId: id })).toEqual(archived);
    expect([(await listed(true)).includes(id), (await listed(false)).includes(id)]).toEqual([true, false]);
    expect(await inInbox()).not.toContain(id);

    const shown = await c.client.call('orchestrations.unarchive', { orchestrationId: id });
    expect(shown.archivedAt).toBeNull();
    expect(await inInbox()).toContain(id);
    await c.client.call('orchestrations.archive', { orchestrationId: id });
    await c.client.call('orchestrations.retryAgent', { orchestrationId: id, agentId: 'a' });
    expect(await status(id)).toMatchObject({ archivedAt: null });
    await ended(id);
    const types = (await eventsOf(id)).map(({ eventType }) => eventType).filter((type) => type.includes('archived'));
    expect(types).toEqual(['session_archived', 'session_unarchived', 'session_archived', 'session_unarchived']);
  });

  it('does not replace the archive that a cleanup writes', async () => {
    const { id } = await completed();
    await c.client.call('orchestrations.archive', { orchestrationId: id });
    const [result] = (await cleanup()).filter(({ orchestrationId }) => orchestrationId === id);
    expect(existsSync(join(result?.archive ?? '', 'events.ndjson'))).toBe(true);
  });
});

describe('a start of the server', () => {
  it('removes orchestrations as the settings require, and folders without an orchestration', async () => {
    const old = await completed();
    const left = dirname(folderOf(old));
    const orphan = join(left, '01900000-0000-7000-8000-000000000000');
    mkdirSync(orphan);
    const waits = await create([{ agentId: 'a', role: 'engineer', task: done() }]);
    await c.client.call('settings.update', { orchestrationRetentionDays: 1 });
    ahead = 2 * 86_400_000;
    await c.restart();
    await c.until('the removal of the folder', () => !existsSync(orphan));
    expect(await gone(old.id)).toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(join(c.home, 'orchestrations', 'archive', old.id, 'events.ndjson'))).toBe(true);
    expect((await status(waits.id)).state).toBe('created');
  });
});
