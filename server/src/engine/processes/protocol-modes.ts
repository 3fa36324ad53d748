import { PermissionMode } from '@agent-console/shared/models/session';
import { exceeds } from '../../domain/permission-mode.ts';
import { modeChoice, type OptionChoice, openChoices, type ProtocolState } from '../../domain/protocol.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutSession } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import type { LineBatch } from './protocol-batch.ts';

/**
 * Returns the options to set in a newly opened conversation: the session's permission mode, and the option values
 * stored with the session. Adds a warning if the agent does not offer the mode.
 */
export async function chooseFrom(
  { tx, deps, worker, agent, warnings }: LineBatch,
  options: ProtocolState['options'],
): Promise<OptionChoice[]> {
  const names = worker.permissionMode === null ? [] : (agent.kind.protocolModes[worker.permissionMode] ?? []);
  const { optionValues = {} } = (await tx.sessions.get(worker.sessionId)) ?? {};
  const chosen = Object.entries(optionValues).map(([optionId, value]) => ({ optionId, value }));
  const mode = modeChoice(options, names);
  if (mode === null) warnings.push(...modeWarning(options, worker.permissionMode, names));
  const requested = mode === null || mode.optionId in optionValues ? chosen : [mode, ...chosen];
  return openChoices(options, requested).map((choice) => ({ ...choice, requestId: `option:${deps.newId()}` }));
}

/**
 * Returns a warning if the agent has no mode that corresponds to the permission mode. `names` are the names that the
 * agent may use for the permission mode. An agent that has no modes at all decides itself when to ask for permission.
 * It gets the warning only for `plan`, because an agent in plan mode should change nothing.
 */
function modeWarning(
  options: ProtocolState['options'],
  mode: PermissionMode | null,
  names: readonly string[],
): readonly string[] {
  const offered = options.find(({ category }) => category === 'mode')?.values.map(({ id }) => id) ?? [];
  if (mode === null || names.length === 0 || (offered.length === 0 && mode !== 'plan')) return [];
  const modes = offered.length === 0 ? '' : ` (${offered.join(', ')})`;
  return [
    `The agent has no mode${modes} that corresponds to ${mode}, so the agent itself decides when to ask for permission.`,
  ];
}

/**
 * Stores the permission mode that the agent has chosen by itself, e.g. after a plan was accepted. Does not store a mode
 * above the session's ceiling, but returns the choice that restores the previous mode. Returns null if no mode must or
 * can be restored.
 */
export async function followMode(
  tx: Transaction,
  deps: ChangeDeps,
  { id: workerId, sessionId, permissionMode }: WorkerRow,
  { phase, options, choices }: ProtocolState,
  names: AgentKind['protocolModes'],
): Promise<{ choice: OptionChoice; why: string } | null> {
  const option = options.find(({ category }) => category === 'mode');
  const session = await tx.sessions.get(sessionId);
  const isChanging = choices.some(({ optionId }) => optionId === option?.id);
  if (phase !== 'ready' || option === undefined || isChanging || permissionMode === null || session === undefined) {
    return null;
  }
  const chosen = PermissionMode.options.find((mode) => names[mode]?.includes(option.current));
  if (chosen === undefined || chosen === permissionMode || names[permissionMode]?.includes(option.current)) return null;
  if (exceeds(chosen, session.permissionCeiling)) {
    const previous = modeChoice(options, names[permissionMode] ?? []);
    if (previous === null) return null;
    const why = `The agent chose the permission mode ${chosen}, which is above the ceiling ${session.permissionCeiling} of its session, so the mode was set back to ${permissionMode}.`;
    return { choice: { ...previous, requestId: `option:${deps.newId()}` }, why };
  }
  const { permissionMode: mode, requestedMode: requested, permissionCeiling: ceiling } = session;
  await tx.workers.update(workerId, { permissionMode: chosen });
  await tx.sessions.update(sessionId, { permissionMode: chosen, requestedMode: chosen });
  const after = { mode: chosen, requested: chosen, ceiling };
  const permission = { before: { mode, requested, ceiling }, after };
  await tx.record({ type: 'session.updated', ...aboutSession(sessionId), data: { permission } });
  return null;
}
