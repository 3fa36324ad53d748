import { ConsoleError } from '@agent-console/shared/errors';
import { EDITOR_CANCEL_WAIT_SECONDS, EDITOR_START_WAIT_SECONDS } from '@agent-console/shared/limits/acp';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { AgentOptions } from '@agent-console/shared/models/agent-option';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { isLive } from '@agent-console/shared/session-badge';
import type { AgentContext, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { EditorConsole } from './console.ts';
import type { EditorForms } from './forms.ts';
import type { ClientMcpServers } from './mcp-servers.ts';
import { createOpenCalls } from './open-calls.ts';
import { optionUpdates, type ShownOptions, shownOptions } from './options.ts';
import { createPermissions } from './permissions.ts';
import type { PromptContent } from './prompt-content.ts';
import { isTurnOver, stopReasonOf } from './turns.ts';
import { imagesOf, type SentState, sentStateOf, terminalsOf, updatesFor } from './updates.ts';

export interface ConversationDeps {
  console: EditorConsole;
  client: AgentContext;
  sessionId: string;
  /** Whether the editor receives the questions that the agent asks. */
  offersPermissions: boolean;
  /** Returns whether the editor can show forms and links to a person. */
  forms(): EditorForms;
  /** MCP servers of the editor. Every agent process that this conversation starts uses them. */
  clientMcpServers: ClientMcpServers;
  onError(error: unknown): void;
}

/** A session that an editor has open. */
export interface Conversation {
  readonly sessionId: string;
  /** Sends all messages of the session to the editor. */
  replay(): Promise<void>;
  /** Marks all messages of the session as known to the editor, without sending them. */
  skip(): Promise<void>;
  /** Begins to send changes of the session to the editor. */
  begin(): void;
  /**
   * Starts the agent unless it is running, and waits at most EDITOR_START_WAIT_SECONDS until the session is idle. The
   * agent has then reported its options.
   */
  startAndWait(): Promise<void>;
  /** Returns the options of the agent. After this call, only changed options are sent as updates. */
  options(): Promise<ShownOptions>;
  /** Selects a value of an option. If `optionId` is undefined, selects a mode. */
  choose(optionId: string | undefined, value: string): Promise<ShownOptions>;
  /** Sends a prompt to the session. Resolves when the turn is over and all its messages were sent to the editor. */
  prompt(content: PromptContent, cancelled: AbortSignal): Promise<StopReason>;
  /** Cancels the prompts that this editor has open in the session. */
  cancel(): Promise<void>;
  handle(event: ConsoleEvent): void;
  /** Reads the current state again. Called when events may have been missed. */
  refresh(): void;
  /** Rejects the prompts that this editor has open in the session, with this error. */
  fail(error: Error): void;
  close(): void;
}

/** Events after which the agent's options may have changed. */
const OPTION_EVENTS: ReadonlySet<string> = new Set(['session.options_changed', 'session.updated', 'worker.started']);

/** Maximum number of bytes of a terminal's output that a tool call shows. */
const TERMINAL_SHOWN_BYTES = 8_000;

const closedError = () =>
  new ConsoleError(
    'CONFLICT',
    'The session was closed, or was opened again. The prompt continues, unless it was cancelled.',
  );

interface Prompt {
  taskId: string | undefined;
  isCancelled: boolean;
}

export function createConversation(deps: ConversationDeps): Conversation {
  const { console, client, sessionId, clientMcpServers, onError } = deps;
  const shown = new Map<string, SentState>();
  const openCalls = createOpenCalls();
  /**
   * Ids of the tasks of this editor's own prompts. The prompts are not sent to the editor, which already shows them.
   */
  const ownTasks = new Set<string>();
  const prompts = new Set<Prompt>();
  const sending = new Set<Promise<unknown>>();
  const waiting = new Map<string, { resolve(): void; reject(error: Error): void }>();
  let knownOptions: AgentOptions | null = null;
  let revision = 0;
  let isFollowing = false;
  let isClosed = false;
  /** Whether some events could not be handled, because the console did not respond. */
  let isBehind = false;
  let syncing: Promise<void> | undefined;
  let isSyncRequested = false;

  const permissions = createPermissions({
    console,
    client,
    sessionId,
    forms: deps.forms,
    showMessages: sync,
    shownCall: openCalls.find,
    onError,
  });

  const send = (update: SessionUpdate) => client.notify('session/update', { sessionId, update });

  /** Returns the last part of the output of each terminal in a tool call, by worker id. */
  async function outputsOf(message: Message): Promise<ReadonlyMap<string, string>> {
    const outputs = new Map<string, string>();
    for (const workerId of terminalsOf(message)) {
      const read = console.call('sessions.output', { sessionId, workerId, maxBytes: TERMINAL_SHOWN_BYTES });
      outputs.set(workerId, await read.then(({ text }) => text).catch(() => ''));
    }
    return outputs;
  }

  /** Returns the images of a message as base64, by image id. An image that no longer exists is left out. */
  async function contentOf(imageIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const images = new Map<string, string>();
    for (const imageId of imageIds) {
      const read = console.call('sessions.image', { sessionId, imageId });
      await read.then(({ data }) => images.set(imageId, data)).catch(() => undefined);
    }
    return images;
  }

  async function show(message: Message): Promise<void> {
    const isOwnPrompt = message.role === 'user' && message.taskId !== null && ownTasks.has(message.taskId);
    const before = shown.get(message.id);
    const outputs = await outputsOf(message);
    const images = await contentOf(isOwnPrompt ? [] : imagesOf(message, before));
    const { updates, shown: next } = updatesFor(message, before, { outputs, images });
    shown.set(message.id, next);
    revision = Math.max(revision, message.revision);
    if (isOwnPrompt || isClosed) return;
    openCalls.note(message);
    for (const update of updates) await send(update);
  }

  /** Sends changed messages to the editor. A call while messages are being sent causes one more check for changes. */
  function sync(): Promise<void> {
    isSyncRequested = true;
    syncing ??= syncUntilCurrent();
    return syncing;
  }

  async function syncUntilCurrent(): Promise<void> {
    try {
      while (isSyncRequested) {
        isSyncRequested = false;
        // The editor already shows its own prompts, which are recognized by the ids of their tasks. So messages are
        // sent only after the console has returned these ids.
        await Promise.allSettled(sending);
        if (!isClosed) await showChanges();
      }
    } finally {
      syncing = undefined;
    }
  }

  async function showChanges(): Promise<void> {
    for (;;) {
      const { data } = await console.call('sessions.messages', { sessionId, changedSince: revision, limit: PAGE_MAX });
      for (const message of data) await show(message);
      if (data.length < PAGE_MAX) return;
    }
  }

  async function showOptions(): Promise<void> {
    const options = await console.call('sessions.options', { sessionId });
    const updates = optionUpdates(knownOptions, options);
    knownOptions = options;
    for (const update of updates) await send(update);
  }

  /**
   * Passes all messages to `use`, in order. Sets `revision` to the highest revision of the first page. A message that
   * changes while later pages are read gets a higher revision, so it is sent again.
   */
  async function eachMessage(use: (message: Message) => Promise<void> | void): Promise<void> {
    let known: number | undefined;
    for (let skip = 0; ; skip += PAGE_MAX) {
      const { data } = await console.call('sessions.messages', { sessionId, skip, limit: PAGE_MAX });
      for (const message of data) await use(message);
      known ??= Math.max(0, ...data.map((message) => message.revision));
      if (data.length < PAGE_MAX) break;
    }
    revision = known;
  }

  async function ended(taskId: string): Promise<Task> {
    // If the session was closed while the prompt was being sent, nothing would report the end of the task here.
    if (isClosed) throw closedError();
    const event = new Promise<void>((resolve, reject) => waiting.set(taskId, { resolve, reject }));
    // `event` may reject while the task is being read. This handler prevents an unhandled rejection.
    event.catch(() => undefined);
    try {
      const task = await console.call('tasks.get', { taskId });
      if (isTurnOver(task)) return task;
      await event;
      return await console.call('tasks.get', { taskId });
    } finally {
      waiting.delete(taskId);
    }
  }

  async function cancelTask({ taskId }: Prompt): Promise<void> {
    if (taskId === undefined) return;
    await console.call('tasks.cancel', { taskId }).catch((error: unknown) => {
      // The conflict is ignored, because it means that the task has already ended.
      if (!(error instanceof ConsoleError) || error.code !== 'CONFLICT') throw error;
    });
  }

  async function cancelPrompt(prompt: Prompt): Promise<void> {
    prompt.isCancelled = true;
    await cancelTask(prompt);
  }

  /**
   * Starts the agent with the editor's MCP servers, unless it is running. `sessions.resume` does not start an agent
   * that cannot resume its conversation. The next prompt starts it.
   */
  async function start(): Promise<void> {
    const { workers } = await console.call('sessions.get', { sessionId });
    if (workers.some((worker) => worker.type === 'agent' && isLive(worker))) return;
    const servers = clientMcpServers.length === 0 ? {} : { clientMcpServers };
    await console.call('sessions.resume', { sessionId, ...servers }).catch((error: unknown) => {
      if (!(error instanceof ConsoleError) || error.code !== 'UNSUPPORTED') throw error;
    });
  }

  async function sendPrompt({ text, images }: PromptContent): Promise<string> {
    const imageIds: string[] = [];
    for (const data of images) imageIds.push((await console.call('sessions.addImage', { sessionId, data })).imageId);
    if (clientMcpServers.length > 0) await start();
    const { taskId } = await console.call('sessions.prompt', {
      sessionId,
      prompt: text,
      ...(imageIds.length === 0 ? {} : { images: imageIds }),
      notifyOnCompletion: false,
    });
    ownTasks.add(taskId);
    return taskId;
  }

  return {
    sessionId,
    async replay() {
      await eachMessage(async (message) => {
        shown.delete(message.id);
        await show(message);
      });
    },
    async skip() {
      await eachMessage((message) => void shown.set(message.id, sentStateOf(message)));
    },
    begin() {
      isFollowing = true;
      this.refresh();
    },
    async startAndWait() {
      await start();
      await console.call('sessions.wait', { sessionId, until: 'idle', timeoutSeconds: EDITOR_START_WAIT_SECONDS });
    },
    async options() {
      const { commands: _, usage: __, ...options } = await console.call('sessions.options', { sessionId });
      // Commands and usage are recorded as empty, because the response that opens a session cannot contain them. So the
      // next update sends them.
      knownOptions = { ...options, commands: [], usage: null };
      return shownOptions(knownOptions);
    },
    async choose(optionId, value) {
      const { options } = await console.call('sessions.options', { sessionId });
      const chosen = optionId ?? options.find(({ category }) => category === 'mode')?.id ?? 'mode';
      const changed = await console.call('sessions.setOption', { sessionId, optionId: chosen, value });
      knownOptions = { ...(knownOptions ?? changed), options: changed.options };
      return shownOptions(changed);
    },
    async prompt(content, cancelled) {
      const prompt: Prompt = { taskId: undefined, isCancelled: false };
      prompts.add(prompt);
      // After the editor has disconnected, the abort is ignored, because a disconnect must not cancel prompts.
      const onCancel = () => (isClosed ? undefined : cancelPrompt(prompt).catch(onError));
      cancelled.addEventListener('abort', onCancel);
      try {
        const sent = sendPrompt(content);
        sending.add(sent);
        prompt.taskId = await sent.finally(() => sending.delete(sent));
        if (prompt.isCancelled) await cancelTask(prompt);
        const task = await ended(prompt.taskId);
        // `sessions.wait` waits until a cancelled agent has stopped, and stores the last messages of an agent in a
        // terminal.
        const limit = prompt.isCancelled && task.startedAt !== null ? EDITOR_CANCEL_WAIT_SECONDS : 0;
        await console.call('sessions.wait', { sessionId, until: 'idle', timeoutSeconds: limit });
        await sync();
        return prompt.isCancelled ? 'cancelled' : stopReasonOf(task);
      } finally {
        cancelled.removeEventListener('abort', onCancel);
        prompts.delete(prompt);
      }
    },
    async cancel() {
      await Promise.all([...prompts].map(cancelPrompt));
    },
    handle({ type, subject, data }) {
      const { sessionId: eventSession } = data;
      if (eventSession !== sessionId || !isFollowing) return;
      if (isBehind) this.refresh();
      if (type === 'task.ended' || (type === 'task.waiting' && data.waitingFor === 'report'))
        waiting.get(subject.id)?.resolve();
      sync()
        .then(async () => {
          if (OPTION_EVENTS.has(type)) await showOptions();
          if (type === 'session.updated' && data.title !== undefined) {
            await send({ sessionUpdate: 'session_info_update', title: String(data.title) });
          }
          if (!deps.offersPermissions) return;
          if (type === 'approval.updated') {
            permissions.offerAgain(await console.call('approvals.get', { approvalId: subject.id }));
          }
          if (type === 'approval.requested')
            permissions.offer(await console.call('approvals.get', { approvalId: subject.id }));
          if (type === 'approval.answered' || type === 'approval.withdrawn') await permissions.withdraw(subject.id);
        })
        .catch(onError);
    },
    refresh() {
      if (!isFollowing) return;
      isBehind = false;
      for (const [taskId, { resolve }] of waiting) {
        console.call('tasks.get', { taskId }).then((task) => {
          if (isTurnOver(task)) resolve();
        }, onError);
      }
      sync()
        .then(showOptions)
        .then(() => (deps.offersPermissions ? permissions.reconcile() : undefined))
        .catch(onError);
    },
    fail(error) {
      isBehind = true;
      for (const { reject } of waiting.values()) reject(error);
    },
    close() {
      isFollowing = false;
      isClosed = true;
      permissions.close();
      this.fail(closedError());
    },
  };
}
