import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type McpClient, type Update, WAYS_IN_PROCESS as WAYS } from '../e2e/support/mcp.ts';
import { bearer, stored } from '../e2e/support/people.ts';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

type Way = keyof typeof WAYS;
const ALL = Object.keys(WAYS) as Way[];
/**
 * The transport that most agents use. It runs all tests. The other transports run only tests whose result may depend on
 * the transport.
 */
const FULL = 'HTTP, 2025';

let c: InProcessApp;
let root: AgentHandle;
const open: McpClient[] = [];

async function connect(way: Way, token: string | undefined = root.token): Promise<McpClient> {
  const client = await WAYS[way](`${c.baseUrl}/mcp`, token);
  open.push(client);
  return client;
}

async function delegate(prompt: string) {
  return root.client.call('delegations.create', { prompt, agentId: 'scripted' });
}

async function read<T = Record<string, unknown>>(client: McpClient, uri: string): Promise<T> {
  const { contents } = await client.readResource({ uri });
  expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }]);
  return JSON.parse((contents[0] as { text: string }).text) as T;
}

beforeAll(async () => {
  c = await startTestApp();
  root = await startRoot(c);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  for (const { id, genealogy } of (await c.client.call('sessions.list', { live: true })).data) {
    if (genealogy.parentSessionId !== null) await c.client.call('sessions.stop', { sessionId: id });
  }
});
afterAll(() => c.close());

type SessionAnswer = Awaited<ReturnType<typeof sessionOf>>;

function sessionOf(sessionId: string) {
  return c.client.call('sessions.get', { sessionId });
}

/** Returns a session without the values that each call measures anew. */
function lasting(session: SessionAnswer) {
  return { ...session, workers: session.workers.map(({ resources: _, ...worker }) => worker) };
}

describe.each(ALL)('by %s', (way) => {
  /** Defines a test that runs with only one transport, because its result does not depend on the transport. */
  const once = way === FULL ? it : () => undefined;

  it('capabilities, templates and the list of sessions match each other', async () => {
    const mcp = await connect(way);
    expect(mcp.capabilities()).toEqual({ tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} });
    const { resourceTemplates } = await mcp.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'agor://worktree/{id}/files',
      'agor://board/{id}/sessions',
      'agor://session/{id}',
      'agor://session/{id}/messages',
      'agor://orchestration/{id}',
    ]);
    for (const { description, mimeType } of resourceTemplates) {
      expect(description).toBeTruthy();
      expect(mimeType).toBe('application/json');
    }
    const { resources } = await mcp.listResources();
    expect(resources).toContainEqual(
      expect.objectContaining({ uri: `agor://session/${root.sessionId}`, title: 'Root' }),
    );
  });

  it('a session is read by its id or a prefix, as REST returns it', async () => {
    const mcp = await connect(way);
    const shown = lasting(await sessionOf(root.sessionId));
    for (const id of [root.sessionId, root.sessionId.slice(0, 23)]) {
      expect(lasting(await read<SessionAnswer>(mcp, `agor://session/${id}`))).toEqual(shown);
    }
  });

  once('its conversation is returned in order and in pages', async () => {
    const made = await delegate('@say one\n@report succeeded two');
    const mcp = await connect(way);
    type Page = { total: number; data: { seq: number }[] };
    const uri = `agor://session/${made.sessionId}/messages`;
    // The four messages are the prompt, the agent's message, its report and the end of its turn. The test waits for all
    // of them, because the console reads the agent's transcript only after the report.
    const whole = await c.until('the whole conversation', async () => {
      const page = await read<Page>(mcp, uri);
      return page.total === 4 && page;
    });
    expect(whole.data.map(({ seq }) => seq)).toEqual(whole.data.map(({ seq }) => seq).sort((a, b) => a - b));
    const second = await read<Page>(mcp, `${uri}?skip=1&limit=1`);
    expect(second).toMatchObject({ skip: 1, limit: 1, data: [whole.data[1]] });
    await expect(mcp.readResource({ uri: `${uri}?limit=0` })).rejects.toMatchObject({ code: -32602 });
    await expect(mcp.readResource({ uri: `${uri}?bogus=1` })).rejects.toThrow(/bogus/);
  });

  once('the tracked files of a worktree are listed, and nothing outside it', async () => {
    const made = await delegate('@write a.txt A\n@commit Add a\n@report succeeded ok');
    await root.client.call('sessions.wait', { sessionId: made.sessionId });
    mkdirSync(join(made.worktreePath, 'src'));
    writeFileSync(join(made.worktreePath, 'src', 'b.txt'), 'B');
    writeFileSync(join(made.worktreePath, 'untracked.txt'), 'no');
    symlinkSync('/etc', join(made.worktreePath, 'out'));
    c.git(['add', 'src', 'out'], made.worktreePath);
    const { worktreeId } = await c.client.call('sessions.get', { sessionId: made.sessionId });
    const mcp = await connect(way);
    const uri = `agor://worktree/${worktreeId}/files`;
    const files = [
      { path: 'a.txt', kind: 'file' },
      { path: 'out', kind: 'link' },
      { path: 'readme.md', kind: 'file' },
      { path: 'src/b.txt', kind: 'file' },
    ];
    expect(await read(mcp, uri)).toMatchObject({ total: 4, data: files });
    expect(await read(mcp, `${uri}?skip=1&limit=2`)).toMatchObject({ total: 4, data: files.slice(1, 3) });
    expect(await read(mcp, `${uri}?path=src`)).toMatchObject({ total: 1, data: files.slice(3) });
    expect(await read(mcp, `${uri}?query=B.T`)).toMatchObject({ total: 1, data: files.slice(3) });
    const untracked = { path: 'untracked.txt', kind: 'file', tracked: false };
    expect(await read(mcp, `${uri}?untracked=true&skip=3`)).toMatchObject({
      total: 5,
      data: [...files.slice(3), untracked],
    });
    for (const path of ['..', 'src/../..', '/etc', 'out', 'out/ssh']) {
      await expect(mcp.readResource({ uri: `${uri}?path=${path}` }), path).rejects.toThrow(/PERMISSION_DENIED/);
    }
    await expect(mcp.readResource({ uri: `${uri}/../../session/${root.sessionId}` })).rejects.toThrow(/NOT_FOUND/);
  });

  it('a missing resource is reported as missing, and callers without tools are denied', async () => {
    const mcp = await connect(way);
    for (const uri of [
      'agor://session/01890000-0000-7000-8000-000000000000',
      'agor://nosuch/1',
      'file:///etc/passwd',
    ]) {
      await expect(mcp.readResource({ uri })).rejects.toMatchObject({
        // Protocol revisions before 2026-07-28 use another error code for a missing resource.
        code: mcp.era === '2026' ? -32602 : -32002,
        message: expect.stringContaining('NOT_FOUND'),
        data: { uri },
      });
    }
    const stranger = await WAYS[way](`${c.baseUrl}/mcp`);
    open.push(stranger);
    const uri = `agor://session/${root.sessionId}`;
    await expect(stranger.readResource({ uri })).rejects.toThrow(/UNAUTHENTICATED/);
    expect((await stranger.listResources()).resources).toEqual([]);
    expect((await stranger.listResourceTemplates()).resourceTemplates).toEqual([]);
    expect((await stranger.listPrompts()).prompts).toEqual([]);
    const told: Update[] = [];
    const watching = stranger.watch(uri, (update) => told.push(update));
    expect(
      await watching.then(
        ({ honoured }) => honoured,
        () => [],
      ),
    ).toEqual([]);
  });

  once('id prefixes are completed', async () => {
    const mcp = await connect(way);
    const typed = root.sessionId.slice(0, 23);
    for (const uri of ['agor://session/{id}', 'agor://session/{id}/messages']) {
      const ref = { type: 'ref/resource', uri } as const;
      const { completion } = await mcp.complete({ ref, argument: { name: 'id', value: typed } });
      expect(completion.values).toEqual([root.sessionId]);
    }
    const { worktreeId } = await c.client.call('sessions.get', { sessionId: root.sessionId });
    for (const ref of [
      { type: 'ref/resource', uri: 'agor://worktree/{id}/files' },
      { type: 'ref/prompt', name: 'duplicate-worktree' },
    ] as const) {
      const name = ref.type === 'ref/prompt' ? 'worktreeId' : 'id';
      const { completion } = await mcp.complete({ ref, argument: { name, value: worktreeId?.slice(0, 20) ?? '' } });
      expect(completion.values).toContain(worktreeId);
    }
  });

  it('a watcher of a session receives its start and its completion with the result', async () => {
    const mcp = await connect(way);
    const made = await delegate('@sleep 600\n@report succeeded all done');
    const uri = `agor://session/${made.sessionId.slice(0, 23)}`;
    const seen: { status: string; summary: string | null }[] = [];
    const types: string[] = [];
    const looks: Promise<void>[] = [];
    const look = async () => {
      const { tasks } = await read<{ tasks: { status: string; summary: string | null }[] }>(mcp, uri);
      seen.push({ status: tasks[0]?.status ?? '', summary: tasks[0]?.summary ?? null });
    };
    const watching = await mcp.watch(uri, ({ events }) => {
      types.push(...events.map(({ type }) => type));
      looks.push(look());
    });
    expect(watching.honoured).toEqual([uri]);
    await look();
    await c.until('the end', async () => seen.some(({ status }) => status === 'completed'));
    expect(seen[0]).toMatchObject({ status: 'running' });
    expect(seen.at(-1)).toEqual({ status: 'completed', summary: 'all done' });
    expect(types).toContain('task.ended');
    await watching.stop();
    await Promise.all(looks);
  });

  it('no updates follow after a watch has ended', async () => {
    const mcp = await connect(way);
    const told: Update[] = [];
    const [quiet = '', loud = ''] = await Promise.all(
      ['quiet', 'loud'].map(async (title) => {
        const made = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title });
        return made.id;
      }),
    );
    const [quietUri, loudUri] = [`agor://session/${quiet}`, `agor://session/${loud}`];
    const first = await mcp.watch(quietUri, (update) => told.push(update));
    await first.stop();
    await mcp.watch(loudUri, (update) => told.push(update));
    await c.client.call('sessions.update', { sessionId: loud, title: 'before' });
    // A stream that opens after a resource was watched begins with an update of that resource. This update shows that
    // the stream is open.
    await c.until('the open stream', () => told.some(({ uri }) => uri === loudUri));
    told.length = 0;
    await c.client.call('sessions.update', { sessionId: quiet, title: 'changed' });
    await c.client.call('sessions.update', { sessionId: loud, title: 'behind' });
    await c.until('the other update', () =>
      told.some(({ events }) => events.some(({ data }) => data.title === 'behind')),
    );
    expect(told.map(({ uri }) => uri)).not.toContain(quietUri);
  });
});

it('the bridge replaces a session that the console has lost by one new session, which watches the same resources', async () => {
  const sessionIds = () => stored(c, 'select id from mcp_sessions').map(({ id }) => String(id));
  const others = sessionIds();
  const own = () => sessionIds().filter((id) => !others.includes(id));
  const lose = async () => {
    for (const id of own()) {
      const headers = { ...bearer(root.token), 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
      expect((await fetch(`${c.baseUrl}/mcp`, { method: 'DELETE', headers })).status).toBe(200);
    }
    expect(own()).toEqual([]);
  };
  const mcp = await connect('stdio, 2025');
  const told: Update[] = [];
  const made = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'watched' });
  await mcp.watch(`agor://session/${made.id}`, (update) => told.push(update));
  const retitle = (title: string) => c.client.call('sessions.update', { sessionId: made.id, title });
  const anUpdate = () => c.until('an update', async () => told.length > 0);
  await retitle('first');
  await anUpdate();
  await lose();
  told.length = 0;
  // The client sends nothing, so the bridge must notice by itself that the session was lost. The bridge then reports an
  // update, because it may have missed a change.
  await anUpdate();
  expect(own()).toHaveLength(1);
  await retitle('second');
  await c.until('the second title', async () => JSON.stringify(told).includes('second'));
  await lose();
  await Promise.all([mcp.listTools(), mcp.listPrompts(), mcp.listResourceTemplates()]);
  expect(own()).toHaveLength(1);
});
