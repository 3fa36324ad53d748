import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { ENTERS_REMEMBERED } from '@agent-console/shared/limits/typing';
import type { InputProgress } from '../../domain/next-step.ts';
import { OPENING_FILE } from '../../domain/protocol.ts';
import { failedBy, isOpen, sourceOfTurnEnd } from '../../domain/tasks.ts';
import { isAccepted, NO_REPORT, withPromptAccepted } from '../../domain/turns.ts';
import { isCommand } from '../../domain/typing.ts';
import type { Host } from '../../ports/host.ts';
import type { ImageFiles } from '../../ports/images.ts';
import type { AgentProtocol, PromptBlock } from '../../ports/protocol.ts';
import type { InputRow, SessionRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { withdrawQuestions } from '../approvals/questions.ts';
import { SYSTEM } from '../changes/author.ts';
import { about } from '../changes/subjects.ts';
import { type ChangeDeps, finishTask } from '../changes/task-changes.ts';
import { applyActivity } from '../processes/observations.ts';
import { cancelFrame } from '../protocol/cancel-frame.ts';
import { imageBlocks } from '../sessions/images.ts';
import { recordedEnd } from '../transcripts/position.ts';
import { lineView } from './input-evidence.ts';
import type { LoadedSession } from './session-state.ts';

export interface InputEffectDeps extends ChangeDeps {
  storage: Storage;
  runner: Pick<Runner, 'input'>;
  protocol: Pick<AgentProtocol, 'frames'>;
  host: Pick<Host, 'readWorkerFile'>;
  images: ImageFiles;
  catalogue: Pick<AgentCatalogue, 'kindOf'>;
}

/** States in which Enter was pressed but no turn has been observed. */
const SUBMITTED: ReadonlySet<InputRow['state']> = new Set(['submitted', 'uncertain']);
/**
 * Errors after which a prompt is never sent: the agent or the runner does not accept the images of the prompt, or an
 * image is gone.
 */
const UNDELIVERABLE: ReadonlySet<ErrorCode> = new Set(['UNSUPPORTED', 'TOO_LARGE', 'NOT_FOUND']);
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const ENTER = '\r';
/**
 * Maximum number of earlier prompts of a process that are read to find out whether one of them contained the console's
 * instructions.
 */
const COMMANDS_FIRST_MAX = 20;

/**
 * Creates the functions that type an input into the agent's terminal. The input's state is stored before and after each
 * write. The runner executes each write only once, by its id. Times are kept only in memory, because they only
 * determine how long to wait.
 */
export function createInputEffects(deps: InputEffectDeps) {
  const pasted = new Map<string, number>();
  const closedMenus = new Set<string>();
  const entered = new Map<string, InputProgress['enterPresses']>();
  const { storage } = deps;

  /** Types the text without Enter. */
  async function paste(loaded: LoadedSession, inputId: string): Promise<void> {
    const { agent, input } = loaded;
    if (agent === undefined || input === undefined) return;
    // The input line is cleared only in state `queued`. In state `pasting`, it may already contain text of this input.
    if (input.state === 'queued' && !(await clearLeftover(loaded, agent.id, inputId))) return;
    if (!(await advanceInput(inputId, ['queued', 'pasting'], { state: 'pasting' }))) return;
    const { bracketedPaste } = await deps.catalogue.kindOf(loaded.session.agentId);
    const text = bracketedPaste ? `${PASTE_BEGIN}${input.text}${PASTE_END}` : input.text;
    const receipt = await typeText(agent.id, `${inputId}:paste`, text);
    if (receipt === null) return;
    pasted.set(inputId, deps.now().getTime());
    await advanceInput(inputId, ['pasting'], { state: 'pasted', pastedOffset: receipt.offset });
  }

  /**
   * Clears the input line if it may contain text of the previous input: the agent may have restored an interrupted
   * prompt, an unconfirmed prompt may never have been sent, and `probe` may have left a space. Returns false if the
   * process has ended.
   */
  async function clearLeftover({ session, line }: LoadedSession, workerId: string, inputId: string): Promise<boolean> {
    const others = { workerId, id: { not: inputId }, submittedOffset: { not: null } };
    const before = await storage.read.inputs.first(others, { order: ['-id'] });
    if (before === undefined) return true;
    const task = before.taskId === null ? undefined : await storage.read.tasks.get(before.taskId);
    const probed = entered.has(before.id);
    if (task?.status !== 'cancelled' && !probed && lineView(line, before.text) !== 'text') return true;
    const { keys } = await deps.catalogue.kindOf(session.agentId);
    return (await typeText(workerId, `${inputId}:clear`, keys.clearLine)) !== null;
  }

  const submit = (loaded: LoadedSession, inputId: string) => enter(loaded, inputId, 'pasted', () => ENTER);

  /** Sends a prompt to an agent with a structured protocol. The turn ends with the agent's response to the prompt. */
  async function send(loaded: LoadedSession, inputId: string): Promise<void> {
    const instructions = await newInstructions(loaded);
    try {
      const images = await imagesOf(loaded);
      await enter(loaded, inputId, 'queued', ({ nativeId }, text) =>
        deps.protocol.frames.prompt(inputId, nativeId ?? '', text, { instructions, images }),
      );
    } catch (error) {
      if (!(error instanceof ConsoleError) || !UNDELIVERABLE.has(error.code)) throw error;
      await refuse(inputId, error);
    }
  }

  async function imagesOf({ agent, session, input }: LoadedSession): Promise<PromptBlock[]> {
    const task = input?.kind === 'prompt' && input.taskId !== null ? await storage.read.tasks.get(input.taskId) : null;
    if (task == null) return [];
    const takesImages = agent?.protocol?.capabilities?.image === true;
    return imageBlocks(deps, task, { agentId: session.agentId, takesImages });
  }

  /** Fails the task of an input that was not sent. */
  async function refuse(inputId: string, error: ConsoleError): Promise<void> {
    forget(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row === undefined || (row.state !== 'queued' && row.state !== 'submitting')) return;
      await tx.inputs.update(inputId, { state: 'dropped' });
      if (row.taskId !== null) await finishTask(tx, deps, row.taskId, failedBy(error));
    });
  }

  /**
   * Returns the instructions to send before this prompt. Returns null if there are none, if the protocol passes them in
   * another way, or if an earlier prompt has carried them. Also returns null if the prompt is a command, because a
   * command must come first in its prompt.
   */
  async function newInstructions({ agent, session, input }: LoadedSession): Promise<string | null> {
    if (agent === undefined || input === undefined) return null;
    const opening = await deps.host.readWorkerFile(agent.id, OPENING_FILE);
    if (opening === null) return null;
    const instructions = deps.protocol.frames.promptInstructions(opening, agent.protocol?.capabilities ?? null);
    if (instructions === null) return null;
    const kind = await deps.catalogue.kindOf(session.agentId);
    const sent = { workerId: agent.id, id: { below: input.id }, submittedOffset: { not: null } };
    const earlier = await storage.read.inputs.find(sent, { order: ['-id'], limit: COMMANDS_FIRST_MAX });
    const prompts = [...earlier, input];
    return prompts.findIndex(({ text }) => !isCommand(text, kind)) === prompts.length - 1 ? instructions : null;
  }

  async function enter(
    { agent, session, input }: LoadedSession,
    inputId: string,
    from: InputRow['state'],
    data: (session: SessionRow, text: string) => string,
  ): Promise<void> {
    if (agent === undefined || input === undefined) return;
    if (!(await beginSubmit(inputId, from))) return;
    const receipt = await typeText(agent.id, `${inputId}:enter`, data(session, input.text));
    if (receipt === null) return;
    forget(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row?.state !== 'submitting') return;
      const submittedAt = deps.now().toISOString();
      await tx.inputs.update(inputId, { state: 'submitted', submittedOffset: receipt.offset, submittedAt });
      if (row.taskId !== null) await tx.tasks.update(row.taskId, { sendNow: false, blocked: null });
      // The agent may have responded before the runner's receipt for Enter was stored. So the agent's activity is
      // checked once more.
      const worker = await tx.workers.get(agent.id);
      if (worker === undefined) return;
      const accepted = row.acceptedBy === null ? undefined : withPromptAccepted(receipt.offset, worker);
      if (accepted !== undefined) {
        const { lastActiveOffset, lastIdleOffset } = accepted;
        await tx.workers.update(agent.id, { lastActiveOffset, lastIdleOffset });
      }
      const activity = accepted ?? worker;
      if (isAccepted(receipt.offset, activity)) await applyActivity(tx, deps, worker, activity, worker.activitySource);
    });
  }

  /** Stores that an input is being submitted. Returns false if its task has ended, so that it must not be submitted. */
  async function beginSubmit(inputId: string, from: InputRow['state']): Promise<boolean> {
    return storage.write(SYSTEM, async (tx) => {
      const row = await tx.inputs.get(inputId);
      if (row?.state === 'submitting') return true;
      const task = row?.state === from && row.taskId !== null ? await tx.tasks.get(row.taskId) : undefined;
      if (task === undefined || !isOpen(task.status)) return false;
      await tx.inputs.update(inputId, { state: 'submitting' });
      return true;
    });
  }

  /**
   * Presses Enter again. Each press has its own input id, so Enter is not pressed twice if a crash repeats this step.
   */
  async function pressEnterAgain({ agent, state }: LoadedSession, inputId: string): Promise<void> {
    const count = (state.input?.enterPresses.count ?? 1) + 1;
    if (agent === undefined || (await typeText(agent.id, `${inputId}:enter${count}`, ENTER)) === null) return;
    remember(inputId, { count, lastAt: deps.now().getTime(), probedAt: null });
  }

  /**
   * Types a space after the text. Once the screen shows the space, the agent has processed the keys before it. The
   * space itself submits nothing.
   */
  async function probe({ agent, state }: LoadedSession, inputId: string): Promise<void> {
    const { count = 1, lastAt = 0 } = state.input?.enterPresses ?? {};
    if (agent === undefined || (await typeText(agent.id, `${inputId}:probe${count}`, ' ')) === null) return;
    remember(inputId, { count, lastAt, probedAt: deps.now().getTime() });
  }

  function remember(inputId: string, presses: InputProgress['enterPresses']): void {
    entered.delete(inputId);
    entered.set(inputId, presses);
    const [oldest] = entered.keys();
    if (entered.size > ENTERS_REMEMBERED && oldest !== undefined) entered.delete(oldest);
  }

  /**
   * Ends a turn whose end is in the transcript. A short turn may end before the console observes that the agent is
   * active.
   */
  async function acceptRecordedEnd({ agent }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined) return;
    forget(inputId);
    await storage.write(SYSTEM, async (tx) => {
      const [row, worker] = [await tx.inputs.get(inputId), await tx.workers.get(agent.id)];
      if (row?.submittedOffset == null || !SUBMITTED.has(row.state) || worker === undefined) return;
      // The transcript proves that the agent is idle, even if the stored activity does not show it yet.
      const activity = withPromptAccepted(row.submittedOffset, { ...worker, activityState: 'idle' });
      const { lastActiveOffset, lastIdleOffset } = activity;
      await tx.workers.update(agent.id, { lastActiveOffset, lastIdleOffset });
      await applyActivity(tx, deps, worker, activity, 'hook', { ...NO_REPORT, recorded: true });
    });
  }

  /**
   * Completes the task of a command, such as `/clear`, that started no turn. Nobody reports whether the command
   * succeeded, so the outcome is stored as uncertain.
   */
  async function completeCommand({ agent }: LoadedSession, inputId: string): Promise<void> {
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

  /**
   * Closes the menu that a command has opened over the input line. Every agent closes its menu when it receives the
   * interrupt key.
   */
  async function closeMenu({ session, agent }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined) return;
    const { keys } = await deps.catalogue.kindOf(session.agentId);
    await typeText(agent.id, `${inputId}:uncover`, keys.interrupt);
    closedMenus.add(inputId);
  }

  /**
   * Removes the text of an ended task from the input line or, if the agent works on the task, interrupts the agent.
   * A prompt that was not yet sent over a protocol is only dropped.
   */
  async function withdraw({ session, agent, input }: LoadedSession, inputId: string): Promise<void> {
    if (agent === undefined || input === undefined) return;
    if (agent.protocol !== null && input.submittedOffset === null && !(await wasSent(agent.id, inputId))) {
      forget(inputId);
      await advanceInput(inputId, ['interrupting'], { state: 'dropped' });
      return;
    }
    const clearing = input.state !== 'interrupting';
    const { keys } = await deps.catalogue.kindOf(session.agentId);
    const { frames } = deps.protocol;
    const data =
      agent.protocol !== null ? frames.cancel(session.nativeId ?? '') : clearing ? keys.clearLine : keys.interrupt;
    if ((await typeText(agent.id, `${inputId}:withdraw`, data)) === null) return;
    if (agent.protocol !== null && !(await cancelQuestions(agent.id, inputId))) return;
    forget(inputId);
    const submitted = { state: 'submitted', submittedAt: deps.now().toISOString() } as const;
    const from = ['pasting', 'pasted', 'clearing', 'interrupting'] as const;
    await advanceInput(inputId, from, clearing ? { state: 'dropped' } : submitted);
  }

  /**
   * Whether a prompt was sent over a protocol. The check uses up the prompt's id, which the runner accepts only once.
   * So nobody can send the prompt later.
   */
  async function wasSent(workerId: string, inputId: string): Promise<boolean> {
    return (await typeText(workerId, `${inputId}:enter`, ''))?.duplicate ?? true;
  }

  /**
   * Answers the open questions of a cancelled prompt with a cancellation, as the protocol requires. Questions that the
   * agent asks later in the turn are answered as soon as they are read. Returns false if the process has ended.
   */
  async function cancelQuestions(workerId: string, inputId: string): Promise<boolean> {
    const asked = await storage.read.approvals.find({ workerId, state: 'pending', optionId: null });
    for (const row of asked) {
      // Each cancellation is sent with an id of its own. So after a crash, the next server sends exactly those that are
      // missing.
      const line = cancelFrame(deps.protocol, row);
      if ((await typeText(workerId, `${inputId}:withdraw:${row.id}`, line)) === null) return false;
    }
    // Only the questions that were answered above are withdrawn. If an unanswered question were withdrawn, the agent
    // would wait forever for the answer.
    const ids = asked.map(({ id }) => id);
    await storage.write(SYSTEM, (tx) => withdrawQuestions(tx, deps, workerId, ids));
    return true;
  }

  async function markUncertain({ session: { id: sessionId } }: LoadedSession, inputId: string): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      const input = await tx.inputs.get(inputId);
      if (input?.state !== 'submitted') return;
      const { workerId, taskId, kind } = input;
      await tx.inputs.update(inputId, { state: kind === 'reminder' ? 'dropped' : 'uncertain' });
      const worker = about('worker', { id: workerId, sessionId });
      await tx.record({ type: 'input.uncertain', ...worker, data: { inputId, taskId } });
    });
  }

  async function drop(_loaded: LoadedSession, inputId: string): Promise<void> {
    forget(inputId);
    await advanceInput(inputId, ['queued', 'submitted', 'uncertain'], { state: 'dropped' });
  }

  function forget(inputId: string): void {
    pasted.delete(inputId);
    entered.delete(inputId);
    closedMenus.delete(inputId);
  }

  /** Types text. Returns null if the process has ended in the meantime; the handler of its exit then ends the input. */
  async function typeText(workerId: string, runnerInputId: string, text: string) {
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
    effects: {
      paste,
      submit,
      send,
      probe,
      pressEnterAgain,
      acceptRecordedEnd,
      completeCommand,
      closeMenu,
      withdraw,
      markUncertain,
      drop,
    },
    /** Returns the time at which this server pasted an input, in milliseconds since the epoch; null if it did not. */
    pastedAt: (inputId: string) => pasted.get(inputId) ?? null,
    isMenuClosed: (inputId: string) => closedMenus.has(inputId),
    /** Returns the Enter presses for an input, once this server has probed or repeated them; null before. */
    entersOf: (inputId: string) => entered.get(inputId) ?? null,
  };
}
