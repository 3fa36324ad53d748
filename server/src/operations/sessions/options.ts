import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { AgentOption, AgentOptions } from '@agent-console/shared/models/agent-option';
import { PermissionMode } from '@agent-console/shared/models/session';
import { PERMISSION_MODES } from '@agent-console/shared/permission-modes';
import { connectionOf, NEW_CONNECTION, type ProtocolState, withValue } from '../../domain/protocol.ts';
import { authorOf } from '../../engine/changes/author.ts';
import { aboutSession } from '../../engine/changes/subjects.ts';
import { chosenOptions, connectedAgent, requestChoice, sendChoices } from '../../engine/protocol/options.ts';
import { sessionRow } from '../../engine/rows.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';
import { changePermission } from './update.ts';

/**
 * Id of the option that selects the permission mode of an agent in a terminal. Also the category of the options that
 * select the mode of other agents.
 */
const MODE = 'mode';

/**
 * Returns the last known state of the session's connection to its agent, with the option values that were chosen for
 * the session.
 */
async function connectionState(
  read: Pick<Readers, 'workers'>,
  { id: sessionId, optionValues }: SessionRow,
): Promise<ProtocolState> {
  const workers = await read.workers.find({ sessionId, type: 'agent' }, { order: ['-id'] });
  const worker = workers.find(({ protocol }) => protocol !== null && protocol.options.length > 0);
  if (worker === undefined) return NEW_CONNECTION;
  const state = connectionOf(worker);
  const options = Object.entries(optionValues).reduce(
    (changed, [optionId, value]) => withValue(changed, optionId, value),
    chosenOptions(state),
  );
  return { ...state, options };
}

/**
 * Returns the only option of an agent in a terminal, the permission mode. Its values are the current mode and every
 * mode that the agent supports. A mode that the agent does not support is left out, because the agent would run in
 * another mode instead.
 */
async function permissionOption(
  { catalogue }: Pick<OperationContext, 'catalogue'>,
  { agentId, permissionMode, requestedMode }: SessionRow,
): Promise<AgentOption> {
  const values: AgentOption['values'] = [];
  for (const mode of PermissionMode.options) {
    const isOwn = mode === permissionMode || (await catalogue.effectiveMode(agentId, mode)) === mode;
    if (isOwn) values.push({ id: mode, ...PERMISSION_MODES[mode] });
  }
  const current = values.some(({ id }) => id === requestedMode) ? (requestedMode ?? permissionMode) : permissionMode;
  return { id: MODE, name: 'Permission mode', category: MODE, current, values };
}

async function optionsOf(context: OperationContext, session: SessionRow): Promise<AgentOptions> {
  if ((await context.catalogue.driverOf(session.agentId)) === 'pty') {
    return { options: [await permissionOption(context, session)], commands: [], usage: null };
  }
  const { options, commands, usage } = await connectionState(context.storage.read, session);
  const shown = options.map(({ request: _, ...option }) => ({ ...option, values: [...option.values] }));
  return { options: shown, commands: [...commands], usage };
}

function getOptions(context: OperationContext): Implementation<'sessions.options'> {
  return async ({ sessionId }) => optionsOf(context, await sessionRow(context.storage.read.sessions, sessionId));
}

function setOption(context: OperationContext): Implementation<'sessions.setOption'> {
  const { storage, catalogue } = context;
  return async ({ sessionId, optionId, value }, call) => {
    const before = await sessionRow(storage.read.sessions, sessionId);
    const { options } = await optionsOf(context, before);
    const option = optionNamed(options, optionId, value);
    const kind = await catalogue.kindOf(before.agentId);
    const mode = option.category === MODE ? modeNamed(kind, value) : undefined;
    const person = call.caller.kind === 'user';
    if (option.category === MODE && mode === undefined && !person) {
      throw new ConsoleError(
        'PERMISSION_DENIED',
        `Only people can choose the mode ${value}, because it is not one of the console's permission modes. Ask the person you work for.`,
        { optionId, value },
      );
    }
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const permission =
        mode === undefined
          ? {}
          : await changePermission(tx, context, session, { mode, ceiling: undefined }, { person });
      const { [optionId]: _, ...others } = session.optionValues;
      await tx.sessions.update(sessionId, {
        optionValues: mode === undefined ? { ...others, [optionId]: value } : others,
        updatedAt: context.now().toISOString(),
      });
      const agent = mode === undefined ? await connectedAgent(tx, sessionId) : undefined;
      if (agent !== undefined) await requestChoice(tx, context, agent, { optionId, value });
      if (mode !== undefined)
        await tx.record({ type: 'session.updated', ...aboutSession(sessionId), data: permission });
      await tx.record({ type: 'session.options_changed', ...aboutSession(sessionId), data: { optionId, value } });
    });
    await sendChoices(context);
    return optionsOf(context, await sessionRow(storage.read.sessions, sessionId));
  };
}

/** Returns the option with this id. @throws VALIDATION if the option does not exist or does not accept the value. */
function optionNamed(options: readonly AgentOption[], optionId: string, value: string): AgentOption {
  const option = options.find(({ id }) => id === optionId);
  if (option === undefined) {
    const known = options.map(({ id }) => id).join(', ');
    const why = known === '' ? 'the agent has not reported any option; start it with a prompt first' : `use ${known}`;
    throw fieldError('optionId', `this session has no option ${optionId}; ${why}`);
  }
  if (!option.values.some(({ id }) => id === value)) {
    throw fieldError('value', `${optionId} accepts ${option.values.map(({ id }) => id).join(', ')}`);
  }
  return option;
}

/** Returns the permission mode for which the agent uses the name `name`, or undefined if the agent has no such mode. */
function modeNamed({ driver, protocolModes }: AgentKind, name: string): PermissionMode | undefined {
  if (driver === 'pty') return PermissionMode.options.find((mode) => mode === name);
  return PermissionMode.options.find((mode) => protocolModes[mode]?.includes(name));
}

export function sessionOptions(context: OperationContext) {
  return {
    'sessions.options': getOptions(context),
    'sessions.setOption': setOption(context),
  } satisfies Partial<Implementations>;
}
