import type { FormField, FormValue, PermissionEffect } from '@agent-console/shared/models/approval';
import type { Message } from '@agent-console/shared/models/message';

/**
 * Messages between the console and an agent with a structured protocol, in the console's own types. A new version of
 * the protocol changes only the code that translates its messages into these types.
 */

/**
 * Name of a file in the worker's folder. It contains the parameters for opening the agent's conversation, and secrets.
 */
export const OPENING_FILE = 'servers.json';

/** A part of a message: text, an image or a link to a resource. */
export type MessagePart = Message['parts'][number];

/** Features that the agent reports when it answers `initialize`, before its first session. */
export interface ProtocolCapabilities {
  loadSession: boolean;
  resumeSession: boolean;
  forkSession: boolean;
  /** Whether the agent can close its conversation. Absent if an earlier build started the agent. */
  closeSession?: boolean;
  image: boolean;
  embeddedContext: boolean;
  /** Whether the agent can use MCP servers over HTTP and over SSE. Every agent can use them over stdio. */
  mcpHttp: boolean;
  mcpSse: boolean;
  /** Whether a conversation can be opened with instructions, and with further directories besides its cwd. */
  systemPrompt: boolean;
  additionalDirectories: boolean;
}

/** A way to log in that the agent offers. */
export interface LoginMethod {
  id: string;
  name: string;
  description: string | null;
  /**
   * Program that a person uses in a terminal to log in; null if the agent performs the log-in itself. Absent if an
   * earlier version of the console stored this method. If `command` is null, the program is the agent's own command
   * with `args` added.
   */
  terminal?: { command: string | null; args: readonly string[]; env: Readonly<Record<string, string>> } | null;
}

/** A choice that the agent offers for its conversation, such as its mode or model. */
export interface ConfigOption {
  id: string;
  name: string;
  /** Category of the option. The console interprets only `mode` and `model`. */
  category: string | null;
  current: string;
  /**
   * Request that changes the value. `mode`: `session/set_mode`. `option`: `session/set_config_option` with a value.
   * `flag`: `session/set_config_option` with a boolean.
   */
  request: 'mode' | 'option' | 'flag';
  values: readonly { id: string; name: string; description: string | null }[];
}

/** A requested value of an option. `requestId` is the id of the request to the agent. */
export interface OptionChoice {
  requestId: string;
  optionId: string;
  value: string;
}

interface SlashCommand {
  name: string;
  description: string;
  hint: string | null;
}

export interface PlanEntry {
  content: string;
  priority: string;
  status: string;
}

/** Fields of a tool call. An update contains only the changed fields. */
export interface ToolCallFields {
  title?: string;
  kind?: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'failed';
  content?: readonly MessagePart[];
  locations?: readonly { path: string; line: number | null }[];
  input?: unknown;
  output?: unknown;
  /**
   * New output of a terminal that the agent runs itself. `exit` is null until the end of the terminal's process is
   * known.
   */
  printed?: { terminalId: string; data: string; exit: { exitCode: number | null; signal: string | null } | null };
}

/** Why the turn of a prompt ended. */
export type StopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';

/** Tokens of all model responses of a turn. */
export interface TurnUsage {
  /** Number of input tokens, excluding cached tokens. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
}

/** What a person entered into a form, by the ids of its fields. */
export type FormValues = Readonly<Record<string, FormValue>>;

/** Id of a JSON-RPC request. */
export type RequestId = string | number;

export type ProtocolEvent =
  | { type: 'initialized'; capabilities: ProtocolCapabilities; logins: readonly LoginMethod[] }
  /** The agent has opened the conversation. `nativeId` is null if the console's request already contained the id. */
  | { type: 'opened'; nativeId: string | null; options: readonly ConfigOption[] }
  | {
      type: 'chunk';
      role: 'user' | 'agent';
      kind: 'text' | 'thought';
      /** Id that the agent gave the message to which the chunk belongs; null if the agent assigns no ids. */
      messageId: string | null;
      part: MessagePart;
    }
  /** `isUpdate`: the event changes a tool call that the agent has reported before. */
  | { type: 'toolCall'; callId: string; isUpdate: boolean; fields: ToolCallFields }
  | { type: 'plan'; entries: readonly PlanEntry[] }
  | { type: 'commands'; commands: readonly SlashCommand[] }
  | { type: 'mode'; modeId: string }
  | { type: 'options'; options: readonly ConfigOption[] }
  | { type: 'usage'; used: number; size: number; costUsd: number | null }
  /** `extra` contains the fields that the agent adds to the protocol (`_meta`); null if there are none. */
  | { type: 'info'; title: string | null; extra: Readonly<Record<string, unknown>> | null }
  | {
      type: 'permission';
      requestId: RequestId;
      callId: string;
      fields: ToolCallFields;
      options: readonly { id: string; label: string; effect: PermissionEffect }[];
    }
  /** The agent asks a person to fill in a form, or to open a page. */
  | { type: 'form'; requestId: RequestId; text: string; fields: FormField[] }
  | { type: 'link'; requestId: RequestId; text: string; url: string; linkId: string }
  /** The agent reports that the person has done what the page of a link asked for. */
  | { type: 'linkDone'; linkId: string }
  /** A request of the agent for which this type has no variant, e.g. to read a file. */
  | { type: 'request'; requestId: RequestId; method: string; params: unknown }
  | { type: 'promptEnded'; inputId: string; reason: StopReason; usage: TurnUsage | null }
  /**
   * The agent answered a request of the console without an error, and this type has no variant for the answer.
   * `options` is null if the answer contains no options.
   */
  | { type: 'answered'; requestId: string; options: readonly ConfigOption[] | null }
  /**
   * The agent answered a request of the console with an error or with an invalid response. `inputId` is the id of the
   * input if the request was a prompt; otherwise null.
   */
  | { type: 'refused'; requestId: string; inputId: string | null; code: number; message: string }
  /** A message of a type that the console does not know. It is ignored, as the protocol requires. */
  | { type: 'unknown'; what: string }
  /** A line that violates the protocol and to which no answer is possible. It is ignored, with a warning. */
  | { type: 'fault'; what: string }
  /** The agent's output cannot be read further, e.g. because a line is too long. `why` is a message for people. */
  | { type: 'broken'; why: string };

/**
 * State of the connection to an agent with a protocol. Stored together with the log position up to which the agent's
 * messages were handled.
 */
export interface ProtocolState {
  /**
   * - `initializing`: the agent has not answered the first request yet.
   * - `opening`: the conversation was requested.
   * - `login`: the agent needs a log-in, and a person is asked how to log in.
   * - `authenticating`: the log-in was requested.
   * - `choosing`: the agent's permission mode and the session's options were requested.
   * - `ready`: prompts can be sent.
   * - `closing`: the agent is being ended, and was asked to close its conversation first.
   * - `failed`: the agent is ended, because it refused or did not answer a request without which it cannot be used, or
   *   because a person cancelled the log-in.
   * - `broken`: the agent's output can no longer be read, and the agent is ended. The next task starts a new agent.
   */
  phase:
    | 'initializing'
    | 'opening'
    | 'login'
    | 'authenticating'
    | 'choosing'
    | 'ready'
    | 'closing'
    | 'failed'
    | 'broken';
  /** Number of times that the console requested the conversation again after a log-in. */
  reopened?: number;
  /**
   * The current or last log-in. `then` is what the console does after the log-in: `open` requests the conversation
   * again, and `ready` sends prompts.
   */
  login?: { attempt: number; methodId: string | null; then: 'open' | 'ready' };
  /** Set if the agent refused to continue its stored conversation. The console then requested a new conversation. */
  anew?: boolean;
  capabilities: ProtocolCapabilities | null;
  logins: readonly LoginMethod[];
  options: readonly ConfigOption[];
  /** Requested option values that the agent has not confirmed yet. */
  choices: readonly OptionChoice[];
  commands: readonly SlashCommand[];
  usage: { used: number; size: number; costUsd: number | null } | null;
  /** Describes the agent's first line that violated the protocol. */
  fault?: string;
  /** The title that the agent last gave its conversation. */
  title?: string;
  /**
   * Whether the agent has reported that the current turn failed, in a field that is not part of the protocol. The
   * agent's last message is the error.
   */
  isFailing?: boolean;
  /**
   * The stored message that the next chunk of the same role, kind and message id extends. Null if the next chunk begins
   * a new message, for example after a tool call, a plan, a question or the end of a turn.
   */
  open: { rowId: string; role: 'user' | 'agent'; kind: 'text' | 'thought'; messageId: string | null } | null;
  /**
   * Requests of the agent that are not answered yet. Requests that a person answers are not included, because they are
   * stored as approvals.
   */
  requests: readonly AgentRequest[];
}

/**
 * A request of the agent that is not answered yet. Its parameters are not stored, because they may contain secrets or
 * whole files. The parameters are read again from the log, where the request's line starts at `offset`.
 */
export interface AgentRequest {
  requestId: RequestId;
  method: string;
  offset: number;
  /**
   * Answer to a request that has changed something, such as a file. The answer is stored before it is sent, so that the
   * request is never carried out twice: a second write could undo a later change by the agent.
   */
  answer?: string;
  /**
   * Set if the console answers this request with an error, because the agent already has too many open requests or
   * questions.
   */
  isExcess?: boolean;
  /** Set if the agent reported that the person has finished on the page that this request asked the person to open. */
  isDone?: boolean;
  /**
   * Set if the agent asked a person during a turn that was already cancelled. The console then answers that the request
   * was cancelled.
   */
  isCancelled?: boolean;
  /**
   * Terminal that the request opens or uses; null if the agent names a terminal that it does not have. The id of a new
   * terminal is stored with the request, so that no second terminal is opened after a restart.
   */
  terminalId?: string | null;
}

/** State of a connection before its first message. */
export const NEW_CONNECTION: ProtocolState = {
  phase: 'initializing',
  capabilities: null,
  logins: [],
  options: [],
  choices: [],
  commands: [],
  usage: null,
  open: null,
  requests: [],
};

/** Whether the agent can no longer be used. The console then ends it. */
export const isOver = ({ phase }: ProtocolState): boolean => phase === 'failed' || phase === 'broken';

/** Returns the stored state of a connection, with initial values for fields that an earlier build did not store. */
export function connectionOf({ protocol }: { protocol: ProtocolState | null }): ProtocolState {
  const state = { ...NEW_CONNECTION, ...protocol };
  return state.phase === 'choosing' && state.choices.length === 0 ? { ...state, phase: 'ready' } : state;
}

/** Returns the id of the latest request to open the conversation. */
export const openingId = ({ reopened = 0 }: ProtocolState) => (reopened === 0 ? 'open' : `open:${reopened}`);

/** Returns the id of the latest request to log in. */
export const loginId = ({ login }: ProtocolState) => `authenticate:${login?.attempt ?? 0}`;

/**
 * Returns the state after a person has logged in, through the console or outside it. The console continues with sending
 * prompts, or with requesting the conversation again.
 */
export function afterLogin(state: ProtocolState): ProtocolState {
  return state.login?.then === 'ready'
    ? { ...state, phase: 'ready' }
    : { ...state, phase: 'opening', reopened: (state.reopened ?? 0) + 1 };
}

/**
 * Returns the option and value that select the first of these modes that the agent offers; null if the agent offers
 * none of them.
 */
export function modeChoice(
  options: readonly ConfigOption[],
  names: readonly string[],
): { optionId: string; value: string } | null {
  const option = options.find(({ category }) => category === 'mode');
  const value = names.find((name) => option?.values.some(({ id }) => id === name));
  return option === undefined || value === undefined ? null : { optionId: option.id, value };
}

/** Returns those of the values `wanted` that the agent offers and that are not selected yet. */
export function openChoices(
  options: readonly ConfigOption[],
  wanted: readonly { optionId: string; value: string }[],
): { optionId: string; value: string }[] {
  return wanted.filter(({ optionId, value }) => {
    const option = options.find(({ id }) => id === optionId);
    return option !== undefined && option.current !== value && option.values.some(({ id }) => id === value);
  });
}

/** Returns the options with one value changed. */
export function withValue(options: readonly ConfigOption[], optionId: string, value: string): readonly ConfigOption[] {
  return options.map((option) => (option.id === optionId ? { ...option, current: value } : option));
}
