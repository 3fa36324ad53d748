import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { AppServerFrame } from '@agent-console/shared/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { inputSchema, outputSchema } from '../../src/surfaces/json-schema.ts';
import { addPerson, bearer, type Person, sessionOf, stored } from '../e2e/support/people.ts';
import { type AgentHandle, actAs } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker, openTools, refusal, refusalsOf, tokenOf } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

describe('a private session', () => {
  const CANARY = 'canary-of-ann';
  let ann: Person;
  let bob: Person;
  let shared: Awaited<ReturnType<typeof sessionOf>>;
  let hidden: Awaited<ReturnType<typeof sessionOf>>;
  let bobs: Awaited<ReturnType<typeof sessionOf>>;

  beforeAll(async () => {
    [ann, bob] = [await addPerson(c, 'Ann'), await addPerson(c, 'Bob')];
    shared = await sessionOf(c, ann.client, '@say shared with all');
    bobs = await sessionOf(c, bob.client, '@say of bob');
    const secret = await ann.client.call('sessions.create', {
      cwd: c.folder,
      agentId: 'scripted',
      visibility: 'private',
      title: CANARY,
      initialPrompt: `@permission Bash ${CANARY}`,
    });
    const asked = await c.until('the question', async () => {
      const { data } = await ann.client.call('approvals.list', { sessionId: secret.id });
      return data[0];
    });
    hidden = { ...actAs(c, secret.id, asked.workerId ?? ''), taskId: secret.taskId ?? '' };
  });

  it('is in no list of others, and not in their totals', async () => {
    const lists = CONTRACTS.filter(
      ({ effect, access, rest, input, output }) =>
        effect === 'read' &&
        access === 'workspace-read' &&
        !rest.path.includes(':') &&
        ((inputSchema(input).required as string[] | undefined) ?? []).length === 0 &&
        'total' in ((outputSchema(output).properties ?? {}) as object),
    );
    expect(lists.length).toBeGreaterThan(6);
    for (const reader of [bob.client, bobs.client]) {
      for (const contract of lists) {
        const { total, data } = (await reader.run(contract, { limit: 500 })) as { total: number; data: unknown[] };
        expect(JSON.stringify(data), contract.name).not.toMatch(new RegExp(`${hidden.sessionId}|${CANARY}`));
        if (total <= 500) expect(data, contract.name).toHaveLength(total);
      }
    }
    for (const reader of [c.client, ann.client, hidden.client]) {
      const { data } = await reader.call('sessions.list', { limit: 500 });
      expect(data.map(({ id }) => id)).toContain(hidden.sessionId);
    }
    const all = await c.client.call('sessions.list', { limit: 1 });
    expect((await bob.client.call('sessions.list', { limit: 1 })).total).toBe(
      all.total - stored(c, 'select 1 from sessions where visibility = \'private\' and "removedAt" is null').length,
    );
    expect((await bob.client.call('sessions.list', { live: true, limit: 500 })).data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([shared.sessionId, bobs.sessionId]),
    );
  });

  it('does not exist for others by any id, nor for their agents', async () => {
    const { data } = await ann.client.call('approvals.list', { sessionId: hidden.sessionId });
    const approvalId = data[0]?.id ?? '';
    for (const reader of [bob.client, bobs.client]) {
      const { sessionId, workerId, taskId } = hidden;
      const refused = await refusalsOf([
        reader.call('sessions.get', { sessionId }),
        reader.call('sessions.get', { sessionId: sessionId.slice(0, 18) }),
        reader.call('sessions.messages', { sessionId }),
        reader.call('sessions.output', { sessionId }),
        reader.call('sessions.wait', { sessionId }),
        reader.call('sessions.notices', { sessionId }),
        reader.call('sessions.prompt', { sessionId, prompt: 'x' }),
        reader.call('sessions.update', { sessionId, title: 'x' }),
        reader.call('workers.screen', { workerId }),
        reader.call('workers.output', { workerId }),
        reader.call('tasks.get', { taskId }),
        reader.call('approvals.get', { approvalId }),
        reader.call('workers.resources', { sessionId }),
      ]);
      expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['NOT_FOUND']));
    }
    const tools = await openTools(c, bobs.token);
    const read = refusal(tools.call('get_session_status', { sessionId: hidden.sessionId }));
    expect((await read).code).toBe('NOT_FOUND');
    await tools.close();
  });

  it('is reported only to followers who may see it', async () => {
    const told = (token: string) => {
      const socket = new WebSocket(`${c.baseUrl.replace('http', 'ws')}/ws/app`, { headers: bearer(token) });
      const frames: AppServerFrame[] = [];
      socket.on('message', (data) => frames.push(JSON.parse(data.toString()) as AppServerFrame));
      return { socket, frames };
    };
    const stream = new AbortController();
    const answer = await fetch(`${c.baseUrl}/api/events/stream?after=0`, {
      headers: bearer(bob.token),
      signal: stream.signal,
    });
    let sent = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) sent += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    const followers = [told(ann.token), told(bob.token), told(bobs.token)];
    await c.until('snapshots', async () => followers.every(({ frames }) => frames[0]?.type === 'snapshot'));
    const { sessionId } = hidden;
    await ann.client.call('sessions.update', { sessionId, title: `${CANARY} anew`, visibility: 'private' });
    // The agents of both orchestrations never start, so the events contain no session id. Even so, other users must not
    // get the events of the orchestration that the hidden session creates.
    for (const [client, name] of [
      [ann.client, 'seen-by-all'],
      [asWorker(c, hidden.workerId), `agent-of-${CANARY}`],
    ] as const) {
      const agents = [{ agentId: name, role: 'worker', agenticTool: 'scripted', task: 'work' }];
      const plan = { objective: 'Work', repositoryId: c.repository.id, agents };
      const { id: orchestrationId } = await client.call('orchestrations.create', plan);
      await client.call('orchestrations.cancel', { orchestrationId });
    }
    await ann.client.call('sessions.update', { sessionId: shared.sessionId, title: 'the end' });
    const ended = ({ event }: { event: ConsoleEvent }) => event.data.title === 'the end';
    await c.until('the last event', async () =>
      followers.every(({ frames }) => frames.some((frame) => frame.type === 'event' && ended(frame))),
    );
    await c.until('the stream to follow', async () => sent.includes('the end'));
    stream.abort();
    await reading;
    const texts = [...followers.map(({ frames }) => JSON.stringify(frames)), sent];
    expect(texts.map((text) => text.includes(sessionId) || text.includes(CANARY))).toEqual([true, false, false, false]);
    expect(texts.map((text) => text.includes('seen-by-all'))).toEqual([true, true, true, true]);
    for (const { socket } of followers) socket.terminate();
  });

  it('has a terminal that others cannot open; a shared session can be watched but not typed to', async () => {
    const open = (token: string, { sessionId, workerId }: AgentHandle) =>
      new Promise<Record<string, unknown>[]>((resolve) => {
        const url = `${c.baseUrl.replace('http', 'ws')}/ws/session/${sessionId}/worker/${workerId}`;
        const socket = new WebSocket(url, { headers: bearer(token) });
        const frames: Record<string, unknown>[] = [];
        socket.on('message', (data, binary) => {
          if (binary) return;
          const frame = JSON.parse(data.toString()) as Record<string, unknown>;
          frames.push(frame);
          if (frame.type === 'driver') socket.send(JSON.stringify({ type: 'input', data: 'x', inputId: 'one' }));
          if (frame.type === 'error') socket.terminate();
        });
        socket.on('unexpected-response', (_request, response) => {
          frames.push({ refused: response.statusCode });
          socket.terminate();
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(frames));
      });
    expect(JSON.stringify(await open(bob.token, hidden))).toMatch(/NOT_FOUND|404/);
    const watched = await open(bob.token, shared);
    expect(watched).toContainEqual({ type: 'driver', you: false });
    expect(JSON.stringify(watched)).toContain('PERMISSION_DENIED');
  });

  it('and a shared one can be changed only by its owner, whom the error names, and the local owner', async () => {
    const { sessionId, taskId } = shared;
    expect(await bob.client.call('sessions.get', { sessionId })).toMatchObject({ createdByUserId: ann.id });
    const refused = await refusalsOf([
      bob.client.call('sessions.prompt', { sessionId, prompt: 'x' }),
      bob.client.call('sessions.update', { sessionId, visibility: 'private' }),
      bob.client.call('sessions.remove', { sessionId }),
      bob.client.call('tasks.cancel', { taskId }),
      bobs.client.call('sessions.prompt', { sessionId, prompt: 'x' }),
    ]);
    for (const { code, message } of refused) {
      expect(code).toBe('PERMISSION_DENIED');
      expect(message).toContain('belongs to Ann');
    }
    await c.client.call('sessions.update', { sessionId, description: 'by the local owner' });
    const byAgent = await refusal(shared.client.call('sessions.update', { sessionId, visibility: 'private' }));
    expect(byAgent).toMatchObject({ code: 'PERMISSION_DENIED', details: { field: 'visibility' } });
  });

  it('can be shared by its owner at any time, and children inherit its visibility', async () => {
    const { sessionId } = shared;
    await ann.client.call('sessions.update', { sessionId, visibility: 'private' });
    expect((await refusal(bob.client.call('sessions.get', { sessionId }))).code).toBe('NOT_FOUND');
    const made = await shared.client.call('delegations.create', { prompt: '@report succeeded done' });
    expect((await refusal(bob.client.call('sessions.get', { sessionId: made.sessionId }))).code).toBe('NOT_FOUND');
    const child = await ann.client.call('sessions.get', { sessionId: made.sessionId });
    expect(child).toMatchObject({
      visibility: 'private',
      createdByUserId: ann.id,
      createdBySessionId: sessionId,
      viaSessionId: sessionId,
    });
    await ann.client.call('sessions.update', { sessionId, visibility: 'workspace' });
    const parent = await bob.client.call('sessions.get', { sessionId });
    expect(parent.genealogy.children).toEqual([]);
    const { data } = await bob.client.call('sessions.notices', { sessionId });
    expect(data).toEqual([]);
    await c.client.call('sessions.wait', { sessionId: made.sessionId, timeoutSeconds: 45 });
  });

  it('and all other calls are audited with person and session, without secrets', async () => {
    const tools = await openTools(c, shared.token);
    await tools.call('list_sessions', {});
    const { sessionId } = shared;
    const to = { sessionId: bobs.sessionId, workerId: bobs.workerId };
    await refusal(tools.call('send_message_to_session', { ...to, message: CANARY }));
    await tools.close();
    const rows = stored(c, `select * from audit where surface = 'mcp' and "sessionId" = '${sessionId}'`);
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ operation: 'sessions.list', result: 'ok', actor: `session:${sessionId}` }),
        expect.objectContaining({ operation: 'sessions.message', result: 'PERMISSION_DENIED' }),
      ]),
    );
    for (const row of rows) expect(row.milliseconds).toBeGreaterThanOrEqual(0);
    const file = readFileSync(join(c.home, 'console.db'));
    const audit = JSON.stringify(stored(c, 'select * from audit'));
    for (const secret of [CANARY, ann.token, shared.token, tokenOf(c, bobs.workerId)])
      expect(audit).not.toContain(secret);
    for (const secret of [ann.token, shared.token]) expect(file.includes(secret)).toBe(false);
    const { data } = await c.client.call('events.list', { after: 0, limit: 500 });
    const made = data.find(({ type, actor }) => type === 'session.created' && actor === `session:${sessionId}`);
    expect(made).toMatchObject({ viaSessionId: sessionId });
  });
});
