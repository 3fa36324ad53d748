import { ConsoleError } from '@agent-console/shared/errors';
import { shortId } from '@agent-console/shared/ids';
import { TOOL_TIMEOUT_MS } from '@agent-console/shared/limits';
import type { PermissionMode } from '@agent-console/shared/models/session';
import { workerEnvironment } from '../../domain/environment.ts';
import { selfKnowledge } from '../../domain/self-knowledge.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../author.ts';
import type {
  AgentKind,
  AgentKinds,
  AgentPrograms,
  Conversation,
  Conversations,
  StartRequest,
} from '../ports/agents.ts';
import type { Places } from '../ports/places.ts';
import type { SessionRow, WorkerRow } from '../ports/rows.ts';
import type { ProcessInfo, Runner, SpawnSpec } from '../ports/runner.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Author, Storage } from '../ports/storage.ts';
import type { Pen } from '../task-changes.ts';
import { tracedConversation } from './traced-conversation.ts';

export interface LauncherDeps extends Pen {
  storage: Storage;
  runner: Pick<Runner, 'spawn'>;
  places: Places;
  secrets: Secrets;
  kinds: AgentKinds;
  catalogue: AgentCatalogue;
  programs: AgentPrograms;
  conversations: Conversations;
}

interface Plan {
  spec: SpawnSpec;
  /** The agent's own id of the conversation, where it has one. */
  nativeId: string | null;
  /** The mode it is started in, where it is an agent. */
  mode: PermissionMode | null;
  warnings: string[];
}

/** Plans the process of a stored worker and starts it; a repeat finds the process that is there. */
export function createLauncher(deps: LauncherDeps) {
  const { storage, places } = deps;

  /** A new token for a worker's calls; earlier ones of the same worker stop working. */
  async function issueToken(author: Author, worker: WorkerRow): Promise<string> {
    const secret = deps.secrets.create('acw');
    await storage.write(author, async (tx) => {
      await tx.tokens.remove({ workerId: worker.id });
      await tx.tokens.insert({
        id: deps.newId(),
        sha256: deps.secrets.sha256(secret),
        name: `worker ${worker.id}`,
        kind: 'worker',
        userId: null,
        workerId: worker.id,
        sessionId: worker.sessionId,
        scopes: [],
        createdAt: deps.now().toISOString(),
        expiresAt: null,
        revokedAt: null,
      });
    });
    return secret;
  }

  function environmentOf(
    session: SessionRow,
    worker: WorkerRow,
    extraNames: readonly string[],
  ): Record<string, string> {
    const { id: sessionId, repositoryId } = session;
    const place = { baseUrl: places.baseUrl(), sessionId, workerId: worker.id, repositoryId };
    return workerEnvironment(places.environment, place, extraNames);
  }

  function specOf(session: SessionRow, worker: WorkerRow) {
    return { workerId: worker.id, mode: 'pty' as const, cwd: session.cwd, cols: worker.cols, rows: worker.rows };
  }

  function planTerminal(session: SessionRow, worker: WorkerRow): Plan {
    const file = places.environment.SHELL ?? '/bin/sh';
    const env = environmentOf(session, worker, []);
    return {
      spec: { ...specOf(session, worker), file, args: [], env },
      nativeId: session.nativeId,
      mode: null,
      warnings: [],
    };
  }

  /** What stays with the session's conversation, and whether there is one to go on with. */
  async function conversationOf(session: SessionRow, kind: AgentKind): Promise<Conversation> {
    const chosen = chosenId(session, kind);
    if (session.begun) {
      const known = kind.supportsResume ? await keptId(session, kind) : null;
      return known === null ? { mode: 'new', nativeId: chosen } : { mode: 'resume', nativeId: known };
    }
    const { forkedFromSessionId } = session;
    const origin = forkedFromSessionId === null ? undefined : await storage.read.sessions.get(forkedFromSessionId);
    const from = origin === undefined ? null : await keptId(origin, kind);
    return from === null ? { mode: 'new', nativeId: chosen } : { mode: 'fork', nativeId: chosen, from };
  }

  /** The id of a conversation that the agent really keeps: one that was only announced cannot be taken up. */
  async function keptId(session: SessionRow, kind: AgentKind): Promise<string | null> {
    const told = session.nativeId ?? chosenId(session, kind);
    if (told !== null && (await deps.conversations.exists(kind.id, told))) return told;
    return tracedConversation(deps, session, kind);
  }

  async function instructionsFor(session: SessionRow): Promise<Pick<StartRequest, 'instructions' | 'repository'>> {
    const worktree = session.worktreeId === null ? undefined : await storage.read.worktrees.get(session.worktreeId);
    const repository = worktree && (await storage.read.repositories.get(worktree.repositoryId));
    const parent =
      session.parentSessionId === null ? undefined : await storage.read.sessions.get(session.parentSessionId);
    const instructions = selfKnowledge({
      sessionId: session.id,
      shortId: shortId(session.id),
      title: session.title,
      cwd: session.cwd,
      worktree:
        worktree && repository
          ? { repository: repository.name, branch: worktree.branch, isMain: worktree.kind === 'main' }
          : null,
      parent: parent ? { id: parent.id, title: parent.title } : null,
      baseUrl: places.baseUrl(),
    });
    const { path, commonDir } = repository ?? {};
    return { instructions, repository: path === undefined || commonDir === undefined ? null : { path, commonDir } };
  }

  async function planAgent(author: Author, session: SessionRow, worker: WorkerRow): Promise<Plan> {
    const definition = await deps.catalogue.choose(session.agentId);
    const kind = deps.kinds(definition.kind);
    const installed = kind.readsHelp ? await deps.programs.learn(definition.command) : { version: null, help: null };
    const permission = kind.permission(session.requestedMode ?? session.permissionMode, installed);
    const conversation = await conversationOf(session, kind);
    const userFiles = await places.readUserFiles(kind.userFiles);
    const token = await issueToken(author, worker);
    const { file, args, env, files, overlay } = kind.start({
      definition,
      installed,
      conversation,
      cwd: session.cwd,
      mode: permission.mode,
      ...(await instructionsFor(session)),
      ...places.workerPaths(worker.id),
      transcriptDir: places.transcriptsDir,
      mcp: { url: `${places.baseUrl()}/mcp`, token, timeoutMs: TOOL_TIMEOUT_MS },
      userFiles,
    });
    await places.writeWorkerFiles(worker.id, files, overlay);
    const names = [...kind.environment, ...kind.namedVariables(userFiles), ...definition.env];
    const base = environmentOf(session, worker, names);
    return {
      spec: { ...specOf(session, worker), file, args, env: { ...base, ...env } },
      nativeId: conversation.nativeId,
      mode: permission.mode,
      warnings: permission.note === null ? [] : [permission.note],
    };
  }

  /** From here on the conversation has begun: a later start resumes it. */
  async function storeStart(
    author: Author,
    worker: WorkerRow,
    process: ProcessInfo,
    { nativeId, mode, warnings }: Omit<Plan, 'spec'>,
  ): Promise<WorkerRow> {
    const patch = {
      state: 'running' as const,
      pid: process.pid,
      startTime: process.startTime,
      warnings: [...worker.warnings, ...warnings],
    };
    await storage.write(author, async (tx) => {
      if ((await tx.workers.get(worker.id))?.state !== 'starting') {
        throw new ConsoleError('CONFLICT', 'The worker was ended while it was being started.', { workerId: worker.id });
      }
      await tx.workers.update(worker.id, patch);
      if (worker.type === 'agent') {
        const permission = mode === null ? {} : { permissionMode: mode };
        await tx.sessions.update(worker.sessionId, { begun: true, nativeId, ...permission });
      }
      await tx.record({
        type: 'worker.started',
        subject: { kind: 'worker', id: worker.id },
        sessionId: worker.sessionId,
        data: { workerType: worker.type, pid: process.pid, logOffset: process.logOffset },
      });
    });
    return { ...worker, ...patch };
  }

  return {
    async launch(author: Author, session: SessionRow, worker: WorkerRow): Promise<WorkerRow> {
      const isAgent = worker.type === 'agent';
      const { spec, ...plan } = isAgent ? await planAgent(author, session, worker) : planTerminal(session, worker);
      return storeStart(author, worker, await deps.runner.spawn(spec), plan);
    },
    /** The start of a process that a dead server did not get to write down. */
    async adopt(worker: WorkerRow, process: ProcessInfo): Promise<WorkerRow> {
      const session = await storage.read.sessions.get(worker.sessionId);
      const definition = worker.agentId === null ? undefined : await deps.catalogue.find(worker.agentId);
      const kind = definition && deps.kinds(definition.kind);
      const nativeId = session && kind ? (session.nativeId ?? chosenId(session, kind)) : null;
      return storeStart(SYSTEM, worker, process, { nativeId, mode: null, warnings: [] });
    },
  };
}

/** The id that we give a conversation, for agents that let us. */
function chosenId(session: SessionRow, kind: AgentKind): string | null {
  return kind.nativeId === 'ours' ? kind.conversationId(session.id) : null;
}
