import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleClient } from '../../../src/surfaces/cli/client.ts';
import { asWorker, openTools, tokenOf } from '../../support/calling.ts';
import type { TestApp } from '../../support/test-app.ts';

/**
 * Starts an agent, "the root", and waits until it is idle. Returns functions that create the things that operations
 * refer to: sessions, tasks, worktrees, questions and so on. The root may change sessions created below its own.
 * `unique` returns a different name in each call.
 */
export async function openWorld(c: TestApp) {
  let counter = 0;

  const unique = (word: string) => {
    counter += 1;
    return `${word}-${counter}`;
  };

  function delegate(prompt: string, by: ConsoleClient = c.client) {
    const fields = { repositoryId: c.repository.id, agentId: 'scripted', branch: unique('given'), prompt };
    return by.call('delegations.create', fields);
  }

  await c.client.call('settings.update', { delegationChildren: 100, liveSessions: 500 });
  const root = await delegate('@say one\n@say two');
  await c.client.call('sessions.wait', { sessionId: root.sessionId });
  const rootWorktree = (await c.client.call('sessions.get', { sessionId: root.sessionId })).worktreeId ?? '';
  const rootClient = asWorker(c, root.workerId);
  const rootTools = await openTools(c, tokenOf(c, root.workerId));

  /** Creates a child of the root agent's session, without a process. The root agent has all permissions in it. */
  async function child() {
    const made = await rootClient.call('sessions.create', { worktreeId: rootWorktree, agentId: 'scripted' });
    return made.id;
  }

  /** Creates a child of the root agent's session and waits until its only prompt is done. */
  async function finished() {
    const sessionId = await child();
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say done' });
    await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 40 });
    return { sessionId, taskId };
  }

  /** Creates a child of the root agent's session. Its agent works on a prompt for longer than any test takes. */
  async function busy() {
    const sessionId = await child();
    const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
    await c.until('a running prompt', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.at(-1)?.activityState === 'active';
    });
    return { sessionId, taskId };
  }

  async function queued() {
    const [running] = (await c.client.call('sessions.list', { status: 'running', limit: 1 })).data;
    const sessionId = running?.id ?? (await busy()).sessionId;
    return (await c.client.call('sessions.prompt', { sessionId, prompt: 'wait' })).taskId;
  }

  async function terminal() {
    return (await c.client.call('workers.create', { sessionId: root.sessionId, type: 'terminal' })).id;
  }

  async function ready(branch = unique('made'), repositoryId = c.repository.id) {
    const { jobId } = await c.client.call('worktrees.create', { repositoryId, mode: 'custom', branch });
    const job = await c.until('a worktree', async () => {
      const found = await c.client.call('jobs.get', { jobId });
      return found.state === 'succeeded' && found;
    });
    return { jobId, worktreeId: String(job.result?.worktreeId) };
  }

  let small: Promise<string> | undefined;
  /**
   * Returns the id of a repository with an unchanged worktree and two that change the same file. It is the same in each
   * call. For operations that examine every worktree of a repository, of which `c.repository` has many.
   */
  function smallRepository(): Promise<string> {
    small ??= (async () => {
      const { id } = await c.addRepository('small');
      await ready(undefined, id);
      for (const text of ['one', 'two']) {
        const { worktreeId } = await ready(undefined, id);
        const { path } = await c.client.call('worktrees.get', { worktreeId });
        writeFileSync(join(path, 'readme.md'), text);
      }
      return id;
    })();
    return small;
  }

  /** Creates a session whose agent asks a question. Returns the id of the question. */
  async function question() {
    const sessionId = await child();
    await c.client.call('sessions.prompt', { sessionId, prompt: '@permission Bash npm test' });
    return c.until('a question', async () => (await c.client.call('approvals.list', { sessionId })).data[0]?.id);
  }

  async function ownAgent() {
    const id = unique('own');
    await c.client.call('agents.create', { id, name: 'Mine', command: ['sh'] });
    return id;
  }

  async function person() {
    return (await c.client.call('users.create', { username: unique('person') })).id;
  }

  async function board() {
    return (await c.client.call('boards.create', { name: unique('board') })).id;
  }

  async function zone() {
    return c.client.call('zones.create', { boardId: await board(), name: unique('zone') });
  }

  async function server() {
    const url = 'http://127.0.0.1:9/mcp';
    return (await c.client.call('mcpServers.create', { name: unique('server'), transport: 'http', url })).id;
  }

  /** Id of the user for whom the root agent works. */
  async function owner() {
    return (await c.client.call('sessions.get', { sessionId: root.sessionId })).createdByUserId ?? '';
  }

  return {
    c,
    root,
    rootWorktree,
    rootClient,
    rootTools,
    unique,
    delegate,
    child,
    finished,
    busy,
    queued,
    terminal,
    ready,
    smallRepository,
    question,
    ownAgent,
    person,
    board,
    zone,
    server,
    owner,
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;
