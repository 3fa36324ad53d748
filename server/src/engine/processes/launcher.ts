import { ConsoleError } from '@agent-console/shared/errors';
import { shortId } from '@agent-console/shared/ids';
import { TOOL_TIMEOUT_MS } from '@agent-console/shared/limits/agents';
import type { Agent } from '@agent-console/shared/models/agent';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { agentInstructions } from '../../domain/agent-instructions.ts';
import { workerEnvironment } from '../../domain/environment.ts';
import { NEW_CONNECTION } from '../../domain/protocol.ts';
import type { AgentKinds, AgentPrograms, Conversations, StartRequest } from '../../ports/agents.ts';
import type { Checkout } from '../../ports/checkout.ts';
import type { Git } from '../../ports/git.ts';
import type { Host } from '../../ports/host.ts';
import type { ImageFiles } from '../../ports/images.ts';
import type { PrivateValues } from '../../ports/private-values.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ProcessInfo, Runner, SpawnSpec } from '../../ports/runner.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../changes/author.ts';
import { about } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { serversToStart } from '../mcp-servers/attached.ts';
import { clientServersToStart } from '../mcp-servers/client-servers.ts';
import type { TerminalCommand } from '../protocol/agent-terminals.ts';
import { retryWhileBusy } from '../scheduling/jobs.ts';
import { type SharedFolders, sharedFolderOf } from '../sessions/shared-folder.ts';
import { readCommand } from './command-file.ts';
import {
  type ChosenConversation,
  chosenId,
  conversationToStart,
  storeNewConversation,
} from './conversation-to-start.ts';

export interface LauncherDeps extends ChangeDeps, SharedFolders {
  storage: Storage;
  git: Pick<Git, 'gitDir'>;
  runner: Pick<Runner, 'spawn'>;
  host: Host;
  secrets: Secrets;
  privateValues: Pick<PrivateValues, 'read'>;
  images: Pick<ImageFiles, 'folder'>;
  kinds: AgentKinds;
  catalogue: AgentCatalogue;
  programs: AgentPrograms;
  conversations: Conversations;
}

interface Plan {
  spec: SpawnSpec;
  driver: Agent['driver'];
  /** Requested and effective permission mode; null for terminals. */
  mode: { requested: PermissionMode; effective: PermissionMode } | null;
  warnings: string[];
  /** The conversation of an agent; null for terminals. */
  chosen: ChosenConversation | null;
  /** Id of the conversation; null for terminals, and if the agent chooses the id and reports it after its start. */
  nativeId: string | null;
}

/** Turns off pagers. A pager would wait for a key, which an agent does not press. */
const NO_PAGER = { PAGER: 'cat', GIT_PAGER: 'cat' };

const NO_TRUST = { args: [], env: {} };

/**
 * Starts the processes of stored workers. If the runner already has a process for a worker, no second process is
 * started.
 */
export function createLauncher(deps: LauncherDeps) {
  const { storage, host } = deps;

  /**
   * Creates the token with which the agent calls the console. Also stores the worker's permission mode. An earlier
   * token of the worker stays valid until the worker ends: if the server was restarted while the runner was starting
   * the process, the runner continues that start, so the process has the first token.
   */
  async function issueToken(author: Author, worker: WorkerRow, permissionMode: PermissionMode): Promise<string> {
    const secret = deps.secrets.create('acw');
    const stored = () =>
      storage.write(author, async (tx) => {
        await tx.workers.update(worker.id, { permissionMode });
        await tx.tokens.insert({
          id: deps.newId(),
          sha256: deps.secrets.sha256(secret),
          name: `worker ${worker.id}`,
          kind: 'worker',
          workerId: worker.id,
          sessionId: worker.sessionId,
          createdAt: deps.now().toISOString(),
        });
      });
    await retryWhileBusy(stored);
    return secret;
  }

  async function environmentOf(
    session: SessionRow,
    worker: WorkerRow,
    extraNames: readonly string[],
  ): Promise<Record<string, string>> {
    const { id: sessionId, repositoryId } = session;
    const sharedFolder = await sharedFolderOf(deps, session);
    const identity = { baseUrl: host.baseUrl(), sessionId, workerId: worker.id, repositoryId, sharedFolder };
    return workerEnvironment(host.environment, identity, extraNames);
  }

  function specOf(session: SessionRow, worker: WorkerRow) {
    return {
      workerId: worker.id,
      mode: 'pty' as SpawnSpec['mode'],
      cwd: session.cwd,
      cols: worker.cols,
      rows: worker.rows,
    };
  }

  async function planTerminal(session: SessionRow, worker: WorkerRow): Promise<Plan> {
    const shell = { file: host.environment.SHELL ?? '/bin/sh', args: [], env: {} };
    const { file, args, env } = (await readCommand(host, worker.id)) ?? shell;
    const spec = {
      ...specOf(session, worker),
      file,
      args,
      env: { ...(await environmentOf(session, worker, [])), ...env },
    };
    return { spec, driver: 'pty', mode: null, warnings: [], chosen: null, nativeId: null };
  }

  /**
   * Plans the start of a command that an agent runs in a terminal. The command also gets the environment variables that
   * the agent's definition names.
   */
  async function planCommand(session: SessionRow, worker: WorkerRow, command: TerminalCommand): Promise<Plan> {
    const definition = await deps.catalogue.find(session.agentId);
    const own = await environmentOf(session, worker, definition?.env ?? []);
    const added = Object.entries(command.env).filter(([name]) => !name.startsWith('AGENT_CONSOLE_'));
    const env = { ...own, ...NO_PAGER, ...Object.fromEntries(added) };
    const spec = { ...specOf(session, worker), ...command, env };
    return { spec, driver: 'pty', mode: null, warnings: [], chosen: null, nativeId: null };
  }

  async function surroundingsOf(
    session: SessionRow,
  ): Promise<Pick<StartRequest, 'instructions' | 'repository'> & { warnings: string[] }> {
    const worktree = session.worktreeId === null ? undefined : await storage.read.worktrees.get(session.worktreeId);
    const repository = worktree && (await storage.read.repositories.get(worktree.repositoryId));
    const parent =
      session.parentSessionId === null ? undefined : await storage.read.sessions.get(session.parentSessionId);
    const instructions = agentInstructions({
      sessionId: session.id,
      shortId: shortId(session.id),
      title: session.title,
      cwd: session.cwd,
      worktree:
        worktree && repository
          ? { repository: repository.name, branch: worktree.branch, isMain: worktree.kind === 'main' }
          : null,
      parent: parent ? { id: parent.id, title: parent.title } : null,
      contextFiles: session.contextFiles,
      baseUrl: host.baseUrl(),
    });
    if (worktree === undefined || repository === undefined) return { instructions, repository: null, warnings: [] };
    const { path, commonDir } = repository;
    const found = await gitDirOf({ repository, worktree });
    return { instructions, repository: { path, commonDir, gitDir: found.gitDir }, warnings: found.warnings };
  }

  /** Returns the git directory of a checkout. If it cannot be found, the agent starts anyway, with a warning. */
  async function gitDirOf(checkout: Checkout): Promise<{ gitDir: string | null; warnings: string[] }> {
    try {
      return { gitDir: await deps.git.gitDir(checkout), warnings: [] };
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      return { gitDir: null, warnings: [error.message] };
    }
  }

  async function planAgent(author: Author, session: SessionRow, worker: WorkerRow): Promise<Plan> {
    const definition = await deps.catalogue.choose(undefined, session.agentId);
    const kind = deps.kinds(definition.kind);
    const installed = kind.readsHelp ? await deps.programs.learn(definition.command) : { version: null, help: null };
    const requested = requestedModeOf(session);
    const permission = kind.permission(requested, installed);
    const chosen = await conversationToStart(deps, session, worker, kind);
    const userFiles = await host.readUserFiles(kind.userFiles);
    const { warnings, ...surroundings } = await surroundingsOf(session);
    const { privateValues } = deps;
    const from = { read: storage.read, privateValues };
    const attached = await serversToStart(from, session.id, kind);
    const others = await clientServersToStart(from, worker, attached, kind);
    // A start that a restart of the server interrupted is repeated with its mode, because the runner may have the first
    // request. An agent in another mode than its session's is replaced before its next task.
    const mode = worker.permissionMode ?? permission.mode;
    const token = await issueToken(author, worker, mode);
    const sharedFolder = await sharedFolderOf(deps, session);
    // An agent of an orchestration also gets the tools to report progress and to send messages to other agents.
    const tools = session.orchestrationId === null ? '' : '?toolsets=default,orchestrations';
    const {
      file,
      args,
      env,
      files,
      overlay,
      choosesId = false,
    } = kind.start({
      definition,
      installed,
      conversation: chosen.conversation,
      cwd: session.cwd,
      addedFolders: sharedFolder === null ? [] : [sharedFolder],
      readFolders: kind.readsImages ? [deps.images.folder(session.id)] : [],
      mode,
      ...surroundings,
      ...host.workerPaths(worker.id),
      transcriptDir: host.transcriptsDir,
      mcp: { url: `${host.baseUrl()}/mcp${tools}`, token, timeoutMs: TOOL_TIMEOUT_MS },
      servers: others.servers,
      userFiles,
      userPaths: Object.fromEntries(kind.userFiles.map((name) => [name, host.userPath(name)])),
    });
    await host.writeWorkerFiles(worker.id, files, overlay);
    const names = [...kind.environment, ...kind.namedVariables(userFiles), ...definition.env];
    const base = await environmentOf(session, worker, names);
    // A session that is already marked as removed belongs to a check of an agent definition. Its folder is empty, so
    // the agent may trust the folder without asking.
    const trust = session.removedAt === null ? NO_TRUST : kind.trustFolder(session.cwd);
    return {
      spec: {
        ...specOf(session, worker),
        mode: kind.driver === 'acp' ? 'pipe' : 'pty',
        file,
        args: [...args, ...trust.args],
        env: { ...base, ...env, ...trust.env },
      },
      driver: kind.driver,
      mode: { requested, effective: permission.mode },
      warnings: [...warnings, ...others.warnings, ...(permission.note === null ? [] : [permission.note])],
      chosen,
      nativeId: choosesId ? null : chosen.conversation.nativeId,
    };
  }

  /**
   * Stores that a worker's process was started. From then on, an agent has a conversation, so a later start resumes it.
   */
  async function storeStart(
    author: Author,
    worker: WorkerRow,
    process: ProcessInfo,
    { mode, warnings, driver }: Pick<Plan, 'mode' | 'warnings' | 'driver'>,
    nativeId: string | null,
  ): Promise<WorkerRow> {
    const patch = {
      state: 'running' as const,
      pid: process.pid,
      startTime: process.startTime,
      protocol: driver === 'acp' ? NEW_CONNECTION : null,
      warnings: [...worker.warnings, ...warnings],
    };
    await storage.write(author, async (tx) => {
      if ((await tx.workers.get(worker.id))?.state !== 'starting') {
        throw new ConsoleError('CONFLICT', 'The worker was stopped while it was starting.', { workerId: worker.id });
      }
      await tx.workers.update(worker.id, patch);
      if (worker.type === 'agent') {
        // A permission mode that was changed while the process was starting is newer than the mode of this process, so
        // it is kept.
        const current = await tx.sessions.get(worker.sessionId);
        const isCurrentMode = mode !== null && current !== undefined && requestedModeOf(current) === mode.requested;
        const permission = isCurrentMode ? { permissionMode: mode.effective } : {};
        await tx.sessions.update(worker.sessionId, { begun: true, nativeId, ...permission });
      }
      const data = { workerType: worker.type, pid: process.pid, logOffset: process.logOffset };
      await tx.record({ type: 'worker.started', ...about('worker', worker), data });
    });
    return { ...worker, ...patch };
  }

  return {
    /** @param command the command that a terminal of an agent runs; null for any other worker */
    async launch(
      author: Author,
      session: SessionRow,
      worker: WorkerRow,
      command: TerminalCommand | null,
    ): Promise<WorkerRow> {
      const { spec, chosen, nativeId, ...plan } =
        worker.type === 'agent'
          ? await planAgent(author, session, worker)
          : command === null
            ? await planTerminal(session, worker)
            : await planCommand(session, worker, command);
      const updated =
        chosen === null ? worker : await retryWhileBusy(() => storeNewConversation(deps, author, worker, chosen));
      const process = await deps.runner.spawn(spec);
      // The process already runs, so the start must not fail because the disk is full or the database is busy.
      return retryWhileBusy(() => storeStart(author, updated, process, plan, nativeId));
    },
    /** Stores the start of a process that the previous server started but did not store before it died. */
    async adopt(worker: WorkerRow, process: ProcessInfo): Promise<WorkerRow> {
      const session = await storage.read.sessions.get(worker.sessionId);
      const definition = worker.agentId === null ? undefined : await deps.catalogue.find(worker.agentId);
      const kind = definition && deps.kinds(definition.kind);
      // After a person has made a process switch conversations, its conversation is no longer the one that the console
      // chose. The current id comes from hooks, or is found by the cwd and the start time of the process.
      const chosen = session && kind && !kind.switchesConversation ? chosenId(session, kind) : null;
      const nativeId = session?.nativeId ?? chosen;
      const driver = kind?.driver ?? 'pty';
      return storeStart(SYSTEM, worker, process, { mode: null, warnings: [], driver }, nativeId);
    },
  };
}

function requestedModeOf({ requestedMode, permissionMode }: SessionRow): PermissionMode {
  return requestedMode ?? permissionMode;
}
