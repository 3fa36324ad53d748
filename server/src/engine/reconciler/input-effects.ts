import { ConsoleError } from '@agent-console/shared/errors';
import { ENTERS_REMEMBERED } from '@agent-console/shared/limits/typing';
import type { InputProgress } from '../../domain/next-step.ts';
import { sourceOfTurnEnd } from '../../domain/tasks.ts';
import { isAccepted, NO_REPORT, withPromptTaken } from '../../domain/turns.ts';
import type { InputRow } from '../../ports/rows/workers.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../author.ts';
import { applyActivity } from '../processes/observations.ts';
import type { Processes } from '../processes/processes.ts';
import { type ChangeDeps, finishTask } from '../task-changes.ts';
import { recordedEnd } from '../transcripts/position.ts';
import { lineView } from './input-evidence.ts';
import type { LoadedSession } from './session-state.ts';

export interface InputEffectDeps extends ChangeDeps {
  storage: Storage;
  runner: Pick<Runner, 'input'>;
  processes: Pick<Processes, 'pastes' | 'keys'>;
}

/** The Enter behind it was pressed, and no turn of it was seen. */
const SUBMITTED: ReadonlySet<InputRow['state']> = new Set(['submitted', 'uncertain']);
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const ENTER = '\r';

/**
 * Moves one input on its way to an agent. Its state is stored before and after each write, and each write has an id of its
 * own which the runner does once; moments are kept in memory only, since nothing but a pause depends on them.
 */
export function createInputEffects(deps: InputEffectDeps) {
  const pasted = new Map<string, number>();
  const uncovered = new Set<string>();
  const entered = new Map<string, InputProgress['enters']>();
  const { storage } = deps;

  /** Types the text without its Enter. Stored before and after, so that a crash in between repeats the same input id. */
  async function paste(loaded: LoadedSession, inputId: string): Promise<void> {
    const { agent, input } = loaded;
    if (agent === undefined || input === undefined) return;
    // Before it is stored that the paste begins: afterwards it may be this text that stands in the line.
    if (input.state === 'queued' && !(await clearLeftover(loaded, agent.id, inputId))) return;
    if (!(await advanceInput(inputId, ['queued', 'pasting'], { state: 'pasting' }))) return;
    const bracketed = await deps.processes.pastes(loaded.session.agentId);
    const text = bracketed ? `${PASTE_BEGIN}${input.text}${PASTE_END}` : input.text;
    const receipt = await typed(agent.id, `${inputId}:paste`, text);
    if (receipt === null) return;
    pasted.set(inputId, deps.now().getTime());
    await advanceInput(inputId, ['pasting'], { state: 'pasted', pastedOffset: receipt.offset });
  }

  /**
   * Empties the line where something of the input before stands in it: an agent may put an interrupted prompt back, one
   * that nobody acknowledged may never have left it, and a blank may have come behind its Enter. False when the process has ended.
   */
  async function clearLeftover({ session, line }: LoadedSession, workerId: string, inputId: string): Promise<boolean> {
    const [before] = await storage.read.inputs.find(
      { workerId, id: { not: inputId }, submittedOffset: { not: null } },
      { order: ['-id'], limit: 1 },
    );
    if (before === undefined) return true;
    const task = before.taskId === null ? undefined : await storage.read.tasks.get(before.taskId);
    const probed = entered.has(before.id);
    if (task?.status !== 'cancelled' && !probed && lineView(line, before.text) !== 'text') return true;
    const { clearLine } = await deps.processes.keys(session.agentId);
    return (await typed(workerId, `${inputId}:clear`, clearLine)) !== null;
  }

  async function submit(loaded: LoadedSession, inputId: string): Promise<void> {
    const { agent } = loaded;
    if (agent === undefined) return;
    if (!(await advanceInput(inputId, ['pasted', 'submitting'], { state: 'submitting' }))) return;
    const receipt = await typed(agent.id, `${inputId}:enter`, ENTER);
    if (receipt === null) return;
    forget(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row?.state !== 'submitting') return;
      await tx.inputs.update(inputId, {
        state: 'submitted',
        submittedOffset: receipt.offset,
        submittedAt: deps.now().toISOString(),
      });
      if (row.taskId !== null) await tx.tasks.update(row.taskId, { sendNow: false, blocked: null });
      // The agent may have answered before its receipt was stored: its activity are readsLine at once more.
      const worker = await tx.workers.get(agent.id);
      if (worker === undefined) return;
      const said = row.acceptedBy === null ? undefined : withPromptTaken(receipt.offset, worker);
      if (said !== undefined) {
        const { lastActiveOffset, lastIdleOffset } = said;
        await tx.workers.update(agent.id, { lastActiveOffset, lastIdleOffset });
      }
      const activity = said ?? worker;
      if (isAccepted(receipt.offset, activity)) await applyActivity(tx, deps, worker, activity, worker.activitySource);
    });
  }

  /**
   * Presses Enter once more. Each press has an input id of its own, which the runner does once: the number of presses is
   * bounded by the ids, however often this is repeated after a crash.
   */
  async function enterAgain({ agent, state }: LoadedSession, inputId: string): Promise<void> {
    const times = (state.input?.enters.times ?? 1) + 1;
    if (agent === undefined || (await typed(agent.id, `${inputId}:enter${times}`, ENTER)) === null) return;
    remember(inputId, { times, at: deps.now().getTime(), probedAt: null });
  }

  /** Types a blank behind the text, which nothing but the line itself shows. */
  async function probe({ agent, state }: LoadedSession, inputId: string): Promise<void> {
    const { times = 1, at = 0 } = state.input?.enters ?? {};
    if (agent === undefined || (await typed(agent.id, `${inputId}:probe${times}`, ' ')) === null) return;
    remember(inputId, { times, at, probedAt: deps.now().getTime() });
  }

  function remember(inputId: string, enters: InputProgress['enters']): void {
    entered.delete(inputId);
    entered.set(inputId, enters);
    const [oldest] = entered.keys();
    if (entered.size > ENTERS_REMEMBERED && oldest !== undefined) entered.delete(oldest);
  }

  /** A turn may be over before any sign of it was seen; the agent's own record of it is as good as its report. */
  async function takeRecorded({ agent }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined) return;
    forget(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const [row, worker] = [await tx.inputs.get(inputId), await tx.workers.get(agent.id)];
      if (row === undefined || !SUBMITTED.has(row.state) || row.submittedOffset === null || worker === undefined)
        return;
      // The agent is at rest now, by its own word: whatever its screen still shows is older.
      const activity = withPromptTaken(row.submittedOffset, { ...worker, activityState: 'idle' });
      const { lastActiveOffset, lastIdleOffset } = activity;
      await tx.workers.update(agent.id, { lastActiveOffset, lastIdleOffset });
      await applyActivity(tx, deps, worker, activity, 'hook', { ...NO_REPORT, recorded: true });
    });
  }

  /** A command that began no turn was done by the program itself; how that went, nobody tells. */
  async function takeCommand({ agent }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined) return;
    forget(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const [row, worker] = [await tx.inputs.get(inputId), await tx.workers.get(agent.id)];
      if (row === undefined || !SUBMITTED.has(row.state) || worker?.activityState !== 'idle') return;
      await tx.inputs.update(inputId, { state: 'ended' });
      if (row.taskId === null) return;
      const end = recordedEnd(await tx.transcripts.get(worker.sessionId), inputId);
      const source = end === null ? sourceOfTurnEnd(worker.activitySource) : 'transcript';
      await finishTask(tx, deps, row.taskId, { status: 'completed', source, certain: false });
    });
  }

  /** Closes what a command opened over the input line, once for each input: the same key leads back in every agent. */
  async function uncover({ session, agent }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined) return;
    const { interrupt } = await deps.processes.keys(session.agentId);
    await typed(agent.id, `${inputId}:uncover`, interrupt);
    uncovered.add(inputId);
  }

  /** Takes a cancelled task's text out of the agent's line, or interrupts the agent that works on it. */
  async function withdraw({ session, agent, input }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined || input === undefined) return;
    const clearing = input.state === 'clearing';
    const { clearLine, interrupt } = await deps.processes.keys(session.agentId);
    if ((await typed(agent.id, `${inputId}:withdraw`, clearing ? clearLine : interrupt)) === null) return;
    forget(inputId);
    const submittedAt = deps.now().toISOString();
    await advanceInput(
      inputId,
      ['clearing', 'interrupting'],
      clearing ? { state: 'dropped' } : { state: 'submitted', submittedAt },
    );
  }

  async function giveUp(sessionId: string, inputId: string): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      const input = await tx.inputs.get(inputId);
      if (input?.state !== 'submitted') return;
      await tx.inputs.update(inputId, { state: input.kind === 'reminder' ? 'dropped' : 'uncertain' });
      await tx.record({
        type: 'input.uncertain',
        subject: { kind: 'worker', id: input.workerId },
        sessionId,
        data: { inputId, taskId: input.taskId },
      });
    });
  }

  async function drop(inputId: string): Promise<void> {
    forget(inputId);
    await advanceInput(inputId, ['queued', 'submitted', 'uncertain'], { state: 'dropped' });
  }

  function forget(inputId: string): void {
    pasted.delete(inputId);
    entered.delete(inputId);
    uncovered.delete(inputId);
  }

  /** Null when the process has ended meanwhile: its exit says the rest. */
  async function typed(workerId: string, runnerInputId: string, text: string) {
    try {
      return await deps.runner.input(workerId, runnerInputId, Buffer.from(text));
    } catch (error) {
      if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  async function advanceInput(
    inputId: string,
    from: readonly InputRow['state'][],
    patch: Partial<InputRow>,
  ): Promise<boolean> {
    return storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row === undefined || !from.includes(row.state)) return false;
      await tx.inputs.update(inputId, patch);
      return true;
    });
  }

  return {
    paste,
    submit,
    probe,
    enterAgain,
    takeRecorded,
    takeCommand,
    uncover,
    withdraw,
    giveUp,
    drop,
    /** When an input was pasted, as far as this server knows. */
    pastedAt: (inputId: string) => pasted.get(inputId) ?? null,
    isUncovered: (inputId: string) => uncovered.has(inputId),
    /** Presses of Enter beyond the first, as far as this server knows. */
    entersOf: (inputId: string) => entered.get(inputId) ?? null,
  };
}
