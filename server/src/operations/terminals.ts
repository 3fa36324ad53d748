import { ConsoleError } from '@agent-console/shared/errors';
import { INPUT_WAIT_MS } from '@agent-console/shared/limits/processes';
import { see } from '@agent-console/shared/see';
import { mayRun } from '../domain/access.ts';
import { leavesUnfinishedLine } from '../domain/typing.ts';
import type { Ownership } from '../engine/access/ownership.ts';
import { SYSTEM } from '../engine/changes/author.ts';
import { presentWorker } from '../engine/present.ts';
import { runningWorker, workerRow } from '../engine/rows.ts';
import { withTimeout } from '../engine/scheduling/timeouts.ts';
import { notTakenYet } from '../engine/sessions/inputs.ts';
import type { WorkerRow } from '../ports/rows.ts';
import type { Terminals } from '../ports/terminals.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

/**
 * Minimum interval in milliseconds between updates of `dirtySince`, the time since which a line is unfinished. Writing
 * to the database for each key would cost too much.
 */
const DIRTY_PRECISION_MS = 60_000;

/**
 * Types a person's input into a worker's terminal. `dirtySince` is set while the person's line is unfinished, and
 * delays the input that the console types.
 */
async function type(context: OperationContext, workerId: string, inputId: string, data: Buffer) {
  // Both calls start at once: the echo of the key must not wait for the database, and the worker's row must be read
  // before the agent can react to the key.
  const typed = context.runner.input(workerId, `person:${inputId}`, data);
  const [worker, receipt] = await Promise.all([runningWorker(context.storage.read.workers, workerId), typed]);
  context.keyTimes.typed(workerId);
  const unfinished = leavesUnfinishedLine(data);
  // While the agent asks a question, a person's keys answer it, often without Enter. So they leave no unsubmitted text.
  if (unfinished && worker.activityState === 'asking') return receipt;
  const dirtySinceMs = worker.dirtySince === null ? null : Date.parse(worker.dirtySince);
  const isStale = dirtySinceMs !== null && context.now().getTime() - dirtySinceMs > DIRTY_PRECISION_MS;
  if (unfinished !== null && (unfinished !== (dirtySinceMs !== null) || (unfinished && isStale))) {
    const dirtySince = unfinished ? context.now().toISOString() : null;
    await context.storage.write(SYSTEM, (tx) => tx.workers.update(workerId, { dirtySince }));
    context.reconciler.schedule(worker.sessionId);
  }
  return receipt;
}

async function resize(
  context: OperationContext,
  workerId: string,
  size: { cols: number; rows: number },
): Promise<void> {
  await runningWorker(context.storage.read.workers, workerId);
  await context.runner.resize(workerId, size.cols, size.rows);
  await context.storage.write(SYSTEM, (tx) => tx.workers.update(workerId, size));
}

/**
 * Whether a worker's process reads keys. An agent with a protocol reads only the console's messages, which keys of a
 * person would corrupt. While such an agent is starting, its worker has no protocol yet.
 */
async function readsKeys({ catalogue }: OperationContext, { agentId, protocol }: WorkerRow): Promise<boolean> {
  return protocol === null && (agentId === null || (await catalogue.driverOf(agentId)) !== 'acp');
}

function typeInput(context: OperationContext): Implementation<'workers.input'> {
  return async ({ workerId, data, inputId = context.newId() }) => {
    const worker = await runningWorker(context.storage.read.workers, workerId);
    if (!(await readsKeys(context, worker))) {
      const prompt = see('sessions.prompt', { sessionId: worker.sessionId });
      throw new ConsoleError('UNSUPPORTED', `This agent has no terminal to type into. Prompt it with ${prompt.rest}.`, {
        workerId,
        see: prompt,
      });
    }
    const typed = type(context, workerId, inputId, Buffer.from(data));
    const { offset, duplicate } = await withTimeout(typed, INPUT_WAIT_MS, () => notTakenYet(workerId, inputId));
    return { inputId, offset, duplicate };
  };
}

function resizeWorker(context: OperationContext): Implementation<'workers.resize'> {
  return async ({ workerId, cols, rows }) => {
    await resize(context, workerId, { cols, rows });
    return presentWorker(await workerRow(context.storage.read.workers, workerId));
  };
}

/**
 * Creates the functions with which WebSockets read terminals and type into them. `open` checks the caller's access once
 * per connection. A key press is not an operation, so access is not checked for each one.
 */
export function createTerminals(context: OperationContext, ownership: Ownership): Terminals {
  return {
    async open(caller, sessionId, workerId) {
      const read = mayRun(caller, { access: 'workspace-read', effect: 'read', alsoFor: [] }, 'none');
      if (!read.allowed) throw new ConsoleError(read.code, read.why, {});
      const row = await context.storage.read.workers.get(workerId);
      const isVisible =
        row?.sessionId === sessionId && (await ownership.shows(await ownership.viewerOf(caller), sessionId));
      if (row === undefined || !isVisible)
        throw new ConsoleError('NOT_FOUND', `Worker ${workerId} not found in session ${sessionId}`, {
          workerId,
          sessionId,
        });
      if (row.type === 'git-diff')
        throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no terminal.', { workerId });
      const { relation } = await ownership.relationTo(caller, sessionId);
      const canType = mayRun(caller, { access: 'member', effect: 'write', alsoFor: [] }, relation).allowed;
      return { worker: presentWorker(row), canType: canType && (await readsKeys(context, row)) };
    },
    async type(workerId, inputId, data) {
      await type(context, workerId, inputId, data);
    },
    resize: (workerId, cols, rows) => resize(context, workerId, { cols, rows }),
  };
}

function readScreen({ storage, screens }: OperationContext): Implementation<'workers.screen'> {
  return async ({ workerId, scrollback, format }) => {
    const worker = await workerRow(storage.read.workers, workerId);
    if (worker.type === 'git-diff') {
      const diff = see('worktrees.diff');
      throw new ConsoleError('UNSUPPORTED', `A git-diff worker has no terminal. Use ${diff.rest}.`, {
        workerId,
        see: diff,
      });
    }
    return { workerId, ...(await screens.view(workerId, { scrollback, format })) };
  };
}

export function terminalOperations(context: OperationContext) {
  return {
    'workers.input': typeInput(context),
    'workers.resize': resizeWorker(context),
    'workers.screen': readScreen(context),
  } satisfies Partial<Implementations>;
}
