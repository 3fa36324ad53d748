import { setTimeout as pause } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { ANSWER_LOOK_EACH_MS, ANSWER_LOOKS_MAX } from '@agent-console/shared/limits/approvals';
import { isSameQuestion } from '../../domain/questions.ts';
import type { ApprovalRow } from '../../ports/rows/workers.ts';
import type { Author, Transaction } from '../../ports/storage.ts';
import type { EngineContext } from '../context.ts';
import { presentApproval } from '../present.ts';
import { approvalRow } from '../rows.ts';
import { keptQuestion, tell, withdraw } from './questions.ts';

type Needs = Pick<EngineContext, 'storage' | 'runner' | 'processes' | 'reconciler' | 'now' | 'newId'>;

/** A question with the answer that one caller has chosen for it: nobody else can answer it meanwhile. */
type Claimed = ApprovalRow & { optionId: string };

/** Takes up the answers that a dead server was about to type; what was typed before is not typed again. */
export async function finishAnswers(
  needs: Needs,
  onError: (error: unknown, approvalId: string) => void,
): Promise<void> {
  const claimed = await needs.storage.read.approvals.find({ state: 'pending', optionId: { not: null } });
  await Promise.all(
    claimed.filter(isClaimed).map(async (row) => {
      try {
        // Agents are only being taken up when this begins.
        await carryOut(needs, row, { actor: row.answeredBy ?? '' }, 10 * ANSWER_LOOKS_MAX);
      } catch (error) {
        // That it is not asked any more is an answer too.
        if (!(error instanceof ConsoleError)) onError(error, row.id);
      }
    }),
  );
}

function isClaimed(row: ApprovalRow): row is Claimed {
  return row.optionId !== null;
}

/** Claims the question for one answer, so that nobody else can answer it meanwhile. @throws ConsoleError why it cannot. */
export async function claim(tx: Transaction, approvalId: string, optionId: string, actor: string): Promise<Claimed> {
  const row = await approvalRow(tx.approvals, approvalId);
  if (row.state === 'withdrawn') throw noLongerAsked(row);
  if (row.optionId !== null) {
    const label = row.options.find(({ id }) => id === row.optionId)?.label ?? row.optionId;
    const message = `This was answered already, with ${JSON.stringify(label)}.`;
    throw new ConsoleError('CONFLICT', message, {
      approvalId,
      state: row.state,
      optionId: row.optionId,
      answeredBy: row.answeredBy,
    });
  }
  if (row.options.length === 0) {
    throw new ConsoleError(
      'UNSUPPORTED',
      'There is no list of answers to choose from. Answer in the terminal of the agent.',
      { approvalId, workerId: row.workerId },
    );
  }
  if (!row.options.some(({ id }) => id === optionId)) {
    const named = row.options.map(({ id, label }) => `${id} (${label})`).join(', ');
    throw new ConsoleError('VALIDATION', `optionId: this question takes ${named}.`, {
      approvalId,
      options: row.options,
    });
  }
  const patch = { optionId, answeredBy: actor };
  await tx.approvals.update(row.id, patch);
  return { ...row, ...patch };
}

function noLongerAsked({ id, sessionId, workerId }: ApprovalRow): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    'This is no longer asked: it was answered at the keyboard, or the agent went on. Look at what it asks now.',
    { approvalId: id, state: 'withdrawn', sessionId, workerId },
  );
}

/** Has the answer typed and stores what came of it; a screen that cannot be seen is tried `attempts` times. */
/** Types a claimed answer and stores how it ended; the claim is given back where it could not be typed. */
export async function carryOut(
  needs: Needs,
  row: Claimed,
  author: Author,
  attempts: number = ANSWER_LOOKS_MAX,
): Promise<ApprovalRow> {
  let typed: boolean;
  try {
    typed = await typeAnswer(needs, row, attempts);
  } catch (error) {
    await release(needs, row, author);
    throw error;
  }
  const ended = await needs.storage.write(author, async (tx) => {
    const current = await approvalRow(tx.approvals, row.id);
    if (current.state !== 'pending') return current;
    if (!typed) {
      await withdraw(tx, needs, current);
      return { ...current, state: 'withdrawn' as const };
    }
    const answered = { ...current, state: 'answered' as const, endedAt: needs.now().toISOString() };
    const { state, endedAt } = answered;
    await tx.approvals.update(row.id, { state, endedAt });
    const label = row.options.find(({ id }) => id === row.optionId)?.label ?? row.optionId;
    await tell(tx, 'approval.answered', answered, { optionId: row.optionId, label });
    await tx.remember(presentApproval(answered));
    return answered;
  });
  if (ended.state === 'withdrawn') throw noLongerAsked(row);
  needs.processes.answered(row.workerId);
  needs.reconciler.nudge(row.sessionId);
  return ended;
}

/** Whether the answer is typed, now or before a crash; false where it is not asked any more. */
async function typeAnswer(needs: Needs, row: Claimed, attempts: number): Promise<boolean> {
  const keys = await keysNow(needs, row, attempts);
  try {
    const { duplicate } = await needs.runner.input(
      row.workerId,
      `approval:${row.id}:${row.optionId}`,
      // Without the question nothing is typed, but the runner still says whether the answer was typed before.
      Buffer.from(keys ?? ''),
    );
    if (keys === null && !duplicate) return false;
    await confirm(needs, row);
    return true;
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** A refusal may lead to one more question that only makes sure of it: it is answered alike, so that nobody is left there. */
async function confirm({ processes, runner }: Needs, row: Claimed): Promise<void> {
  const kind = row.options.find(({ id }) => id === row.optionId)?.kind;
  if (kind !== 'deny') return;
  for (let look = 1; look <= ANSWER_LOOKS_MAX; look += 1) {
    await pause(ANSWER_LOOK_EACH_MS);
    const shown = await processes.question(row.workerId).catch(() => undefined);
    if (shown === null) return;
    const keys = shown?.confirms === kind ? shown.options.find((option) => option.kind === kind)?.keys : undefined;
    if (keys === undefined) continue;
    await runner.input(row.workerId, `approval:${row.id}:${row.optionId}:confirm`, Buffer.from(keys));
    return;
  }
}

/** The keys that choose the answer on the screen as it stands, or null where it does not show the question. */
async function keysNow(needs: Needs, row: Claimed, attempts: number): Promise<string | null> {
  let others = 0;
  for (let attempt = 1; ; attempt += 1) {
    const shown = await needs.processes.question(row.workerId).catch((error: unknown) => {
      if (attempt >= attempts) throw error;
      return undefined;
    });
    if (shown && isSameQuestion(row, keptQuestion(shown))) {
      return shown.options.find(({ id }) => id === row.optionId)?.keys ?? null;
    }
    if (shown !== undefined) others += 1;
    if (others === ANSWER_LOOKS_MAX) return null;
    await pause(ANSWER_LOOK_EACH_MS);
  }
}

/** The answer could not be typed now, so that it can be given again, unless nothing is asked any more. */
async function release(needs: Needs, row: Claimed, author: Author): Promise<void> {
  await needs.storage.write(author, async (tx) => {
    const current = await approvalRow(tx.approvals, row.id);
    if (current.state !== 'pending') return;
    const worker = await tx.workers.get(row.workerId);
    if (worker?.state === 'running' && worker.activityState === 'asking') {
      await tx.approvals.update(row.id, { optionId: null, answeredBy: null });
    } else {
      await withdraw(tx, needs, current);
    }
  });
}
