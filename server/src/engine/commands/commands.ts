import { ConsoleError } from '@agent-console/shared/errors';
import { COMMAND_SIZE, ENDED_TERMINALS_MAX } from '@agent-console/shared/limits/commands';
import type { EventHub } from '../../ports/events.ts';
import type { Host } from '../../ports/host.ts';
import type { JobRow, WorkerRow, WorktreeRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { about } from '../changes/subjects.ts';
import { type CommandSpec, writeCommand } from '../processes/command-file.ts';
import type { Processes } from '../processes/processes.ts';
import { agentForCommands, type CommandSessionDeps, commandSession } from './command-session.ts';
import { outputTail } from './output.ts';
import { type Step, stepsOf } from './steps.ts';

interface CommandRequest {
  worktree: WorktreeRow;
  author: Author;
  limitMs: number;
  /**
   * Returns the command, and the files to write into `folder` before the command starts. The files are deleted when the
   * command ends. Not called if the command was started before a restart.
   */
  prepare(folder: string): Promise<CommandSpec & { files?: Readonly<Record<string, string>> }>;
}

/** The end of a command. Either `exitCode` or `signal` is set. */
export interface CommandEnd {
  workerId: string;
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  durationMs: number;
  /** The last part of the command's output, as plain text. */
  output: string;
}

/**
 * Runs commands of jobs in terminal workers, which people can watch and end. The processes belong to the runner, so
 * they survive a restart of the server, and the next server continues to wait for their end.
 */
export interface Commands {
  /**
   * Runs the command of one step of a job and waits for its end. A step that has run before is not run again: its
   * stored end is returned.
   * @throws RUNNER_UNAVAILABLE if the result is unknown because the runner died. CONFLICT if the command was not
   * started.
   */
  run(job: JobRow, step: string, request: CommandRequest): Promise<CommandEnd>;
}

interface CommandDeps extends CommandSessionDeps {
  storage: Storage;
  hub: Pick<EventHub, 'onEvents'>;
  host: Pick<Host, 'writeWorkerFiles' | 'workerPaths' | 'removeWorker'>;
  runner: Pick<Runner, 'extent' | 'read' | 'dropLog'>;
  screens: Pick<Screens, 'drop'>;
  processes: Pick<Processes, 'startCommand' | 'end'>;
  onError: (error: unknown, workerId: string) => void;
}

export function createCommands(deps: CommandDeps): Commands {
  const { storage, host, processes } = deps;

  /**
   * Stores the session and worker of a step before the command is started. Reuses a session and worker that an earlier
   * server stored for the step.
   */
  async function reserve(job: JobRow, step: string, { author, worktree }: CommandRequest): Promise<Step> {
    const known = stepsOf(await storage.read.jobs.get(job.id))[step];
    if (known !== undefined) return known;
    const agent = await agentForCommands(deps);
    const { idempotency: _, ...authorWithoutKey } = author;
    return storage.write(authorWithoutKey, async (tx) => {
      const session = await commandSession(tx, deps, author, worktree, agent);
      const reserved: Step = { workerId: deps.newId(), sessionId: session.id };
      await storeStep(tx, job.id, step, reserved);
      return reserved;
    });
  }

  async function storeStep(
    tx: {
      jobs: { get(id: string): Promise<JobRow | undefined>; update(id: string, patch: Partial<JobRow>): Promise<void> };
    },
    jobId: string,
    name: string,
    step: Step,
  ): Promise<void> {
    const row = await tx.jobs.get(jobId);
    await tx.jobs.update(jobId, { params: { ...row?.params, commands: { ...stepsOf(row), [name]: step } } });
  }

  async function start({ workerId, sessionId }: Step, { author, prepare }: CommandRequest): Promise<void> {
    if ((await storage.read.workers.get(workerId)) !== undefined) return;
    await removeOldTerminals(sessionId).catch((error) => deps.onError(error, workerId));
    const { files = {}, ...spec } = await prepare(host.workerPaths(workerId).folder);
    await writeCommand(host, workerId, spec, files);
    const { idempotency: _, ...authorWithoutKey } = author;
    await processes.startCommand(authorWithoutKey, sessionId, workerId, COMMAND_SIZE).catch(async (error: unknown) => {
      const state = (await storage.read.workers.get(workerId))?.state;
      // If the worker is starting or running, its start has not failed. This server has only stopped waiting for it, so
      // the error is ignored.
      if (state !== 'starting' && state !== 'running') throw error;
    });
  }

  /** Resolves when the worker has ended, at once if it ended before the call. */
  function whenEnded(workerId: string): Promise<WorkerRow> {
    return new Promise((resolve, reject) => {
      const check = async () => {
        const row = await storage.read.workers.get(workerId);
        if (row === undefined) throw resultUnknown(workerId);
        if (row.state === 'starting' || row.state === 'running') return;
        stop();
        resolve(row);
      };
      const fail = (error: unknown) => {
        stop();
        reject(error);
      };
      const stop = deps.hub.onEvents((events) => {
        if (events.some(({ event }) => event.subject.id === workerId && /^worker\.(?:exited|lost)$/.test(event.type)))
          check().catch(fail);
      });
      check().catch(fail);
    });
  }

  /**
   * Ends a command at its time limit. The limit counts from the start of the command, even if the server was restarted
   * since.
   */
  async function endAt(job: JobRow, name: string, step: Step, limitMs: number): Promise<NodeJS.Timeout> {
    const row = await storage.read.workers.get(step.workerId);
    const elapsed = row === undefined ? 0 : deps.now().getTime() - Date.parse(row.createdAt);
    const expire = async () => {
      const live = (await storage.read.workers.get(step.workerId))?.state === 'running';
      if (live) await storage.write(SYSTEM, (tx) => storeStep(tx, job.id, name, { ...step, timedOut: true }));
      await processes.end(step.workerId);
    };
    const timer = setTimeout(
      () => expire().catch((error) => deps.onError(error, step.workerId)),
      Math.max(0, limitMs - elapsed),
    );
    return timer.unref();
  }

  /**
   * Removes the ended terminals of a session, with their output, except the newest ENDED_TERMINALS_MAX. Removes at most
   * 100 of them at once.
   */
  async function removeOldTerminals(sessionId: string): Promise<void> {
    const ended = { sessionId, type: 'terminal', state: ['exited', 'lost'] } as const;
    for (const row of await storage.read.workers.find(ended, {
      order: ['-id'],
      skip: ENDED_TERMINALS_MAX,
      limit: 100,
    })) {
      const { id } = row;
      await deps.runner.dropLog(id);
      await deps.screens.drop(id);
      await host.removeWorker(id);
      await storage.write(SYSTEM, async (tx) => {
        await tx.workers.remove({ id, ...ended });
        await tx.record({ type: 'worker.removed', ...about('worker', row), data: { workerType: row.type } });
      });
    }
  }

  return {
    async run(job, name, request) {
      const step = await reserve(job, name, request);
      await start(step, request);
      const timer = await endAt(job, name, step, request.limitMs);
      const row = await whenEnded(step.workerId).finally(() => clearTimeout(timer));
      const { exitCode, signal, createdAt, endedAt, state, warnings } = row;
      const { workerId } = step;
      if (state === 'lost') throw resultUnknown(workerId);
      if (exitCode === null && signal === null) throw notStarted(workerId, warnings.at(-1));
      const timedOut = stepsOf(await storage.read.jobs.get(job.id))[name]?.timedOut === true;
      const durationMs = Date.parse(endedAt ?? createdAt) - Date.parse(createdAt);
      return { workerId, exitCode, signal, timedOut, durationMs, output: await outputTail(deps.runner, workerId) };
    },
  };
}

function resultUnknown(workerId: string): ConsoleError {
  return new ConsoleError(
    'RUNNER_UNAVAILABLE',
    'The result of the command is unknown, because its process was lost with the machine or the runner. Try again.',
    { workerId },
  );
}

function notStarted(workerId: string, why: string | undefined): ConsoleError {
  return new ConsoleError('CONFLICT', why ?? 'The command was stopped before it started. Try again.', { workerId });
}
