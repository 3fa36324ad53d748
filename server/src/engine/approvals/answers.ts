import { setTimeout as pause } from 'node:timers/promises';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { ANSWER_PROBE_MS, ANSWER_PROBES_MAX } from '@agent-console/shared/limits/approvals';
import { ANSWERS, type FormValue } from '@agent-console/shared/models/approval';
import type { BudgetLimit } from '@agent-console/shared/models/budget';
import { isSameQuestion } from '../../domain/questions.ts';
import type { ApprovalRow } from '../../ports/rows.ts';
import type { Author, Transaction } from '../../ports/storage.ts';
import { applyBudgetAnswer } from '../budgets/change.ts';
import { recordApproval, withdraw } from '../changes/approval-changes.ts';
import type { EngineContext } from '../context.ts';
import { presentApproval } from '../present.ts';
import { applyLogin } from '../protocol/login.ts';
import { approvalRow } from '../rows.ts';
import { checkedValues } from './form-values.ts';
import { answerFrame, valuesFile } from './frames.ts';
import { cutQuestion } from './questions.ts';

type Needs = Pick<
  EngineContext,
  'protocol' | 'storage' | 'runner' | 'watcher' | 'reconciler' | 'host' | 'now' | 'newId'
>;

interface Answer {
  approvalId: string;
  optionId: string;
  values?: Readonly<Record<string, FormValue>> | undefined;
}

/** An approval that is claimed for one answer. Nobody else can answer the approval until the claim ends. */
type Claimed = ApprovalRow & { optionId: string };

/** A claimed approval for a question of an agent. The answer goes to the agent's worker. */
type ClaimedOfWorker = Claimed & { workerId: string };

function isOfWorker(row: Claimed): row is ClaimedOfWorker {
  return row.workerId !== null;
}

/**
 * Finishes the answers that the previous server had begun to type or send when it died. Keys that the previous server
 * typed are not typed again.
 */
export async function finishAnswers(
  needs: Needs,
  onError: (error: unknown, approvalId: string) => void,
): Promise<void> {
  const claimed = await needs.storage.read.approvals.find({ state: 'pending', optionId: { not: null } });
  await Promise.all(
    claimed.filter(isClaimed).map(async (row) => {
      try {
        // The server may not have reconnected to the agent yet, so more attempts to read its screen are allowed.
        await sendAnswer(needs, row, { actor: row.answeredBy ?? '' }, 10 * ANSWER_PROBES_MAX);
      } catch (error) {
        // A ConsoleError is not reported: `sendAnswer` has withdrawn the approval, or released it so that it can be
        // answered again.
        if (!(error instanceof ConsoleError)) onError(error, row.id);
      }
    }),
  );
}

function isClaimed(row: ApprovalRow): row is ClaimedOfWorker {
  return row.optionId !== null && row.workerId !== null;
}

/**
 * Answers a question of an agent, or the question whether to raise a budget.
 * @throws NOT_FOUND for an unknown question. CONFLICT if the question was already answered or withdrawn. UNSUPPORTED if
 * it has no options. VALIDATION for an unknown option or invalid values of a form.
 */
export async function answerQuestion(needs: Needs, answer: Answer, author: Author): Promise<ApprovalRow> {
  const row = await needs.storage.write(author, async (tx) => {
    const claimed = await claim(tx, needs, answer, author.actor);
    if (claimed.kind === 'budget') {
      const answered = await storeAnswer(tx, needs, claimed);
      if (answer.optionId === ANSWERS.accept) {
        const more = checkedValues(claimed.fields, answer.values ?? {}) as Partial<Record<BudgetLimit, number>>;
        await applyBudgetAnswer(tx, needs, answered, more);
      }
      return answered;
    }
    if (claimed.kind !== 'login' || !isOfWorker(claimed)) return claimed;
    const answered = await storeAnswer(tx, needs, claimed);
    await applyLogin(tx, needs, claimed);
    return answered;
  });
  if (isOfWorker(row) && row.state === 'pending') return sendAnswer(needs, row, author);
  if (row.workerId !== null) needs.watcher.answered(row.workerId);
  needs.reconciler.schedule(row.sessionId);
  return row;
}

/**
 * Claims an approval for one answer. Until the answer is sent, the values of a form are stored only in a private file
 * of the worker, never in the database.
 */
async function claim(
  tx: Transaction,
  { host }: Pick<Needs, 'host'>,
  { approvalId, optionId, values }: Answer,
  actor: string,
): Promise<Claimed> {
  const row = await approvalRow(tx.approvals, approvalId);
  if (row.state === 'withdrawn') throw noLongerAsked(row);
  if (row.optionId !== null) {
    const label = row.options.find(({ id }) => id === row.optionId)?.label ?? row.optionId;
    const message = `This question was already answered with ${JSON.stringify(label)}.`;
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
      "This question has no answers to choose from. Answer the question in the agent's terminal.",
      {
        approvalId,
        workerId: row.workerId,
      },
    );
  }
  if (!row.options.some(({ id }) => id === optionId)) {
    const named = row.options.map(({ id, label }) => `${id} (${label})`).join(', ');
    throw fieldError('optionId', `choose one of the options of this question: ${named}`, {
      approvalId,
      options: row.options,
    });
  }
  const accepts = (row.kind === 'form' || row.kind === 'budget') && optionId === ANSWERS.accept;
  if (!accepts && values !== undefined) {
    throw fieldError(
      'values',
      `can be passed only with the option "${ANSWERS.accept}" of a form or budget question; leave \`values\` out`,
    );
  }
  if (accepts && row.workerId !== null) {
    const text = JSON.stringify(checkedValues(row.fields, values ?? {}));
    await host.writeWorkerFile(row.workerId, valuesFile(row), text);
  }
  const patch = { optionId, answeredBy: actor };
  await tx.approvals.update(row.id, patch);
  return { ...row, ...patch };
}

function noLongerAsked({ id, sessionId, workerId }: ApprovalRow): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    'This question was withdrawn, for example because a person answered it in the terminal or the agent continued. List the pending approvals to see the current questions.',
    { approvalId: id, state: 'withdrawn', sessionId, workerId },
  );
}

/**
 * Sends the agent the answer for which the approval is claimed, and stores the result. If sending fails, ends the
 * claim. An unreadable screen is read up to `attempts` times.
 */
async function sendAnswer(
  needs: Needs,
  row: ClaimedOfWorker,
  author: Author,
  attempts: number = ANSWER_PROBES_MAX,
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
    return storeAnswer(tx, needs, { ...current, optionId: row.optionId });
  });
  if (ended.state === 'withdrawn') throw noLongerAsked(row);
  needs.watcher.answered(row.workerId);
  needs.reconciler.schedule(row.sessionId);
  return ended;
}

async function storeAnswer(tx: Transaction, needs: Needs, row: Claimed): Promise<Claimed> {
  const answered = { ...row, state: 'answered' as const, endedAt: needs.now().toISOString() };
  const { state, endedAt } = answered;
  await tx.approvals.update(row.id, { state, endedAt });
  const label = row.options.find(({ id }) => id === row.optionId)?.label ?? row.optionId;
  await recordApproval(tx, 'approval.answered', answered, { optionId: row.optionId, label });
  await tx.remember(presentApproval(answered));
  return answered;
}

/**
 * Types the answer, or sends it over the agent's protocol, unless the previous server did so before it died. Returns
 * false if the question is no longer asked.
 */
async function typeAnswer(needs: Needs, row: ClaimedOfWorker, attempts: number): Promise<boolean> {
  const { requestId, optionId } = row;
  const keys =
    requestId === null ? await keysNow(needs, row, attempts) : await answerFrame(needs, row, requestId, optionId);
  try {
    const { duplicate } = await needs.runner.input(
      row.workerId,
      `approval:${row.id}:${row.optionId}`,
      // If the agent no longer asks, `keys` is null, and nothing is typed. The call only finds out whether the previous
      // server has typed the answer.
      Buffer.from(keys ?? ''),
    );
    if (keys === null && !duplicate) return false;
    if (requestId === null) await confirmDenial(needs, row);
    return true;
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return false;
    throw error;
  } finally {
    if (row.kind === 'form') await needs.host.removeWorkerFile(row.workerId, valuesFile(row));
  }
}

/** If the agent asks for confirmation of a denial, confirms the denial. */
async function confirmDenial({ watcher, runner }: Needs, row: ClaimedOfWorker): Promise<void> {
  const kind = row.options.find(({ id }) => id === row.optionId)?.kind;
  if (kind !== 'deny') return;
  for (let attempt = 1; attempt <= ANSWER_PROBES_MAX; attempt += 1) {
    await pause(ANSWER_PROBE_MS);
    const shown = await watcher.question(row.workerId).catch(() => undefined);
    if (shown === null) return;
    const keys = shown?.confirms === kind ? shown.options.find((option) => option.kind === kind)?.keys : undefined;
    if (keys === undefined) continue;
    await runner.input(row.workerId, `approval:${row.id}:${row.optionId}:confirm`, Buffer.from(keys));
    return;
  }
}

/**
 * Returns the keys that choose the answer on the current screen. Returns null if the screen does not show the question,
 * or if the question has no keys for this answer.
 */
async function keysNow(needs: Needs, row: ClaimedOfWorker, attempts: number): Promise<string | null> {
  let others = 0;
  for (let attempt = 1; ; attempt += 1) {
    const shown = await needs.watcher.question(row.workerId).catch((error: unknown) => {
      if (attempt >= attempts) throw error;
      return undefined;
    });
    if (shown && isSameQuestion(row, cutQuestion(shown))) {
      return shown.options.find(({ id }) => id === row.optionId)?.keys ?? null;
    }
    if (shown !== undefined) others += 1;
    if (others === ANSWER_PROBES_MAX) return null;
    await pause(ANSWER_PROBE_MS);
  }
}

/**
 * Ends the claim on an approval, so that the question can be answered again. Withdraws the approval if the agent no
 * longer asks.
 */
async function release(needs: Needs, row: ClaimedOfWorker, author: Author): Promise<void> {
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
