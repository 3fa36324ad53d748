import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { createAcp } from './acp/protocol.ts';
import { createActivityWatchers } from './activity/watcher.ts';
import { createConversations } from './agents/conversations.ts';
import { createAgentKinds } from './agents/kinds.ts';
import type { Config } from './config.ts';
import { createDefinitions } from './definitions/definitions.ts';
import { createAudit } from './engine/access/audit.ts';
import { createOwnership, eventFilters } from './engine/access/ownership.ts';
import { toPublicEvent } from './engine/access/public-event.ts';
import { createAskAgent } from './engine/agents/ask-agent.ts';
import { createCatalogue } from './engine/agents/catalogue.ts';
import { createBudgetClock } from './engine/budgets/clock.ts';
import { createChecks } from './engine/checks/checks.ts';
import { createHiddenStorage } from './engine/checks/hidden-storage.ts';
import { createToolReach } from './engine/checks/tool-reach.ts';
import { createCommands } from './engine/commands/commands.ts';
import { createHooks } from './engine/commands/hooks.ts';
import { createNaming } from './engine/delegations/naming.ts';
import { createSaga } from './engine/delegations/saga.ts';
import { createIntegrations } from './engine/integrations/integrations.ts';
import { startHousekeeping } from './engine/maintenance/housekeeping.ts';
import { pauseIfIdle } from './engine/maintenance/idle-sessions.ts';
import { createOrchestrationCleanup } from './engine/orchestrations/cleanup.ts';
import { createDefinitionLibrary } from './engine/orchestrations/library.ts';
import { createOrchestrations } from './engine/orchestrations/orchestrations.ts';
import { createAgentOutputs } from './engine/orchestrations/outputs.ts';
import { createOrchestrationScheduler } from './engine/orchestrations/scheduler.ts';
import { createKeyTimes } from './engine/processes/key-times.ts';
import { createProcesses } from './engine/processes/processes.ts';
import { startSettled } from './engine/processes/start-settled.ts';
import { createWorkerWatcher, type WorkerWatcher } from './engine/processes/worker-watcher.ts';
import { createInputEvidence } from './engine/reconciler/input-evidence.ts';
import { createReconciler } from './engine/reconciler/reconciler.ts';
import { recover } from './engine/recovery.ts';
import { createJobs } from './engine/scheduling/jobs.ts';
import { createStartingSessions } from './engine/sessions/starting-sessions.ts';
import { createSettings } from './engine/settings.ts';
import { createTranscriptScanner } from './engine/transcripts/scanner.ts';
import { createWorktreeChanges } from './engine/worktree-changes/changes.ts';
import { createPullRequestReader } from './engine/worktree-changes/pull-request-reader.ts';
import { createMaker } from './engine/worktrees/maker.ts';
import { createOverlaps } from './engine/worktrees/overlaps.ts';
import { refreshWorktrees } from './engine/worktrees/refresh.ts';
import { createEventHub } from './events/hub.ts';
import { forkServer } from './git/fork-server.ts';
import { createGit } from './git/git.ts';
import { createIdentity } from './identity/identity.ts';
import { secrets } from './identity/secrets.ts';
import { createIdentitySource } from './identity/source.ts';
import { createAgentPrograms } from './machine/agent-programs.ts';
import { createHost } from './machine/host.ts';
import { createImageFiles } from './machine/image-files.ts';
import { createOneShots } from './machine/one-shots.ts';
import { createOrchestrationFiles } from './machine/orchestration-files.ts';
import { createPrivateValues } from './machine/private-values.ts';
import { createProcessResources } from './machine/process-resources.ts';
import { createPullRequests } from './machine/pull-requests.ts';
import { createSignalFiles } from './machine/signal-files.ts';
import { createGate } from './operations/gate.ts';
import { implementOperations, replayOperations } from './operations/implementations.ts';
import { cleanUpAfter } from './operations/integration-cleanup.ts';
import { resolveConflicts } from './operations/integration-resolution.ts';
import type { OperationContext } from './operations/operation.ts';
import { createOrchestrationActions } from './operations/orchestration-actions.ts';
import { createOrchestrationIntegration } from './operations/orchestration-integration.ts';
import { workersWithProcess } from './operations/resources.ts';
import { runnerState } from './operations/system.ts';
import { createTerminals } from './operations/terminals.ts';
import { ensureLocalOwner } from './operations/users.ts';
import { createViewerScopes } from './operations/viewer-scopes.ts';
import { createViews } from './operations/views.ts';
import type { LocalRunner } from './runner/client.ts';
import { bootId, sessionMembers, startTimeOf } from './runner/processes.ts';
import { createScreens } from './screens/screens.ts';
import { openDatabase } from './storage/database.ts';
import { createMcpSessionStore } from './storage/mcp-sessions.ts';
import { createReadersOfUser } from './storage/readers-of-user.ts';
import { createStorage } from './storage/storage.ts';
import { createOutputStreams } from './streams/output-streams.ts';

export interface AppOptions {
  config: Config;
  version: string;
  runner: LocalRunner;
  /** Port at which workers reach the console. */
  port: number;
  /** Folder of the built programs and the migrations. */
  programs: string;
  environment: Readonly<Record<string, string | undefined>>;
  cliToken: string | undefined;
  /**
   * Pids of this server and its runner. Processes that they start outside a worker, such as git hooks, are anonymous
   * callers.
   */
  ownPids: readonly number[];
  onError: (error: unknown, about: Record<string, unknown>) => void;
  /** Clock for all stored times. Default: the system clock. */
  now?: () => Date;
}

/** Creates all parts of the server and connects them. No other module connects implementations of different layers. */
export async function createApp(options: AppOptions) {
  const { config, version, runner, programs, environment, onError } = options;
  const now = options.now ?? (() => new Date());
  const startedAt = now();
  const newId = uuidv7;

  const database = openDatabase(join(config.home, 'console.db'), join(programs, 'migrations'));
  const newest = database.reader.raw.prepare('select max(seq) as seq from events').get() as { seq: number | null };
  let committed: Parameters<typeof createStorage>[0]['onCommit'] = () => {};
  const storage = createStorage({ ...database, now, onCommit: (events) => committed(events) });
  const ownerId = await ensureLocalOwner(storage, { now, newId, username: environment.USER || null });
  const ownership = createOwnership(storage.read, ownerId);
  const hub = createEventHub(
    storage.read.events,
    newest.seq ?? 0,
    toPublicEvent,
    (error) => onError(error, { about: 'event listener' }),
    eventFilters(ownership, storage.read),
  );
  committed = hub.committed;

  const git = createGit({
    viewsDir: join(config.home, 'views'),
    env: environment,
    runProcess: forkServer(join(programs, 'fork-server.js')),
  });
  const screens = createScreens({
    runner,
    streams: () => allStreams,
    home: config.home,
    program: join(programs, 'screens.js'),
    onError: (error, workerId) => onError(error, { about: 'screen', workerId }),
  });
  const allStreams = createOutputStreams(runner, {
    snapshotOf: screens.snapshotOf,
    startSettled: (workerId) => startSettled({ read: storage.read, hub }, workerId),
  });
  const streams = screens.retainWhileViewed(allStreams);
  const processReader = { startTimeOf, sessionMembers, bootId };
  const host = createHost({ home: config.home, port: options.port, environment, processes: processReader });
  const orchestrationFiles = createOrchestrationFiles(config.home);
  const privateValues = createPrivateValues({ home: config.home, newId });
  const images = createImageFiles({ home: config.home, newId });
  const kinds = createAgentKinds({
    scriptedAgent: join(programs, 'scripted-agent.js'),
    cli: join(programs, 'cli.js'),
  });
  const agentPrograms = createAgentPrograms({ host, environment });
  const conversations = createConversations(kinds, { environment, transcriptsDir: host.transcriptsDir, now });
  const catalogue = createCatalogue({ storage, host, kinds, programs: agentPrograms });
  const settings = createSettings({ storage });
  const deps = { now, newId };
  const audit = createAudit({ ...deps, storage, ownership, onBug: (error, about) => onError(error, about) });
  const oneShots = createOneShots({ home: config.home, processes: processReader, git });
  const ask = createAskAgent({ kinds, programs: agentPrograms, host, oneShots });
  const reach = createToolReach();
  const hidden = createHiddenStorage(storage);
  const views = createViews({ storage, hub, streams, catalogue });
  const jobs = createJobs({ ...deps, storage, onError: (error, jobId) => onError(error, { jobId }) });
  const maker = createMaker({ ...deps, storage, git, host });
  const overlaps = createOverlaps({ ...deps, storage, git, maker });
  const signals = createSignalFiles(host);
  const watchers = createActivityWatchers(kinds);
  const scanner = createTranscriptScanner({
    ...deps,
    storage,
    hub,
    runner,
    transcripts: conversations,
    conversations,
    kinds,
    catalogue,
    onError: (error, sessionId) => onError(error, { about: 'conversation', sessionId }),
  });
  const protocol = createAcp(version);
  const workerWatcher = createWorkerWatcher({
    ...deps,
    storage: hidden.storage,
    scanner,
    runner,
    streams,
    catalogue,
    kinds,
    conversations,
    screens,
    signals,
    watchers,
    protocol,
    host,
    orchestrationFiles,
    audit,
    terminals: () => processes.terminals,
    onError: (error, workerId) => onError(error, { workerId }),
  });
  // An agent needs a screen from its first byte on, because the screen answers the queries that the agent sends to its
  // terminal.
  const watcher: WorkerWatcher = {
    ...workerWatcher,
    watch(worker, onExit) {
      workerWatcher.watch(worker, onExit);
      if (worker.type === 'agent' && worker.protocol === null) screens.opened(worker.id);
    },
  };
  const processes = createProcesses({
    ...deps,
    storage: hidden.storage,
    isHidden: hidden.isHidden,
    git,
    runner,
    host,
    secrets,
    privateValues,
    images,
    kinds,
    catalogue,
    orchestrationFiles,
    programs: agentPrograms,
    conversations,
    maker,
    views,
    watcher,
    screens,
    onError: (error, workerId) => onError(error, { workerId }),
  });
  const startingSessions = createStartingSessions();
  const reconciler = createReconciler({
    ...deps,
    settings,
    startingSessions,
    storage,
    hub,
    runner,
    protocol,
    host,
    images,
    processes,
    watcher,
    catalogue,
    evidence: createInputEvidence({ storage, catalogue, screens, streams, scanner }),
    reminderMs: async () => (await settings.current()).reminderSeconds * 1_000,
    queueWhenUnknown: async (agentId) => (await catalogue.find(agentId))?.queueWhenUnknown ?? 'hold',
    onError: (error, sessionId) => onError(error, { sessionId }),
  });
  const saga = createSaga({
    ...deps,
    storage,
    hub,
    maker,
    processes,
    onError: (error, delegationId) => onError(error, { delegationId }),
  });
  const naming = createNaming({ ask, settings });
  const checks = createChecks({
    ...deps,
    hidden,
    processes,
    watcher,
    screens,
    runner,
    host,
    kinds,
    catalogue,
    programs: agentPrograms,
    oneShots,
    ask,
    reach,
    onError: (error, workerId) => onError(error, { about: 'checking an agent', workerId }),
  });

  const commands = createCommands({
    ...deps,
    storage,
    hub,
    host,
    runner,
    screens,
    processes,
    catalogue,
    settings,
    onError: (error, workerId) => onError(error, { about: 'command', workerId }),
  });
  const integrations = createIntegrations({
    ...deps,
    storage,
    git,
    jobs,
    maker,
    hooks: createHooks({ git, commands, storage }),
    followUps: {
      cleanUp: (...args) => cleanUpAfter(context, ...args),
      resolve: (...args) => resolveConflicts(context, ...args),
    },
    onError: (error, integrationId) => onError(error, { integrationId }),
  });
  const pullRequests = createPullRequests(host);
  const worktreeChanges = createWorktreeChanges({ ...deps, storage, git, host, commands, maker, jobs, pullRequests });
  const pullRequestReader = createPullRequestReader({
    storage,
    pullRequests,
    now,
    onError: (error, worktreeId) => onError(error, { about: 'pull request', worktreeId }),
  });

  const definitions = createDefinitions();
  const library = createDefinitionLibrary({ git, definitions });
  const keyTimes = createKeyTimes({ now });
  const orchestrationScheduler = createOrchestrationScheduler({
    ...deps,
    storage,
    hub,
    git,
    runner,
    files: orchestrationFiles,
    actions: { ...createOrchestrationActions(() => context), ...createOrchestrationIntegration(() => context) },
    pauseIfIdle: (workerId, before) => pauseIfIdle({ storage, catalogue, keyTimes, now }, workerId, before),
    onError: (error, orchestrationId) => onError(error, { orchestrationId }),
  });
  const orchestrations = createOrchestrations({
    ...deps,
    storage,
    scheduler: orchestrationScheduler,
    files: orchestrationFiles,
  });

  const orchestrationCleanup = createOrchestrationCleanup({
    storage,
    files: orchestrationFiles,
    runner,
    settings,
    scheduler: orchestrationScheduler,
    now,
    onError: (error, orchestrationId) => onError(error, { orchestrationId }),
  });
  const budgetClock = createBudgetClock({
    ...deps,
    storage,
    hub,
    onError: (error, sessionId) => onError(error, { about: 'budget', sessionId }),
  });
  const agentOutputs = createAgentOutputs({
    storage,
    hub,
    runner,
    screens,
    host,
    scanner,
    files: orchestrationFiles,
    onError: (error, sessionId) => onError(error, { about: 'storing an output for an orchestration', sessionId }),
  });

  hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      if (event.type === 'task.ended' && sessionId !== null) void pullRequestReader.refreshForSession(sessionId);
    }
  });

  const context: OperationContext = {
    ...deps,
    startingSessions,
    ownerId,
    version,
    startedAt,
    storage,
    hub,
    git,
    runner,
    streams,
    screens,
    resources: createProcessResources({ now, runningWorkers: () => workersWithProcess(storage.read) }),
    keyTimes,
    host,
    secrets,
    privateValues,
    images,
    kinds,
    catalogue,
    settings,
    views,
    protocol,
    reconciler,
    processes,
    watcher,
    scanner,
    jobs,
    maker,
    integrations,
    overlaps,
    worktreeChanges,
    pullRequests,
    pullRequestReader,
    saga,
    orchestrations,
    orchestrationScheduler,
    orchestrationFiles,
    definitions,
    library,
    orchestrationCleanup,
    naming,
    checks,
    onError,
  };
  const gate = createGate({
    ...deps,
    storage,
    secrets,
    scopeFor: createViewerScopes(
      context,
      createReadersOfUser(storage.read, database.reader),
      implementOperations,
      replayOperations(context),
    ),
    ownership,
    audit,
    onBug: (error, about) => onError(error, about),
  });
  const identity = createIdentity(
    createIdentitySource(
      { storage, hub, now, onError: (error) => onError(error, { about: 'storing when a token was last used' }) },
      ownerId,
    ),
    {
      tokenOnly: config.auth === 'token',
      isProxied: config.isProxied,
      ownPids: () => options.ownPids,
      ...(options.cliToken === undefined ? {} : { cliToken: options.cliToken }),
    },
  );

  runner.onGone(() => {
    processes.loseAll().catch((error) => onError(error, { about: 'runner gone' }));
  });
  const refreshing = refreshWorktrees(context, (error, about) => onError(error, { about: 'worktree state', ...about }));
  // The commands end before anything else, because recovery discards the worktrees in which they run.
  await host
    .endLeftoverCommands()
    .catch((error) => onError(error, { about: 'ending commands of the previous server' }));
  await recover(context, onError);
  await budgetClock.recover();
  void scanner.recover().catch((error) => onError(error, { about: 'conversations' }));
  void agentOutputs.recover().catch((error) => onError(error, { about: 'storing outputs for orchestrations' }));
  const housekeeping = startHousekeeping(context, (error) => onError(error, { about: 'housekeeping' }));

  return {
    gate,
    identity,
    hub,
    streams,
    storage,
    terminals: createTerminals(context, ownership),
    mcpSessions: createMcpSessionStore(database.writer.db, storage),
    toolReach: reach,
    runnerState: () => runnerState(runner),
    /** Stops all background work and closes the database. Workers keep running; the processes of agent checks end. */
    async close() {
      const maintained = Promise.all([housekeeping.stop(), orchestrationCleanup.close()]);
      await refreshing.close();
      await checks.close();
      await agentOutputs.close();
      // The saga carries out delegations. It is closed before the connection to the runner, which its steps use.
      await saga.close();
      // Closes the screens and the connection to the runner first, because the following steps could otherwise wait for
      // an agent that does not read its input. Unread input is sent again after a restart, under the same id, so that
      // it is typed only once.
      await screens.close();
      runner.close();
      await maintained;
      await budgetClock.close();
      await orchestrationScheduler.close();
      await reconciler.close();
      await watcher.close();
      await scanner.close();
      await pullRequestReader.close();
      // Some writes run in the background, such as that of the last use of a token.
      await storage.close();
    },
  };
}

export type App = Awaited<ReturnType<typeof createApp>>;
