import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationName, RequestOf } from '@agent-console/shared/operations/table';
import { tokenOf } from '../../support/calling.ts';
import { png } from '../../support/images.ts';
import type { World } from './table-world.ts';

type Samples = { [N in OperationName]: () => RequestOf<N> | Promise<RequestOf<N>> };

async function commitIn({ c, unique }: World, worktreeId: string): Promise<void> {
  const { path } = await c.client.call('worktrees.get', { worktreeId });
  writeFileSync(join(path, unique('file')), 'text\n');
  c.git(['add', '.'], path);
  c.git(['commit', '--quiet', '-m', 'Add a file'], path);
}

type OrchestrationSample = 'created' | 'running' | 'paused' | 'failed' | 'unchecked';

/**
 * Creates an orchestration in this state. While the orchestration runs, its agent waits for the answer to a question.
 * `unchecked`: the work of the agent was integrated, but the check of the integrated branch failed.
 */
async function orchestrationOf(
  { c, unique }: World,
  client: World['rootClient'],
  state: OrchestrationSample = 'created',
): Promise<string> {
  const isUnchecked = state === 'unchecked';
  // Commits a file, so that the branch ends at a new commit, which has no check result yet.
  const work = `@write ${unique('file')} text\n@commit Add a file\n@report succeeded done`;
  const task = isUnchecked ? work : state === 'failed' ? '@report failed no way' : '@ask Go on?';
  if (isUnchecked) {
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'false' });
  }
  const { id: orchestrationId } = await client.call('orchestrations.create', {
    objective: 'Try it',
    repositoryId: c.repository.id,
    agents: [{ agentId: 'worker', role: 'worker', task, agenticTool: 'scripted' }],
    ...(isUnchecked ? { integrate: { into: unique('together'), check: true } } : {}),
    start: state !== 'created',
  });
  if (state === 'paused') await client.call('orchestrations.pause', { orchestrationId });
  if (state === 'failed' || isUnchecked) {
    await c.until('the orchestration has failed', async () => {
      const status = await client.call('orchestrations.get', { orchestrationId });
      return status.state === 'failed';
    });
  }
  return orchestrationId;
}

/** Returns a valid input for every operation, to be used once. The type requires a sample for every operation. */
export function samplesOf(world: World): Samples {
  const {
    c,
    root,
    unique,
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
  } = world;
  async function dirty(): Promise<string> {
    const { worktreeId } = await ready();
    const { path } = await c.client.call('worktrees.get', { worktreeId });
    writeFileSync(join(path, unique('file')), 'text\n');
    return worktreeId;
  }
  function addRemote(): void {
    const remote = join(c.folder, 'remote.git');
    if (existsSync(remote)) return;
    c.git(['init', '--quiet', '--bare', remote], c.folder);
    c.git(['remote', 'add', 'origin', remote], c.repository.path);
  }
  async function newBranch(): Promise<string> {
    const name = unique('target');
    c.git(['branch', name], c.repository.path);
    return name;
  }
  async function integration(): Promise<string> {
    const { worktreeId } = await ready();
    await commitIn(world, worktreeId);
    const input = { worktreeId, into: await newBranch(), wait: true };
    const { job } = await c.client.call('worktrees.integrate', input);
    return String(job?.result?.integrationId);
  }
  const orchestration = (state?: OrchestrationSample) => orchestrationOf(world, c.client, state);
  return {
    'repositories.list': () => ({ limit: 1 }),
    'repositories.create': () => {
      const path = join(c.folder, unique('repo'));
      c.git(['clone', '--quiet', join(c.folder, 'shop'), path]);
      return { path, name: unique('clone') };
    },
    'repositories.get': () => ({ repositoryId: c.repository.id }),
    'repositories.update': () => ({ repositoryId: c.repository.id, checkCommand: 'true', cleanupCommand: null }),
    'repositories.remove': async () => ({ repositoryId: (await c.addRepository(unique('gone'))).id }),
    'repositories.branches': () => ({ repositoryId: c.repository.id, limit: 3 }),
    'worktrees.list': () => ({ repositoryId: c.repository.id, limit: 2 }),
    'worktrees.create': () => ({ repositoryId: c.repository.id, mode: 'custom', branch: unique('tree') }),
    'worktrees.get': async () => ({ worktreeId: (await ready()).worktreeId }),
    'worktrees.update': async () => ({ worktreeId: (await ready()).worktreeId, name: 'Renamed' }),
    'worktrees.remove': async () => ({ worktreeId: (await ready()).worktreeId, force: true }),
    'worktrees.restore': async () => {
      const { worktreeId } = await ready();
      await c.client.call('worktrees.remove', { worktreeId });
      return { worktreeId };
    },
    'worktrees.diff': async () => {
      const { worktreeId } = await ready();
      const { path } = await c.client.call('worktrees.get', { worktreeId });
      writeFileSync(join(path, 'readme.md'), '# changed\n');
      writeFileSync(join(path, 'new.txt'), 'new\n');
      return { worktreeId };
    },
    'worktrees.files': async () => ({ worktreeId: (await ready()).worktreeId, limit: 5 }),
    'worktrees.check': async () => {
      await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'true' });
      return { worktreeId: (await ready()).worktreeId };
    },
    'worktrees.commit': async () => ({ worktreeId: await dirty(), message: 'Add a file' }),
    'worktrees.openInEditor': async () => {
      await c.client.call('settings.update', { editorCommand: 'true' });
      return { worktreeId: await dirty() };
    },
    'worktrees.discard': async () => ({ worktreeId: await dirty() }),
    'worktrees.undoDiscard': async () => {
      const worktreeId = await dirty();
      const { recoveryRef } = await c.client.call('worktrees.discard', { worktreeId });
      return { worktreeId, recoveryRef };
    },
    'worktrees.updateFromBase': async () => ({ worktreeId: (await ready()).worktreeId, strategy: 'merge' }),
    'worktrees.push': async () => {
      addRemote();
      return { worktreeId: (await ready()).worktreeId };
    },
    'worktrees.pullRequest': async () => {
      addRemote();
      const pullRequestCommand = 'echo https://example.com/shop/pull/1';
      await c.client.call('repositories.update', { repositoryId: c.repository.id, pullRequestCommand });
      return { worktreeId: (await ready()).worktreeId, title: 'Title', body: 'Body', draft: true };
    },
    'worktrees.integrate': async () => {
      const { worktreeId } = await ready();
      await commitIn(world, worktreeId);
      return { worktreeId, strategy: 'squash', into: await newBranch() };
    },
    'orchestrations.create': () => ({
      objective: 'Try it',
      repositoryId: c.repository.id,
      agents: [{ role: 'worker', task: '@report succeeded', agenticTool: 'scripted' }],
    }),
    'orchestrations.definitions': () => ({ repositoryId: c.repository.id, limit: 2 }),
    'orchestrations.run': () => ({
      definition: 'review',
      parameters: { branch: 'main', reviewers: 1, reviewerAgent: 'scripted', summaryAgent: 'scripted' },
      repositoryId: c.repository.id,
      start: false,
    }),
    'orchestrations.list': () => ({ limit: 2 }),
    'orchestrations.get': async () => ({ orchestrationId: await orchestration() }),
    'orchestrations.start': async () => ({ orchestrationId: await orchestration() }),
    'orchestrations.pause': async () => ({ orchestrationId: await orchestration('running') }),
    'orchestrations.resume': async () => ({ orchestrationId: await orchestration('paused') }),
    'orchestrations.cancel': async () => ({ orchestrationId: await orchestration('running') }),
    'orchestrations.addAgents': async () => ({
      orchestrationId: await orchestration(),
      agents: [{ role: 'worker', task: 'More work', agenticTool: 'scripted' }],
    }),
    'orchestrations.retryAgent': async () => ({ orchestrationId: await orchestration('failed'), agentId: 'worker' }),
    'orchestrations.retryIntegration': async () => ({ orchestrationId: await orchestration('unchecked') }),
    'orchestrations.archive': async () => ({ orchestrationId: await orchestration('failed') }),
    'orchestrations.unarchive': async () => ({ orchestrationId: await orchestration('failed') }),
    'orchestrations.report': async () => {
      const orchestrationId = await orchestration('running');
      const { agents } = await c.client.call('orchestrations.get', { orchestrationId });
      return { sessionId: agents[0]?.sessionId ?? '', progress: 0.5, status: 'half done' };
    },
    'orchestrations.events': async () => ({ orchestrationId: await orchestration(), limit: 5 }),
    'orchestrations.cleanup': () => ({ olderThanDays: 3_000, dryRun: true }),
    'integrations.list': () => ({ repositoryId: c.repository.id, limit: 2 }),
    'integrations.get': async () => ({ integrationId: await integration() }),
    'integrations.undo': async () => ({ integrationId: await integration() }),
    'integrations.cleanUp': async () => ({ integrationId: await integration(), archiveSessions: false }),
    'repositories.overlaps': async () => ({ repositoryId: await smallRepository() }),
    'repositories.prunable': async () => ({ repositoryId: await smallRepository(), archivedDays: 0, limit: 2 }),
    'repositories.prune': async () => ({
      repositoryId: c.repository.id,
      worktreeIds: [(await ready()).worktreeId],
      deleteBranches: true,
    }),
    'jobs.get': async () => ({ jobId: (await ready()).jobId }),
    'boards.list': () => ({ limit: 2 }),
    'boards.get': async () => ({ boardId: await board() }),
    'boards.create': () => ({ name: unique('board'), description: 'two\nlines' }),
    'boards.update': async () => ({ boardId: await board(), name: 'Grüße 🌍' }),
    'boards.duplicate': async () => ({ boardId: await board(), newName: unique('copy') }),
    'boards.remove': async () => ({ boardId: await board() }),
    'boards.sessions': async () => ({ boardId: await board(), limit: 2 }),
    'boards.worktrees': async () => ({ boardId: await board(), limit: 2 }),
    'zones.create': async () => ({ boardId: await board(), name: 'Doing', color: '#10b981', x: -5, width: 300 }),
    'zones.update': async () => ({ zoneId: (await zone()).id, color: '#ffffff', height: 50 }),
    'zones.remove': async () => ({ zoneId: (await zone()).id }),
    'sessions.search': () => ({ query: 'say', limit: 2 }),
    'sessions.list': () => ({ limit: 2, live: true }),
    'sessions.create': () => ({ cwd: c.folder, agentId: 'scripted', title: 'Quick', permissionMode: 'plan' }),
    'sessions.get': () => ({ sessionId: root.sessionId }),
    'sessions.update': async () => ({ sessionId: await child(), title: 'Neu: Grüße 🌍', description: 'two\nlines' }),
    'sessions.remove': async () => ({ sessionId: await child() }),
    'sessions.addImage': async () => ({ sessionId: await child(), data: png(2, 2).toString('base64') }),
    'sessions.image': async () => {
      const sessionId = await child();
      const data = png(2, 2).toString('base64');
      const { imageId } = await c.client.call('sessions.addImage', { sessionId, data });
      return { sessionId, imageId };
    },
    'sessions.prompt': async () => ({ sessionId: await child(), prompt: '@say hello' }),
    'sessions.fork': async () => ({ ...(await finished()), prompt: '@say other', title: 'Other' }),
    'sessions.spawn': async () => ({ ...(await finished()), prompt: '@report succeeded below', sync: true }),
    'sessions.genealogy': () => ({ sessionId: root.sessionId, depth: 1 }),
    'sessions.message': async () => ({ sessionId: await child(), message: '@say hello' }),
    'sessions.pause': async () => ({ sessionId: await child() }),
    'sessions.resume': async () => ({ sessionId: await child() }),
    'sessions.stop': async () => ({ sessionId: await child() }),
    'sessions.report': async () => ({
      sessionId: (await busy()).sessionId,
      outcome: 'failed',
      summary: 'could not',
      artifacts: ['a.txt', 'b.txt'],
    }),
    'sessions.wait': () => ({ sessionId: root.sessionId, until: 'finished', timeoutSeconds: 5 }),
    'sessions.output': () => ({ sessionId: root.sessionId, sinceOffset: 0, format: 'ansi', maxBytes: 200 }),
    'sessions.archive': async () => ({ sessionId: await child() }),
    'sessions.unarchive': async () => ({ sessionId: await child() }),
    'sessions.messages': () => ({ sessionId: root.sessionId }),
    'sessions.events': () => ({ sessionId: root.sessionId, after: 1, limit: 5 }),
    'sessions.notices': () => ({ sessionId: root.sessionId }),
    'sessions.workers': () => ({ sessionId: root.sessionId, limit: 1 }),
    'sessions.options': () => ({ sessionId: root.sessionId }),
    'sessions.setOption': () => ({ sessionId: root.sessionId, optionId: 'mode', value: 'acceptEdits' }),
    'sessions.tasks': () => ({ sessionId: root.sessionId }),
    'workers.create': () => ({ sessionId: root.sessionId, type: 'git-diff' }),
    'workers.get': () => ({ workerId: root.workerId }),
    'workers.resources': () => ({ sessionId: root.sessionId, limit: 3 }),
    'workers.remove': async () => ({ workerId: await terminal() }),
    'workers.input': async () => ({ workerId: await terminal(), data: 'true\r', inputId: 'one' }),
    'workers.resize': async () => ({ workerId: await terminal(), cols: 90, rows: 20 }),
    'workers.restart': async () => {
      const workerId = await terminal();
      await c.client.call('workers.remove', { workerId });
      return { workerId };
    },
    'workers.output': () => ({ workerId: root.workerId, format: 'base64' }),
    'workers.screen': () => ({ workerId: root.workerId, scrollback: 10 }),
    'workers.correctActivity': async () => ({ workerId: await terminal(), activityState: 'idle' }),
    'tasks.list': () => ({ limit: 2 }),
    'tasks.get': () => ({ taskId: root.taskId }),
    'tasks.cancel': async () => ({ taskId: await queued() }),
    'tasks.move': async () => ({ taskId: await queued(), after: null, expectedVersion: 1 }),
    'tasks.retry': async () => {
      const taskId = await queued();
      await c.client.call('tasks.cancel', { taskId });
      return { taskId };
    },
    'tasks.sendNow': async () => {
      const sessionId = await child();
      const worker = await c.client.call('workers.create', { sessionId, type: 'agent' });
      await c.client.call('workers.input', { workerId: worker.id, data: 'half a li' });
      const { taskId } = await c.client.call('sessions.prompt', { sessionId, prompt: '@say hello' });
      await c.until('a held prompt', async () => (await c.client.call('tasks.get', { taskId })).blocked !== null);
      return { taskId };
    },
    'inbox.list': () => ({ limit: 5 }),
    'inbox.mark': async () => ({ sessionIds: [(await finished()).sessionId] }),
    'inbox.marks': () => ({ limit: 5 }),
    'sessions.pin': async () => ({ sessionIds: [await child()] }),
    'approvals.list': () => ({ sessionId: root.sessionId, state: 'answered' }),
    'approvals.get': async () => ({ approvalId: await question() }),
    'approvals.answer': async () => ({ approvalId: await question(), optionId: '1' }),
    'delegations.create': () => ({
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@report succeeded done',
    }),
    'delegations.list': () => ({ limit: 1 }),
    'delegations.get': () => ({ delegationId: root.delegationId }),
    'agents.list': () => ({}),
    'agents.create': () => ({ id: unique('agent'), name: 'Shell', command: ['sh', '-c', 'cat'], env: ['SOME_NAME'] }),
    'agents.get': () => ({ id: 'scripted' }),
    'agents.update': async () => ({ id: await ownAgent(), queueWhenUnknown: 'send' }),
    'agents.remove': async () => ({ id: await ownAgent() }),
    'folders.list': () => ({ path: c.folder }),
    'agents.check': () => ({ id: 'scripted' }),
    'mcpServers.list': () => ({}),
    'mcpServers.create': () => ({ name: unique('server'), transport: 'stdio', command: 'cat', env: { KEY: 'value' } }),
    'mcpServers.get': async () => ({ mcpServerId: await server() }),
    'mcpServers.update': async () => ({ mcpServerId: await server(), headers: { 'X-Key': 'value' } }),
    'mcpServers.remove': async () => ({ mcpServerId: await server() }),
    'events.list': () => ({ after: 1, limit: 3 }),
    'audit.list': () => ({ operation: 'sessions.create', outcome: 'ok', after: '2020-01-01T00:00:00.000Z', limit: 2 }),
    'names.resolve': () => ({ noun: 'repository' as const, query: c.repository.id }),
    'names.list': () => ({ noun: 'session' as const, limit: 2 }),
    'users.list': () => ({ limit: 2 }),
    'users.current': () => ({}),
    'users.get': async () => ({ userId: await person() }),
    'users.create': () => ({
      username: 'Ann',
      email: `${unique('ann')}@example.com`,
      avatarUrl: 'https://example.com/a',
    }),
    'users.update': async () => ({ userId: await person(), username: 'Grüße 🌍', email: null }),
    'users.remove': async () => ({ userId: await person() }),
    'tokens.list': () => ({ limit: 2 }),
    'tokens.create': () => ({ name: 'mine', scopes: ['read'], expiresAt: '2100-01-01T00:00:00.000Z' }),
    'tokens.revoke': async () => ({ tokenId: (await c.client.call('tokens.create', { name: 'short' })).id }),
    'tokens.revokeLogins': () => ({}),
    'login.open': () => ({}),
    'login.redeem': async () => ({ code: (await c.client.call('login.open', {})).code }),
    'settings.get': () => ({}),
    'settings.update': () => ({ reminderSeconds: 61 }),
    'system.status': () => ({}),
  };
}

/** Returns arguments of those tools whose input differs from the input of their operation. */
export function toolSamplesOf(
  world: World,
): Record<string, () => Promise<{ args: Record<string, unknown>; token?: string }>> {
  const { c, root, rootWorktree, rootClient, unique, child, busy, board, zone, owner } = world;
  const orchestration = (state?: OrchestrationSample) => orchestrationOf(world, rootClient, state);
  return {
    agor_sessions_prompt: async () => {
      const { sessionId, taskId } = root;
      return { args: { sessionId, taskId, prompt: '@say hello', mode: 'subsession', agenticTool: 'scripted' } };
    },
    agor_worktrees_list: async () => ({ args: { repoId: c.repository.id, limit: 2 } }),
    agor_worktrees_create: async () => ({ args: { repoId: c.repository.id, branch: unique('tree'), name: 'Mine' } }),
    agor_worktrees_update: async () => {
      const { id: zoneId, boardId } = await zone();
      return { args: { worktreeId: rootWorktree, boardId, zoneId, x: 1, y: 2 } };
    },
    check_worktree: async () => {
      await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'true' });
      return { args: { worktreeId: rootWorktree } };
    },
    integrate_worktree: async () => {
      const repositoryId = c.repository.id;
      await c.client.call('repositories.update', { repositoryId, agentsMayIntegrate: true });
      const input = { repositoryId, mode: 'custom', branch: unique('tree'), wait: true } as const;
      const { worktree } = await rootClient.call('worktrees.create', input);
      const worktreeId = worktree?.id ?? '';
      await commitIn(world, worktreeId);
      return { args: { worktreeId } };
    },
    orchestrations_create: async () => ({
      args: { objective: 'Try it', agents: [{ role: 'worker', task: '@report succeeded' }] },
    }),
    orchestrations_run: async () => ({
      args: { definition: 'review', parameters: { branch: 'main' }, dryRun: true },
    }),
    orchestrations_start: async () => ({ args: { orchestrationId: await orchestration() } }),
    orchestrations_pause: async () => ({ args: { orchestrationId: await orchestration('running') } }),
    orchestrations_resume: async () => ({ args: { orchestrationId: await orchestration('paused') } }),
    orchestrations_cancel: async () => ({ args: { orchestrationId: await orchestration('running') } }),
    orchestration_agents_add: async () => ({
      args: { orchestrationId: await orchestration(), agents: [{ role: 'worker', task: 'More work' }] },
    }),
    orchestration_agents_report: async () => {
      const orchestrationId = await orchestration('running');
      const { agents } = await c.client.call('orchestrations.get', { orchestrationId });
      const sessionId = agents[0]?.sessionId ?? '';
      const worker = await c.until('the agent is live', async () => {
        const { workers } = await c.client.call('sessions.get', { sessionId });
        return workers.find(({ type, pid }) => type === 'agent' && pid !== null);
      });
      return { args: { progress: 0.5, status: 'half done' }, token: tokenOf(c, worker.id) };
    },
    agor_boards_list: async () => ({ args: { ownerId: await owner(), limit: 2 } }),
    agor_boards_create: async () => ({ args: { name: unique('board'), ownerId: await owner() } }),
    agor_repos_get: async () => ({ args: { repoId: c.repository.id } }),
    agor_tasks_cancel: async () => {
      const sessionId = await child();
      await rootClient.call('sessions.prompt', { sessionId, prompt: '@sleep 600000' });
      return { args: { taskId: (await rootClient.call('sessions.prompt', { sessionId, prompt: 'wait' })).taskId } };
    },
    agor_sessions_search: async () => {
      const args = { worktreeId: rootWorktree, repositoryId: c.repository.id, boardId: await board() };
      return { args: { query: 'say', agent: 'scripted', ...args } };
    },
    agor_sessions_list: async () => ({ args: { agent: 'scripted', limit: 2 } }),
    agor_sessions_get_current: async () => ({ args: {} }),
    agor_sessions_create: async () => {
      const { worktreeId } = await c.client.call('sessions.get', { sessionId: root.sessionId });
      return { args: { worktreeId, agenticTool: 'scripted', title: 'New', initialPrompt: '@say hello' } };
    },
    list_sessions: async () => ({ args: { limit: 2, skip: 1 } }),
    send_message_to_session: async () => {
      const sessionId = await child();
      const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
      return { args: { sessionId, workerId, message: '@say hello' } };
    },
    agor_users_create: async () => {
      const { token } = await c.client.call('tokens.create', { name: 'admin', scopes: ['read', 'write', 'owner'] });
      return { args: { username: unique('person') }, token };
    },
    report_result: async () => {
      const { sessionId } = await busy();
      const [worker] = (await c.client.call('sessions.workers', { sessionId })).data;
      return { args: { outcome: 'succeeded', summary: 'done' }, token: tokenOf(c, worker?.id ?? '') };
    },
  };
}
