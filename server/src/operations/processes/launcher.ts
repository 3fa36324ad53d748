import { ConsoleError } from '@agent-console/shared/errors';
import { workerEnvironment } from '../../domain/environment.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../author.ts';
import type { AgentKinds } from '../ports/agents.ts';
import type { Places } from '../ports/places.ts';
import type { SessionRow, WorkerRow } from '../ports/rows.ts';
import type { ProcessInfo, Runner, SpawnSpec } from '../ports/runner.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Author, Storage } from '../ports/storage.ts';
import type { Pen } from '../task-changes.ts';

export interface LauncherDeps extends Pen {
  storage: Storage;
  runner: Pick<Runner, 'spawn'>;
  places: Places;
  secrets: Secrets;
  kinds: AgentKinds;
  catalogue: AgentCatalogue;
}

interface Plan {
  spec: SpawnSpec;
  /** The agent's own id of the conversation, where it has one. */
  nativeId: string | null;
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
    return places.writeWorkerToken(worker.id, secret);
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
    return { spec: { ...specOf(session, worker), file, args: [], env }, nativeId: session.nativeId };
  }

  async function planAgent(author: Author, session: SessionRow, worker: WorkerRow): Promise<Plan> {
    const definition = await deps.catalogue.choose(session.agentId);
    const kind = deps.kinds(definition.kind);
    const tokenFile = await issueToken(author, worker);
    const nativeId = nativeIdOf(session, kind);
    const resume = session.begun && kind.supportsResume && nativeId !== null;
    const { file, args, env } = kind.start({
      definition,
      conversation: resume ? { mode: 'resume', nativeId } : { mode: 'new', nativeId },
      transcriptDir: places.transcriptsDir,
      mcp: { url: `${places.baseUrl()}/mcp`, tokenFile },
    });
    const base = environmentOf(session, worker, [...kind.environment, ...definition.env]);
    return { spec: { ...specOf(session, worker), file, args, env: { ...base, ...env } }, nativeId };
  }

  /** From here on the conversation has begun: a later start resumes it. */
  async function storeStart(
    author: Author,
    worker: WorkerRow,
    process: ProcessInfo,
    nativeId: string | null,
  ): Promise<WorkerRow> {
    const patch = { state: 'running' as const, pid: process.pid, startTime: process.startTime };
    await storage.write(author, async (tx) => {
      if ((await tx.workers.get(worker.id))?.state !== 'starting') {
        throw new ConsoleError('CONFLICT', 'The worker was ended while it was being started.', { workerId: worker.id });
      }
      await tx.workers.update(worker.id, patch);
      if (worker.type === 'agent') await tx.sessions.update(worker.sessionId, { begun: true, nativeId });
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
      const { spec, nativeId } = isAgent ? await planAgent(author, session, worker) : planTerminal(session, worker);
      return storeStart(author, worker, await deps.runner.spawn(spec), nativeId);
    },
    /** The start of a process that a dead server did not get to write down. */
    async adopt(worker: WorkerRow, process: ProcessInfo): Promise<WorkerRow> {
      const session = await storage.read.sessions.get(worker.sessionId);
      const definition = worker.agentId === null ? undefined : await deps.catalogue.find(worker.agentId);
      const nativeId = session && definition ? nativeIdOf(session, deps.kinds(definition.kind)) : null;
      return storeStart(SYSTEM, worker, process, nativeId);
    },
  };
}

function nativeIdOf(session: SessionRow, kind: Pick<ReturnType<AgentKinds>, 'nativeId'>): string | null {
  return session.nativeId ?? (kind.nativeId === 'ours' ? session.id : null);
}
