import { PermissionEffect } from '@agent-console/shared/models/approval';
import * as v from 'valibot';
import type { MessagePart, ProtocolEvent, RequestId, ToolCallFields } from '../domain/protocol.ts';
import { elicitationOf } from './elicitation.ts';
import {
  chosenId,
  Initialized,
  initializedOf,
  label,
  Opened,
  Option,
  offers,
  openedOf,
  optionOf,
  text,
} from './offers.ts';
import { ERROR_CODES, inputOfPrompt, isOpening, PROTOCOL_VERSION, REQUESTS } from './outgoing.ts';

/**
 * This module translates messages of the Agent Client Protocol, version 1, into protocol events. Unknown fields,
 * updates and notifications are ignored, as the protocol requires of clients.
 */

const Id = v.union([chosenId, v.number(), v.null()]);
const Parts = v.array(v.record(v.string(), v.unknown()));

const Envelope = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.optional(Id),
  method: v.optional(v.string()),
  params: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  error: v.optional(v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) })),
});

const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const;
const count = v.optional(v.nullable(v.number()), 0);
/** Token usage is not part of the stable protocol yet, so an invalid value is ignored. */
const Usage = v.object({ inputTokens: v.number(), outputTokens: v.number(), cachedReadTokens: count });
const Prompted = v.object({
  stopReason: v.picklist(STOP_REASONS),
  usage: v.fallback(v.optional(v.nullable(Usage), null), null),
});

const Status = v.picklist(['pending', 'in_progress', 'completed', 'failed']);
/**
 * Output of a command that the agent runs in its own terminal. Not part of the protocol. Agents send it as
 * `terminal_output`, but only to clients that declare `terminal_output`. To all other clients, Codex (2.6.0) sends it
 * as `terminal_output_delta`.
 */
const TerminalOutput = v.optional(v.object({ terminal_id: chosenId, data: v.string() }));
const TerminalExit = v.object({
  terminal_id: chosenId,
  exit_code: v.optional(v.nullable(v.number()), null),
  signal: v.optional(v.nullable(chosenId), null),
});
const CallMeta = v.object({
  terminal_output: TerminalOutput,
  terminal_output_delta: TerminalOutput,
  terminal_exit: v.optional(TerminalExit),
});
const ToolCall = v.object({
  toolCallId: chosenId,
  title: v.optional(v.nullable(v.string())),
  kind: v.optional(v.nullable(v.string())),
  status: v.optional(v.nullable(Status)),
  content: v.optional(v.nullable(Parts)),
  locations: v.optional(v.nullable(v.array(v.object({ path: v.string(), line: v.optional(v.nullable(v.number())) })))),
  rawInput: v.optional(v.unknown()),
  rawOutput: v.optional(v.unknown()),
  _meta: v.fallback(v.optional(v.nullable(CallMeta), null), null),
});
const Chunk = v.object({
  content: v.record(v.string(), v.unknown()),
  messageId: v.optional(v.nullable(chosenId), null),
});

const chunkOf = (role: 'user' | 'agent', kind: 'text' | 'thought') =>
  v.pipe(
    Chunk,
    v.transform(({ content, messageId }): ProtocolEvent => ({ type: 'chunk', role, kind, messageId, part: content })),
  );
const toolCall = (isUpdate: boolean) =>
  v.pipe(
    ToolCall,
    v.transform(
      (call): ProtocolEvent => ({
        type: 'toolCall',
        callId: call.toolCallId,
        isUpdate,
        fields: fieldsOf(call),
      }),
    ),
  );

/** Schemas of the updates that are translated, by the value of `sessionUpdate`. */
const UPDATES: Readonly<Record<string, v.GenericSchema<unknown, ProtocolEvent>>> = {
  user_message_chunk: chunkOf('user', 'text'),
  agent_message_chunk: chunkOf('agent', 'text'),
  agent_thought_chunk: chunkOf('agent', 'thought'),
  tool_call: toolCall(false),
  tool_call_update: toolCall(true),
  plan: v.pipe(
    v.object({
      entries: v.array(
        v.object({ content: v.string(), priority: v.optional(v.string(), 'medium'), status: v.string() }),
      ),
    }),
    v.transform(({ entries }): ProtocolEvent => ({ type: 'plan', entries })),
  ),
  available_commands_update: v.pipe(
    v.object({
      availableCommands: offers(
        v.object({
          name: chosenId,
          description: label,
          input: v.optional(v.nullable(v.object({ hint: label }))),
        }),
      ),
    }),
    v.transform(
      ({ availableCommands }): ProtocolEvent => ({
        type: 'commands',
        commands: availableCommands.map(({ input, ...command }) => ({ ...command, hint: input?.hint ?? null })),
      }),
    ),
  ),
  current_mode_update: v.pipe(
    v.object({ currentModeId: v.string() }),
    v.transform(({ currentModeId }): ProtocolEvent => ({ type: 'mode', modeId: currentModeId })),
  ),
  config_option_update: v.pipe(
    v.object({ configOptions: offers(Option) }),
    v.transform(({ configOptions }): ProtocolEvent => ({ type: 'options', options: configOptions.map(optionOf) })),
  ),
  usage_update: v.pipe(
    v.object({
      used: v.number(),
      size: v.number(),
      cost: v.optional(v.nullable(v.object({ amount: v.number(), currency: v.string() }))),
    }),
    v.transform(
      ({ used, size, cost }): ProtocolEvent => ({
        type: 'usage',
        used,
        size,
        costUsd: cost?.currency === 'USD' ? cost.amount : null,
      }),
    ),
  ),
  session_info_update: v.pipe(
    v.object({ title: text, _meta: v.optional(v.nullable(v.record(v.string(), v.unknown())), null) }),
    v.transform(({ title, _meta: extra }): ProtocolEvent => ({ type: 'info', title, extra })),
  ),
};

const Update = v.object({ sessionId: v.string(), update: v.looseObject({ sessionUpdate: v.string() }) });

const Complete = v.object({ elicitationId: v.string() });
const PERMISSION = 'session/request_permission';
const Permission = v.object({
  sessionId: v.string(),
  toolCall: ToolCall,
  // Nobody can answer a request without options, so it is refused like any other invalid request.
  options: v.pipe(
    v.array(v.object({ optionId: v.string(), name: v.string(), kind: PermissionEffect })),
    v.minLength(1),
  ),
});

/**
 * Translates one line of an agent's output. `nativeId` is the agent's own id of the open conversation, or null if it is
 * not known yet. If it is known, an update for any other conversation is returned as a `fault`.
 */
export function readLine(line: string, nativeId: string | null): ProtocolEvent {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { type: 'fault', what: `not JSON: ${line.slice(0, 100)}` };
  }
  const parsed = v.safeParse(Envelope, json);
  if (!parsed.success) return { type: 'fault', what: 'not a JSON-RPC 2.0 message' };
  const { id, method, params, result, error } = parsed.output;
  if (method === undefined)
    return id === undefined
      ? { type: 'fault', what: 'a message that is neither a request nor a response' }
      : answered(id, result, error);
  if (id === undefined) return notified(method, params, nativeId);
  if (id === null) return { type: 'fault', what: `request ${method} with the id null` };
  if (method === 'elicitation/create') return elicitationOf(id, params, nativeId);
  return method === PERMISSION
    ? permissionOf(id, params, nativeId)
    : { type: 'request', requestId: id, method, params };
}

function answered(
  id: RequestId | null,
  result: unknown,
  error: { code: number; message: string; data?: unknown } | undefined,
): ProtocolEvent {
  if (typeof id !== 'string') return { type: 'fault', what: `a response to request ${id}, which was never sent` };
  const inputId = inputOfPrompt(id);
  if (error !== undefined) {
    return { type: 'refused', requestId: id, inputId, code: error.code, message: messageOf(error) };
  }
  // The agent sends no second response to this request, so an invalid response is handled like an error response.
  const refused = (what: string): ProtocolEvent => {
    return {
      type: 'refused',
      requestId: id,
      inputId,
      code: ERROR_CODES.internal,
      message: `the agent's response is invalid: ${what}`,
    };
  };
  if (inputId !== null) return checked(Prompted, result, refused, (answer) => promptEnded(inputId, answer));
  if (id === REQUESTS.initialize) {
    return checked(Initialized, result, refused, (answer) => {
      if (answer.protocolVersion === PROTOCOL_VERSION) return initializedOf(answer);
      return refused(
        `the agent uses protocol version ${answer.protocolVersion}, but only ${PROTOCOL_VERSION} is supported`,
      );
    });
  }
  if (isOpening(id)) return checked(Opened, result ?? {}, refused, openedOf);
  const options = v.safeParse(v.object({ configOptions: offers(Option) }), result);
  return {
    type: 'answered',
    requestId: id,
    options: options.success ? options.output.configOptions.map(optionOf) : null,
  };
}

/**
 * Returns the message of an error. For an unexpected error, some agents send only "Internal error" as the message, and
 * the reason in `data.details`.
 */
function messageOf({ message, data }: { message: string; data?: unknown }): string {
  const details = v.safeParse(v.object({ details: v.string() }), data);
  return details.success && !message.includes(details.output.details)
    ? `${message}: ${details.output.details}`
    : message;
}

function promptEnded(inputId: string, { stopReason, usage }: v.InferOutput<typeof Prompted>): ProtocolEvent {
  const { inputTokens = 0, outputTokens = 0, cachedReadTokens } = usage ?? {};
  const tokens = usage === null ? null : { inputTokens, outputTokens, cacheReadTokens: cachedReadTokens ?? 0 };
  return { type: 'promptEnded', inputId, reason: stopReason, usage: tokens };
}

function notified(method: string, params: unknown, nativeId: string | null): ProtocolEvent {
  if (method === 'elicitation/complete') {
    const fault = (what: string): ProtocolEvent => ({ type: 'fault', what });
    return checked(Complete, params, fault, ({ elicitationId }) => ({ type: 'linkDone', linkId: elicitationId }));
  }
  if (method !== 'session/update') return { type: 'unknown', what: method };
  const fault = (what: string): ProtocolEvent => ({ type: 'fault', what });
  return checked(Update, params, fault, ({ sessionId, update }) => {
    if (nativeId !== null && sessionId !== nativeId) {
      return fault(`an update of conversation ${sessionId}, but the open conversation is ${nativeId}`);
    }
    const schema = UPDATES[update.sessionUpdate];
    if (schema === undefined) return { type: 'unknown', what: update.sessionUpdate };
    return checked(schema, update, fault, (event) => event);
  });
}

/**
 * Translates a permission request. A request that cannot be displayed becomes an event of type `request`, which the
 * console answers with an error.
 */
function permissionOf(requestId: RequestId, params: unknown, nativeId: string | null): ProtocolEvent {
  const invalid = (): ProtocolEvent => ({ type: 'request', requestId, method: PERMISSION, params });
  return checked(Permission, params, invalid, ({ sessionId, toolCall: call, options }) => {
    if (nativeId !== null && sessionId !== nativeId) return invalid();
    return {
      type: 'permission',
      requestId,
      callId: call.toolCallId,
      fields: fieldsOf(call),
      options: options.map(({ optionId, name, kind }) => ({ id: optionId, label: name, effect: kind })),
    };
  });
}

function checked<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  invalid: (what: string) => ProtocolEvent,
  then: (output: T) => ProtocolEvent,
): ProtocolEvent {
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return then(output);
  const [issue] = issues;
  return invalid(`${v.getDotPath(issue) ?? 'message'}: ${issue.message}`);
}

function fieldsOf(call: v.InferOutput<typeof ToolCall>): ToolCallFields {
  const { title, kind, status, content, locations, rawInput, rawOutput, _meta } = call;
  const printed = printedOf(_meta);
  return {
    ...(title == null ? {} : { title }),
    ...(kind == null ? {} : { kind }),
    ...(status == null ? {} : { status }),
    ...(content == null ? {} : { content: content as MessagePart[] }),
    ...(locations == null ? {} : { locations: locations.map(({ path, line = null }) => ({ path, line })) }),
    ...(rawInput === undefined ? {} : { input: rawInput }),
    ...(rawOutput === undefined ? {} : { output: rawOutput }),
    ...(printed === null ? {} : { printed }),
  };
}

function printedOf(meta: v.InferOutput<typeof CallMeta> | null): Exclude<ToolCallFields['printed'], undefined> | null {
  const output = meta?.terminal_output ?? meta?.terminal_output_delta;
  const exit = meta?.terminal_exit;
  const terminalId = output?.terminal_id ?? exit?.terminal_id;
  if (terminalId === undefined) return null;
  const ended = exit === undefined ? null : { exitCode: exit.exit_code, signal: exit.signal };
  return { terminalId, data: output?.data ?? '', exit: ended };
}
