import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorBody } from '@agent-console/shared/errors';
import { Session } from '@agent-console/shared/models/session';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, ERAS, type McpClient, type ToolResult, WAYS_IN_PROCESS as WAYS } from '../e2e/support/mcp.ts';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { tokenOf } from '../support/calling.ts';
import { DEFAULT_TOOLS } from '../support/tool-names.ts';

/** Maximum size of a tool's result. Some MCP clients truncate larger results. */
const RESULT_MAX_BYTES = 9_000;
const SESSION_KEYS = Object.keys(Session.entries).sort();

const keysOf = (value: unknown) => Object.keys(value as object).sort();

interface Delegated {
  sessionId: string;
  workerId: string;
  worktreePath: string;
  branch: string;
  delegationId: string;
  taskId: string;
  state: string;
  warnings: string[];
}

/** Returns the error of a failed tool call. Also checks the form that every such error must have. */
function errorOf(result: ToolResult): ErrorBody['error'] {
  expect(result.isError).toBe(true);
  expect(result).not.toHaveProperty('structuredContent');
  expect(result.content).toHaveLength(1);
  const text = result.content[0]?.text ?? '';
  const [first = '', ...rest] = text.split('\n');
  const { error } = JSON.parse(rest.join('\n')) as ErrorBody;
  expect(first).toBe(`${error.code}: ${error.message}`);
  expect(keysOf(error)).toEqual(['code', 'details', 'message', 'retryable']);
  return error;
}

/**
 * The transport that most agents use. It runs first, with all tests. The other transports run only tests whose result
 * may depend on the transport.
 */
const FULL = 'HTTP, 2025';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('an MCP client by %s, as a worker', (way) => {
  const word = way.replace(/\W+/g, '-');
  /** Defines a test that runs with only one transport, because its result does not depend on the transport. */
  const once = way === FULL ? it : () => undefined;
  let root: AgentHandle;
  let mcp: McpClient;
  const open: McpClient[] = [];

  async function connect(token: string | undefined, query = ''): Promise<McpClient> {
    const client = await WAYS[way](`${c.baseUrl}/mcp${query}`, token);
    open.push(client);
    return client;
  }

  async function delegate(prompt: string, more: Record<string, unknown> = {}): Promise<Delegated> {
    return answerOf<Delegated>(await mcp.callTool('delegate_to_worktree', { prompt, ...more }));
  }

  beforeAll(async () => {
    root = await startRoot(c);
    mcp = await connect(root.token);
  });
  afterEach(async () => {
    // Each test starts without live children of the root session, because they count towards its limit of children.
    for (const { id, genealogy } of (await c.client.call('sessions.list', { live: true })).data) {
      if (genealogy.parentSessionId !== null) await c.client.call('sessions.stop', { sessionId: id });
    }
  });
  afterAll(async () => {
    for (const client of open) await client.close();
  });

  it('speaks its own era, and lists the same tools every time, with a description of every property', async () => {
    expect(mcp.era).toBe(way.endsWith('2026') ? '2026' : '2025');
    const first = await mcp.listTools();
    expect(first.tools.map((tool) => tool.name)).toEqual(DEFAULT_TOOLS);
    const again = await connect(root.token);
    for (const client of [mcp, again]) expect(JSON.stringify(await client.listTools())).toBe(JSON.stringify(first));
    for (const tool of first.tools) {
      for (const [name, property] of Object.entries(tool.inputSchema.properties ?? {})) {
        expect(property.description, `${tool.name}.${name}`).toBeTruthy();
      }
      expect(keysOf(tool.annotations)).toEqual(['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint']);
    }
    expect(mcp.instructions()).toContain(root.sessionId);
  });

  it('delegates to a worktree of a real repository, waits, and reads output and result', async () => {
    const made = await delegate(
      '@write hello.txt Hello\n@say marker-of-this-turn\n@commit Say hello\n@report succeeded done: hello.txt',
      {
        branch: `feature/${word}`,
        title: 'Say hello',
        baseBranch: 'main',
        agentId: 'scripted',
      },
    );
    expect(keysOf(made)).toEqual([
      'branch',
      'delegationId',
      'sessionId',
      'state',
      'taskId',
      'warnings',
      'workerId',
      'worktreeId',
      'worktreePath',
    ]);
    expect(made).toMatchObject({ branch: `feature/${word}`, state: 'prompting', warnings: [] });
    expect(c.git(['rev-parse', '--abbrev-ref', 'HEAD'], made.worktreePath)).toBe(`feature/${word}`);
    const shown = await c.client.call('sessions.get', { sessionId: made.sessionId });
    expect(shown).toMatchObject({ cwd: made.worktreePath, depth: 1, createdBySessionId: root.sessionId });
    expect(shown.genealogy.parentSessionId).toBe(root.sessionId);

    const end = answerOf(await mcp.callTool('wait_for_session', { sessionId: made.sessionId, timeoutSeconds: 45 }));
    expect(keysOf(end)).toEqual(['activityState', 'reached', 'sessionId', 'stillRunning', 'task']);
    expect(end).toMatchObject({
      sessionId: made.sessionId,
      reached: 'finished',
      stillRunning: false,
      task: {
        id: made.taskId,
        status: 'completed',
        waitingFor: null,
        outcomeSource: 'report',
        certain: true,
        summary: 'done: hello.txt',
        error: null,
      },
    });
    expect(keysOf(end.task)).toEqual([
      'certain',
      'error',
      'id',
      'outcomeSource',
      'progress',
      'status',
      'summary',
      'waitingFor',
    ]);
    expect(c.git(['show', `feature/${word}:hello.txt`])).toBe('Hello');

    const idle = answerOf(await mcp.callTool('wait_for_session', { sessionId: made.sessionId, until: 'idle' }));
    expect(idle).toMatchObject({ reached: 'idle', activityState: 'idle' });
    const pages: string[] = [];
    let offset = 0;
    for (;;) {
      const page = answerOf<{ text: string; offset: number; nextOffset: number; truncated: boolean; rendered: string }>(
        await mcp.callTool('read_session_output', {
          sessionId: made.sessionId,
          workerId: made.workerId,
          sinceOffset: offset,
          format: 'ansi',
          maxBytes: 100,
        }),
      );
      expect(keysOf(page)).toEqual(['nextOffset', 'offset', 'rendered', 'text', 'truncated']);
      expect(page).toMatchObject({ offset, rendered: 'raw', nextOffset: offset + Buffer.byteLength(page.text) });
      pages.push(page.text);
      offset = page.nextOffset;
      if (!page.truncated) break;
    }
    expect(pages.length).toBeGreaterThan(3);
    const whole = await c.client.call('workers.output', {
      workerId: made.workerId,
      sinceOffset: 0,
      format: 'base64',
      maxBytes: 262_144,
    });
    expect(pages.join('')).toBe(Buffer.from(whole.data ?? '', 'base64').toString());
    const lines = answerOf<{ text: string; rendered: string }>(
      await mcp.callTool('read_session_output', { sessionId: made.sessionId, sinceOffset: 0 }),
    );
    expect(lines.rendered).toBe('lines');
    expect(lines.text.split('\n')).toContain('marker-of-this-turn');
    expect(lines.text).not.toContain('\x1b');
  });

  once('reads, lists, messages, pauses, resumes and stops its child', async () => {
    const made = await delegate('@say first', { title: 'Follow up' });
    const status = await c.until('a turn without a report', async () => {
      const now = answerOf<{ workers: object[]; task: { waitingFor: string | null } }>(
        await mcp.callTool('get_session_status', { sessionId: made.sessionId }),
      );
      return now.task.waitingFor === 'report' && now;
    });
    expect(keysOf(status)).toEqual(['sessionId', 'status', 'task', 'title', 'workers', 'worktreeId']);
    expect(status).toMatchObject({ sessionId: made.sessionId, status: 'active', title: 'Follow up' });
    expect(status.workers.map(keysOf)).toEqual([['activityState', 'confidence', 'id', 'since', 'source', 'type']]);
    expect(status.workers[0]).toMatchObject({
      id: made.workerId,
      type: 'agent',
      activityState: 'idle',
      source: 'title',
    });

    const list = answerOf<{ sessions: { id: string; workers: object[] }[]; total: number }>(
      await mcp.callTool('list_sessions'),
    );
    expect(keysOf(list)).toEqual(['sessions', 'total']);
    expect(list.sessions.map((session) => session.id)).toEqual([made.sessionId, root.sessionId]);
    expect(list.total).toBe(2);
    expect(keysOf(list.sessions[0])).toEqual(['id', 'status', 'title', 'type', 'workers', 'worktreeId']);
    expect(keysOf(list.sessions[0]?.workers[0])).toEqual(['activityState', 'id', 'type']);

    // A message to an agent starts a new task at once. It also ends the previous task, which still waits for its
    // report.
    const sent = answerOf(
      await mcp.callTool('send_message_to_session', {
        sessionId: made.sessionId,
        workerId: made.workerId,
        message: '@say second\n@sleep 60000',
      }),
    );
    expect(keysOf(sent)).toEqual(['success', 'taskId']);
    const busy = await c.until('the second prompt', async () => {
      const now = answerOf<{ task: { id: string; status: string } }>(
        await mcp.callTool('get_session_status', { sessionId: made.sessionId }),
      );
      return now.task.id === sent.taskId && now.task.status === 'running' && now;
    });
    expect(busy.task.id).not.toBe(made.taskId);
    const queued = answerOf(
      await mcp.callTool('send_message_to_session', {
        sessionId: made.sessionId,
        workerId: made.workerId,
        message: '@report succeeded third',
      }),
    );
    expect(keysOf(queued)).toEqual(['queuePosition', 'success', 'taskId']);
    expect(queued).toMatchObject({ success: true, queuePosition: 1 });

    const paused = answerOf(await mcp.callTool('pause_session', { sessionId: made.sessionId }));
    expect(keysOf(paused)).toEqual(SESSION_KEYS);
    expect(paused).toMatchObject({ id: made.sessionId, status: 'paused' });
    expect(answerOf(await mcp.callTool('get_session_status', { sessionId: made.sessionId }))).toMatchObject({
      status: 'inactive',
    });
    const still = answerOf(await mcp.callTool('wait_for_session', { sessionId: made.sessionId, timeoutSeconds: 0 }));
    expect(still).toMatchObject({ reached: null, stillRunning: true });

    const resumed = answerOf(await mcp.callTool('resume_session', { sessionId: made.sessionId }));
    expect(keysOf(resumed)).toEqual(SESSION_KEYS);
    const done = answerOf(await mcp.callTool('wait_for_session', { sessionId: made.sessionId, timeoutSeconds: 45 }));
    expect(done).toMatchObject({ reached: 'finished', task: { id: queued.taskId, summary: 'third' } });

    const stopped = answerOf(await mcp.callTool('stop_session', { sessionId: made.sessionId }));
    expect(keysOf(stopped)).toEqual(SESSION_KEYS);
    expect(stopped).toMatchObject({ status: 'stopped' });
  });

  it('reports its own result once', async () => {
    const made = await delegate('@sleep 60000', { title: 'Reports from outside' });
    const child = await connect(tokenOf(c, made.workerId));
    const told = answerOf(
      await child.callTool('report_result', { outcome: 'failed', summary: 'no way', artifacts: ['a.txt'] }),
    );
    expect(told).toEqual({ taskId: made.taskId, sessionId: made.sessionId, status: 'failed' });
    const again = errorOf(await child.callTool('report_result', { outcome: 'succeeded', summary: 'changed my mind' }));
    expect(again.code).toBe('CONFLICT');
    const task = await c.client.call('tasks.get', { taskId: made.taskId });
    expect(task).toMatchObject({ status: 'failed', summary: 'no way', artifacts: ['a.txt'], outcomeSource: 'report' });
    const told2 = answerOf(
      await child.callTool('send_message_to_session', {
        sessionId: root.sessionId,
        workerId: root.workerId,
        message: 'a word to my parent',
      }),
    );
    expect(keysOf(told2)).toEqual(['noticeId', 'success']);
  });

  once('types into a terminal and is rejected by a diff view', async () => {
    const made = await delegate('@report succeeded ready');
    await mcp.callTool('wait_for_session', { sessionId: made.sessionId, timeoutSeconds: 45 });
    const terminal = await c.client.call('workers.create', { sessionId: made.sessionId, type: 'terminal' });
    const message = 'a line';
    const typed = await mcp.callTool('send_message_to_session', {
      sessionId: made.sessionId,
      workerId: terminal.id,
      message,
    });
    expect(answerOf(typed)).toEqual({ success: true });
    await c.until('the line and its Enter', async () => {
      const { text } = await c.client.call('workers.output', { workerId: terminal.id, sinceOffset: 0 });
      return text === '$ a line\n';
    });
    const diff = await c.client.call('workers.create', { sessionId: made.sessionId, type: 'git-diff' });
    const refused = await mcp.callTool('send_message_to_session', {
      sessionId: made.sessionId,
      workerId: diff.id,
      message: 'hello',
    });
    expect(errorOf(refused).code).toBe('UNSUPPORTED');
  });

  it('receives errors unchanged', async () => {
    const nobody = '01890000-0000-7000-8000-000000000000';
    const gone = errorOf(await mcp.callTool('get_session_status', { sessionId: nobody }));
    expect(gone).toMatchObject({ code: 'NOT_FOUND', message: `Session ${nobody} not found` });

    const wrong: [args: Record<string, unknown>, field: string][] = [
      [{}, 'prompt'],
      [{ prompt: 7 }, 'prompt'],
      [{ prompt: '' }, 'prompt'],
      [{ prompt: 'x', nosuch: true }, 'nosuch'],
      [{ prompt: 'a\u0007b' }, 'prompt'],
      [{ prompt: 'x', branch: '-rf' }, 'branch'],
      [{ prompt: 'x', branch: 'a..b' }, 'branch'],
      [{ prompt: 'é'.repeat(50_001) }, 'prompt'],
    ];
    for (const [args, field] of wrong) {
      const error = errorOf(await mcp.callTool('delegate_to_worktree', args));
      expect(error.code, field).toBe('VALIDATION');
      expect(error.message).toContain(field);
    }
    const args = { sessionId: root.sessionId, until: 'done' };
    const list = errorOf(await mcp.callTool('wait_for_session', args));
    expect(list.code).toBe('VALIDATION');
    for (const word of ['until', 'idle', 'asking', 'finished']) expect(list.message).toContain(word);
    expect(errorOf(await mcp.callTool('delegate_to_worktree', { prompt: 'x', agentId: 'nosuch' })).code).toMatch(
      /VALIDATION|NOT_FOUND|AGENT_UNAVAILABLE/,
    );

    const taken = errorOf(await mcp.callTool('delegate_to_worktree', { prompt: 'x', branch: 'main' }));
    expect(taken).toMatchObject({ code: 'CONFLICT', details: { branch: 'main' } });
    expect(
      (await c.client.call('worktrees.list', { repositoryId: c.repository.id })).data.map((w) => w.branch),
    ).not.toContain('x');
  });

  once('is told which limit applies, and which sessions occupy it', async () => {
    const children: string[] = [];
    for (let n = 0; n < 5; n += 1) children.push((await delegate('@sleep 60000')).sessionId);
    const full = errorOf(await mcp.callTool('delegate_to_worktree', { prompt: '@say one too many' }));
    expect(full).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationChildren', value: 5 },
      retryable: true,
    });
    expect((full.details.holders as string[]).sort()).toEqual([...children].sort());
    // A stopped child no longer counts towards its parent's limit of children.
    await mcp.callTool('stop_session', { sessionId: children[0] });
    expect((await delegate('@report succeeded ok')).state).toBe('prompting');

    const child = (await c.client.call('sessions.get', { sessionId: children[1] ?? '' })).workers[0];
    const deeper = await connect(tokenOf(c, child?.id ?? ''));
    const grandchild = answerOf<Delegated>(await deeper.callTool('delegate_to_worktree', { prompt: '@sleep 60000' }));
    const deepest = await connect(tokenOf(c, grandchild.workerId));
    const tooDeep = errorOf(await deepest.callTool('delegate_to_worktree', { prompt: 'x' }));
    expect(tooDeep).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'delegationDepth', value: 2 } });
    // No session may act on sessions that are not below it in the tree.
    const foreign = errorOf(await deepest.callTool('stop_session', { sessionId: children[2] }));
    expect(foreign.code).toBe('PERMISSION_DENIED');
  });

  it('gets a protocol error with the nearest names for an unknown tool', async () => {
    await expect(mcp.callTool('delegate_to_worktre')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('delegate_to_worktree'),
    });
  });

  it('gets the same ids for a repeated key, and an error for a different body', async () => {
    const key = `key-${word}`;
    const args = { prompt: '@report succeeded once', idempotencyKey: key };
    const [one, two] = await Promise.all([
      mcp.callTool('delegate_to_worktree', args),
      mcp.callTool('delegate_to_worktree', args),
    ]);
    expect(answerOf(two)).toEqual(answerOf(one));
    expect(answerOf(await mcp.callTool('delegate_to_worktree', args))).toEqual(answerOf(one));
    const other = await mcp.callTool('delegate_to_worktree', { ...args, prompt: 'another' });
    expect(errorOf(other).code).toBe('CONFLICT');
  });
});

describe('results', () => {
  let c: InProcessApp;
  beforeAll(async () => {
    c = await startTestApp();
    await c.client.call('settings.update', { liveSessions: 200 });
  });
  afterAll(() => c.close());

  it('of a long list of sessions, and of each session in it, fit the size that every client displays', async () => {
    const root = await startRoot(c, { title: 'Root '.repeat(90).trim() });
    await c.client.call('agents.create', { id: 'sitter', name: 'Sitter', command: ['cat'] });
    const titles = Array.from({ length: 24 }, (_, n) => `Session number ${n} with a title of ordinary length`);
    for (const title of titles) {
      const { id } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'sitter', title });
      await c.client.call('workers.create', { sessionId: id, type: 'agent' });
    }
    const mcp = await ERAS.modern(`${c.baseUrl}/mcp`, root.token);
    const result = await mcp.callTool('list_sessions');
    const list = answerOf<{ sessions: { id: string }[]; total: number }>(result);
    expect(list.total).toBe(25);
    expect(list.sessions).toHaveLength(20);
    expect(Buffer.byteLength(result.content[0]?.text ?? '')).toBeLessThanOrEqual(RESULT_MAX_BYTES);
    const second = answerOf<{ sessions: { id: string }[] }>(
      await mcp.callTool('list_sessions', { skip: 20, limit: 20 }),
    );
    expect(new Set([...list.sessions, ...second.sessions].map((session) => session.id)).size).toBe(25);
    await mcp.close();
  });
});

describe('a client over stdio', () => {
  let c: InProcessApp;
  beforeAll(async () => {
    c = await startTestApp();
  });
  afterAll(() => c.close());

  it.each(['stdio, 2025', 'stdio, 2026'] as const)(
    '(%s) gets the result of a call that a restart interrupts',
    async (way) => {
      const root = await startRoot(c);
      const mcp = await WAYS[way](`${c.baseUrl}/mcp`, root.token);
      const [began, go] = ['began', 'go'].map((name) => join(c.folder, `${name} ${way}`));
      await c.client.call('repositories.update', {
        repositoryId: c.repository.id,
        setupCommand: `touch '${began}'; until [ -e '${go}' ]; do sleep 0.02; done`,
      });
      const call = mcp.callTool('delegate_to_worktree', { agentId: 'scripted', prompt: '@report succeeded once' });
      await c.until('the setup command', () => existsSync(began ?? ''));
      await c.restart();
      writeFileSync(go ?? '', '');
      const { delegationId } = answerOf<Delegated>(await call);
      const { data } = await c.client.call('delegations.list', { parentSessionId: root.sessionId });
      expect(data.map(({ id }) => id)).toEqual([delegationId]);
      await mcp.close();
    },
  );
});
