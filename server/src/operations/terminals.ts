import { ConsoleError } from '@agent-console/shared/errors';
import { INPUT_WAIT_MS } from '@agent-console/shared/limits/processes';
import { mayRun } from '../domain/access.ts';
import { leavesUnfinishedLine } from '../domain/typing.ts';
import { SYSTEM } from '../engine/author.ts';
import { notTakenYet } from '../engine/inputs.ts';
import type { Ownership } from '../engine/ownership.ts';
import { presentWorker } from '../engine/present.ts';
import { livingWorker, workerRow } from '../engine/rows.ts';
import { withTimeout } from '../engine/timeouts.ts';
import type { Terminals } from '../ports/terminals.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

const DIRTY_STEP_MS = 60_000;

/** A person's bytes go straight to the terminal; what they leave unfinished holds back what others would type. */
async function type(context: OperationContext, workerId: string, inputId: string, data: Buffer) {
  // Nobody should wait for the database to see a key. The row is still looked at before the agent can react to the key.
  const typed = context.runner.input(workerId, `person:${inputId}`, data);
  const [worker, receipt] = await Promise.all([livingWorker(context.storage.read.workers, workerId), typed]);
  context.keyTimes.typed(workerId);
  const unfinished = leavesUnfinishedLine(data);
  // What is typed while the agent asks is its answer, often one key without Enter; it leaves no line behind.
  if (unfinished && worker.activityState === 'asking') return receipt;
  const known = worker.dirtySince === null ? null : Date.parse(worker.dirtySince);
  // The quiet is counted from the last key, to the minute: a write for each key would cost more than it tells.
  const stale = known !== null && context.now().getTime() - known > DIRTY_STEP_MS;
  if (unfinished !== null && (unfinished !== (known !== null) || (unfinished && stale))) {
    const dirtySince = unfinished ? context.now().toISOString() : null;
    await context.storage.write(SYSTEM, (tx) => tx.workers.update(workerId, { dirtySince }));
    context.reconciler.nudge(worker.sessionId);
  }
  return receipt;
}

async function resize(
  context: OperationContext,
  workerId: string,
  size: { cols: number; rows: number },
): Promise<void> {
  await livingWorker(context.storage.read.workers, workerId);
  await context.runner.resize(workerId, size.cols, size.rows);
  await context.storage.write(SYSTEM, (tx) => tx.workers.update(workerId, size));
}

function typeInput(context: OperationContext): Implementation<'workers.input'> {
  return async ({ workerId, data, inputId = context.newId() }) => {
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

/** The same for the data plane, whose bytes do not pass the gate one by one. */
export function createTerminals(context: OperationContext, ownership: Ownership): Terminals {
  return {
    async open(caller, sessionId, workerId) {
      const look = mayRun(caller, { access: 'workspace-read', effect: 'read', parentToo: false }, 'none');
      if (!look.allowed) throw new ConsoleError(look.code, look.why, {});
      const row = await context.storage.read.workers.get(workerId);
      const seen = row?.sessionId === sessionId && (await ownership.shows(await ownership.viewerOf(caller), sessionId));
      if (row === undefined || !seen)
        throw new ConsoleError('NOT_FOUND', `Worker ${workerId} not found in session ${sessionId}`, {
          workerId,
          sessionId,
        });
      if (row.type === 'git-diff')
        throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no terminal.', { workerId });
      const { relation } = await ownership.relationTo(caller, sessionId);
      const canType = mayRun(caller, { access: 'member', effect: 'write', parentToo: false }, relation).allowed;
      return { worker: presentWorker(row), canType };
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
      throw new ConsoleError('UNSUPPORTED', 'A git-diff worker has no terminal. Use GET /api/worktrees/:id/diff.', {
        workerId,
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
