import { firstChars } from '@agent-console/shared/cut';
import { ACP_ID_MAX_CHARS, ACP_LABEL_MAX_CHARS, ACP_OFFERS_MAX } from '@agent-console/shared/limits/acp';
import * as v from 'valibot';
import type { ConfigOption, LoginMethod, ProtocolEvent } from '../domain/protocol.ts';

/**
 * This module translates an agent's capabilities, ways to log in, modes and options. All of these are stored with the
 * state of the connection, so their size is limited.
 */

/**
 * Schema of an id that the agent chooses. The length of the id is limited, because the id is stored and becomes part of
 * other ids.
 */
export const chosenId = v.pipe(v.string(), v.maxLength(ACP_ID_MAX_CHARS));
/** Schema of the name or description of a mode, option or other item that an agent offers. */
export const label = v.pipe(
  v.string(),
  v.transform((text) => firstChars(text, ACP_LABEL_MAX_CHARS)),
);
export const text = v.optional(v.nullable(label), null);
/**
 * Schema of a list of modes, options or other items that an agent offers. The length of the list is limited, because
 * the list is stored with the state of the connection.
 */
export const offers = <S extends v.GenericSchema>(each: S) =>
  v.pipe(
    v.array(each),
    v.transform((list) => list.slice(0, ACP_OFFERS_MAX)),
  );
const flag = v.optional(v.boolean(), false);
const Offered = v.optional(v.nullable(v.record(v.string(), v.unknown())));
const untruncated = v.optional(v.nullable(v.string()), null);
const variables = v.optional(v.nullable(v.record(v.string(), v.string())), null);
const args = v.optional(v.nullable(v.array(v.string())), null);
const AuthMethod = v.object({
  id: chosenId,
  name: label,
  description: text,
  type: untruncated,
  args,
  env: variables,
  // Agents without support for log-in methods of type `terminal` describe the log-in command in this field.
  _meta: v.optional(
    v.nullable(v.object({ 'terminal-auth': v.optional(v.object({ command: untruncated, args, env: variables })) })),
  ),
});
export const Initialized = v.object({
  protocolVersion: v.number(),
  agentCapabilities: v.optional(
    v.object({
      loadSession: flag,
      promptCapabilities: v.optional(v.object({ image: flag, embeddedContext: flag }), {}),
      mcpCapabilities: v.optional(v.object({ http: flag, sse: flag }), {}),
      sessionCapabilities: v.optional(
        v.object({
          resume: Offered,
          fork: Offered,
          close: Offered,
          systemPrompt: Offered,
          additionalDirectories: Offered,
        }),
        {},
      ),
    }),
    {},
  ),
  authMethods: v.optional(offers(AuthMethod), []),
});

const Choice = v.object({ value: chosenId, name: label, description: text });
export const Option = v.object({
  id: chosenId,
  name: label,
  category: text,
  type: v.string(),
  currentValue: v.union([chosenId, v.boolean()]),
  options: v.optional(offers(v.union([Choice, v.object({ name: v.string(), options: offers(Choice) })])), []),
});
const Mode = v.object({ id: chosenId, name: label, description: text });
export const Opened = v.object({
  sessionId: v.optional(v.nullable(chosenId), null),
  modes: v.optional(v.nullable(v.object({ currentModeId: v.string(), availableModes: offers(Mode) }))),
  configOptions: v.optional(v.nullable(offers(Option))),
});

export function initializedOf({ agentCapabilities, authMethods }: v.InferOutput<typeof Initialized>): ProtocolEvent {
  const { loadSession, promptCapabilities, mcpCapabilities, sessionCapabilities } = agentCapabilities;
  return {
    type: 'initialized',
    capabilities: {
      loadSession,
      resumeSession: sessionCapabilities.resume != null,
      forkSession: sessionCapabilities.fork != null,
      closeSession: sessionCapabilities.close != null,
      ...promptCapabilities,
      mcpHttp: mcpCapabilities.http,
      mcpSse: mcpCapabilities.sse,
      systemPrompt: sessionCapabilities.systemPrompt != null,
      additionalDirectories: sessionCapabilities.additionalDirectories != null,
    },
    logins: authMethods.map(loginOf),
  };
}

function loginOf({ id, name, description, type, args, env, _meta }: v.InferOutput<typeof AuthMethod>): LoginMethod {
  const older = _meta?.['terminal-auth'];
  const terminal =
    type === 'terminal'
      ? { command: null, args: args ?? [], env: env ?? {} }
      : older === undefined
        ? null
        : { command: older.command, args: older.args ?? [], env: older.env ?? {} };
  return { id, name, description, terminal };
}

/**
 * Translates the response that opens a conversation. Modes are ignored if there are options, because an agent that
 * offers both repeats its modes among the options.
 */
export function openedOf({ sessionId, modes, configOptions }: v.InferOutput<typeof Opened>): ProtocolEvent {
  const options = configOptions?.map(optionOf) ?? (modes == null ? [] : [modeOption(modes)]);
  return { type: 'opened', nativeId: sessionId, options };
}

function modeOption({
  currentModeId,
  availableModes,
}: {
  currentModeId: string;
  availableModes: readonly v.InferOutput<typeof Mode>[];
}): ConfigOption {
  return {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    current: currentModeId,
    request: 'mode',
    values: availableModes,
  };
}

const SWITCH = [
  { id: 'true', name: 'On', description: null },
  { id: 'false', name: 'Off', description: null },
];

export function optionOf({ id, name, category, currentValue, options }: v.InferOutput<typeof Option>): ConfigOption {
  if (typeof currentValue === 'boolean') {
    return { id, name, category, current: String(currentValue), request: 'flag', values: SWITCH };
  }
  const values = options.flatMap((choice) => ('options' in choice ? choice.options : [choice]));
  return {
    id,
    name,
    category,
    current: currentValue,
    request: 'option',
    values: values.map(({ value, ...shown }) => ({ id: value, ...shown })),
  };
}
