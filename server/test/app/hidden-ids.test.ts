import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract, Noun } from '@agent-console/shared/operation';
import { toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { ConsoleClient } from '../../src/surfaces/cli/client.ts';
import { ERAS } from '../e2e/support/mcp.ts';
import { addPerson, bearer, type Person, sessionOf, stored } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, type Refusal, refusal, runCommand } from '../support/calling.ts';

/** Further fields that a call requires besides its ids. */
const BESIDES: Record<string, Record<string, unknown>> = {
  'sessions.update': { title: 'x' },
  'sessions.message': { message: 'x' },
  'sessions.report': { outcome: 'succeeded', summary: 'x' },
  'sessions.prompt': { prompt: 'x' },
  'sessions.addImage': { data: 'AAAA' },
  'sessions.image': { imageId: '0'.repeat(32) },
  'sessions.fork': { prompt: 'x' },
  'sessions.spawn': { prompt: 'x' },
  'workers.create': { type: 'terminal' },
  'workers.input': { data: 'x' },
  'workers.resize': { cols: 80, rows: 24 },
  'workers.correctActivity': { activityState: 'idle' },
  'tasks.move': { after: null, expectedVersion: 1 },
  'approvals.answer': { optionId: 'x' },
  'sessions.setOption': { optionId: 'x', value: 'x' },
};
const BESIDES_OF_TOOLS: Record<string, Record<string, unknown>> = { agor_sessions_prompt: { mode: 'continue' } };
/** Fields with a second id. The server looks up this id only after the first id of the call. */
const SECOND = ['taskId', 'after'];

type Ids = Partial<Record<Noun, string>>;
const PRIVATE: readonly Noun[] = ['session', 'worker', 'task', 'approval', 'delegation', 'job'];

let c: InProcessApp;
let ann: Person;
let bob: Person;
let bobs: Awaited<ReturnType<typeof sessionOf>>;
let hidden: Required<Pick<Ids, 'session' | 'worker' | 'task' | 'approval' | 'delegation' | 'job'>>;
const UNKNOWN: typeof hidden = {
  session: '0193a1b2-c3d4-7e5f-8a6b-000000000001',
  worker: '0193a1b2-c3d4-7e5f-8a6b-000000000002',
  task: '0193a1b2-c3d4-7e5f-8a6b-000000000003',
  approval: '0193a1b2-c3d4-7e5f-8a6b-000000000004',
  delegation: '0193a1b2-c3d4-7e5f-8a6b-000000000005',
  job: '0193a1b2-c3d4-7e5f-8a6b-000000000006',
};
beforeAll(async () => {
  c = await startTestApp();
  [ann, bob] = [await addPerson(c, 'Ann'), await addPerson(c, 'Bob')];
  bobs = await sessionOf(c, bob.client, '@say of bob');
  const repositoryId = c.repository.id;
  const made = await ann.client.call('delegations.create', {
    repositoryId,
    agentId: 'scripted',
    prompt: '@permission Bash secret',
  });
  const { sessionId } = made;
  await ann.client.call('sessions.update', { sessionId, visibility: 'private', title: 'of ann' });
  const approval = await c.until('the question', async () => {
    const { data } = await ann.client.call('approvals.list', { sessionId });
    return data[0]?.id;
  });
  writeFileSync(join(made.worktreePath, 'secret'), '');
  const plan = { worktreeId: made.worktreeId, message: 'secret', dryRun: true, wait: true };
  const { jobId: job } = await asWorker(c, made.workerId).call('worktrees.commit', plan);
  rmSync(join(made.worktreePath, 'secret'));
  hidden = {
    job,
    session: sessionId,
    worker: made.workerId,
    task: made.taskId,
    approval,
    delegation: made.delegationId,
  };
});
afterAll(() => c.close());

const privateIds = (contract: Contract) =>
  Object.entries(contract.ids ?? {}).filter(([field, noun]) => PRIVATE.includes(noun) && !SECOND.includes(field));
// Leaves out operations that only the owner may call, because the server rejects other users before it resolves any id.
const ABOUT_PRIVATE = CONTRACTS.filter(
  (contract) => privateIds(contract).length > 0 || contract.ids?.taskId === 'task',
).filter(({ access }) => access !== 'public' && access !== 'owner');

function fieldsOf(contract: Contract, ids: Ids, cut: number): Record<string, unknown> {
  const named = privateIds(contract);
  const fields = named.length > 0 ? named : [['taskId', 'task'] as [string, Noun]];
  const valueFor = (field: string, id: string | undefined) => (field.endsWith('Ids') ? [id] : id);
  return Object.fromEntries(fields.map(([field, noun]) => [field, valueFor(field, ids[noun]?.slice(0, cut))]));
}

/** Returns an error as text in which every id is replaced by `ID`, to compare errors about different rows. */
function without({ code, message, details }: Refusal) {
  return JSON.stringify({ code, message, details }).replaceAll(/[0-9a-f]{8}-[0-9a-f-]+/g, 'ID');
}

type Try = (contract: Contract, fields: Record<string, unknown>) => Promise<unknown>;

/**
 * Expects the same answers to calls about private rows of another user as to calls about missing rows. Returns the
 * error codes.
 */
async function expectNoTrace(contracts: readonly Contract[], ask: Try, cuts = [36, 18]): Promise<string[]> {
  const codes: string[] = [];
  for (const contract of contracts) {
    for (const cut of cuts) {
      const of = (ids: Ids) => refusal(ask(contract, { ...fieldsOf(contract, ids, cut), ...BESIDES[contract.name] }));
      const told = await of(hidden);
      expect(without(told), `${contract.name} ${cut}`).toBe(without(await of(UNKNOWN)));
      codes.push(told.code);
    }
  }
  return codes;
}

const byRest =
  (client: ConsoleClient): Try =>
  (contract, fields) =>
    client.run(contract, fields);

describe('a private row of somebody else is like a missing row', () => {
  it('over REST, by full and short ids, for every operation', async () => {
    expect(ABOUT_PRIVATE.length).toBeGreaterThan(38);
    const codes = await expectNoTrace(ABOUT_PRIVATE, byRest(bob.client));
    expect(new Set(codes)).toEqual(new Set(['NOT_FOUND']));
    const ofAgent = await expectNoTrace(ABOUT_PRIVATE, byRest(bobs.client));
    expect(new Set(ofAgent)).toEqual(new Set(['NOT_FOUND', 'PERMISSION_DENIED']));
  });

  it('from the command line', async () => {
    const commands = ABOUT_PRIVATE.filter(({ cli }) => cli !== undefined);
    const codes = await expectNoTrace(commands, (contract, fields) => runCommand(c, contract, fields, bob.token), [18]);
    expect(new Set(codes)).toEqual(new Set(['NOT_FOUND']));
  });

  it.each(['person', 'agent'] as const)('over MCP, to the tools of another %s', async (who) => {
    const client = await openTools(c, who === 'person' ? bob.token : bobs.token, '?toolsets=all');
    const codes = new Set<string>();
    for (const contract of ABOUT_PRIVATE) {
      for (const { name, input = contract.input } of toolsOf(contract)) {
        const known = Object.keys((input as unknown as { entries?: object }).entries ?? {});
        const ask: Try = (_, fields) => {
          const args = { ...fields, ...BESIDES_OF_TOOLS[name] };
          return client.call(name, Object.fromEntries(Object.entries(args).filter(([field]) => known.includes(field))));
        };
        if (!known.includes('sessionId') && !known.includes('taskId')) continue;
        for (const code of await expectNoTrace([contract], ask)) codes.add(`${code}`);
      }
    }
    await client.close();
    expect(codes).toEqual(new Set(['NOT_FOUND']));
  });

  it('as a resource, in reads, watches and completions', async () => {
    for (const token of [bob.token, bobs.token]) {
      const client = await ERAS.modern(`${c.baseUrl}/mcp`, token);
      for (const path of ['', '/messages']) {
        const asked = async (ids: Ids) => {
          const uri = `agor://session/${ids.session}${path}`;
          const error = await client.readResource({ uri }).then(
            () => 'read',
            (thrown: Error) => thrown.message.replaceAll(String(ids.session), 'ID'),
          );
          return [error, (await client.watch(uri, () => {})).honoured];
        };
        expect(await asked(hidden)).toEqual(await asked(UNKNOWN));
        expect((await asked(hidden))[0]).toMatch(/NOT_FOUND/);
      }
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'agor://session/{id}' },
        argument: { name: 'id', value: hidden.session.slice(0, 8) },
      });
      expect(completion.values).not.toContain(hidden.session);
      await client.close();
    }
  });

  it('in events, also of jobs that ask something for it', async () => {
    const toldTo = async (client: ConsoleClient) =>
      JSON.stringify((await client.call('events.list', { order: 'newest', limit: 500 })).data);
    for (const client of [c.client, ann.client]) {
      expect(await toldTo(client)).toContain(`"subject":{"kind":"job","id":"${hidden.job}"}`);
    }
    for (const client of [bob.client, bobs.client]) expect(await toldTo(client)).not.toContain(hidden.job);
  });

  it('as a terminal', async () => {
    const open = (ids: typeof hidden) =>
      new Promise<string>((resolve) => {
        const url = `${c.baseUrl.replace('http', 'ws')}/ws/session/${ids.session}/worker/${ids.worker}`;
        const socket = new WebSocket(url, { headers: bearer(bob.token) });
        let told = '';
        socket.on('message', (data) => {
          told += data.toString().replaceAll(ids.session, 'ID').replaceAll(ids.worker, 'ID');
        });
        socket.on('error', () => {});
        socket.on('close', (code) => resolve(`${told} ${code}`));
      });
    expect(await open(hidden)).toBe(await open(UNKNOWN));
    expect(await open(hidden)).toContain('NOT_FOUND');
  });

  it('by a short id shared with a visible row, which resolves to the visible row', async () => {
    const make = (client: ConsoleClient, visibility: 'private' | 'workspace') =>
      client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', visibility });
    const { prefix, seen } = await c.until('two ids that begin alike', async () => {
      const [secret, other] = [await make(ann.client, 'private'), await make(ann.client, 'workspace')];
      const length = [...secret.id].findIndex((letter, index) => letter !== other.id[index]);
      const shared = secret.id.slice(0, length);
      const alike = stored(c, `select 1 from sessions where id like '${shared}%'`).length;
      return length >= 8 && alike === 2 && { prefix: shared, seen: other.id };
    });
    expect((await bob.client.call('sessions.get', { sessionId: prefix })).id).toBe(seen);
    expect(await refusal(bob.client.call('sessions.update', { sessionId: prefix, title: 'x' }))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const { code } = await refusal(ann.client.call('sessions.get', { sessionId: prefix }));
    expect(code).toBe('AMBIGUOUS_ID');
    const tools = await openTools(c, bobs.token);
    expect((await tools.call('agor_sessions_get', { sessionId: prefix })).session_id).toBe(seen);
    await tools.close();
  });

  it('and is unchanged after all these calls', async () => {
    const session = await ann.client.call('sessions.get', { sessionId: hidden.session });
    expect(session).toMatchObject({ title: 'of ann', visibility: 'private', status: 'awaiting_input' });
    expect(session.tasks).toMatchObject([{ id: hidden.task, status: 'awaiting_input' }]);
    expect(session.genealogy.children).toEqual([]);
  });
});

describe('a private session that prevents a removal', () => {
  it('is not named to the caller', async () => {
    const { worktreeId } = await ann.client.call('sessions.get', { sessionId: hidden.session });
    const worktree = await refusal(bob.client.call('worktrees.remove', { worktreeId: worktreeId ?? '' }));
    expect(worktree).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('A private session in this worktree is live'),
    });
    expect(JSON.stringify(worktree)).not.toMatch(new RegExp(`of ann|${hidden.session}`));
  });
});

describe('an orchestration of a private session', () => {
  it('is not named as the source of a task that other people can see', async () => {
    const anns = await sessionOf(c, ann.client, '@say of ann');
    const agent = { role: 'worker', task: '@report succeeded x', agenticTool: 'scripted' };
    const input = { objective: 'Quiet work', agents: [agent], start: true };
    const { id } = await anns.client.call('orchestrations.create', input);
    const sessionId = await c.until('its agent', async () => {
      const { agents } = await ann.client.call('orchestrations.get', { orchestrationId: id });
      return agents[0]?.sessionId ?? false;
    });
    await ann.client.call('sessions.update', { sessionId: anns.sessionId, visibility: 'private' });
    const seenBy = async (client: ConsoleClient) => {
      const session = await client.call('sessions.get', { sessionId });
      return [session.orchestrationId, session.tasks[0]?.source];
    };
    expect(await seenBy(ann.client)).toEqual([id, { kind: 'orchestration', id }]);
    expect(await seenBy(bob.client)).toEqual([null, { kind: 'orchestration', id: null }]);
  });
});
