import type { PermissionMode } from '@agent-console/shared/models/session';
import { connectionOf, modeChoice, type ProtocolState, withValue } from '../../domain/protocol.ts';
import { LIVE_WORKER } from '../../domain/states.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import type { EngineContext } from '../context.ts';

/** Returns the running agent of a session, if it has opened its conversation over a protocol. */
export async function connectedAgent(
  read: Pick<Readers, 'workers'>,
  sessionId: string,
): Promise<{ worker: WorkerRow; state: ProtocolState } | undefined> {
  const worker = await read.workers.first({ ...LIVE_WORKER, sessionId, type: 'agent' });
  if (worker?.protocol == null) return undefined;
  const state = connectionOf(worker);
  return state.phase === 'ready' || state.phase === 'choosing' ? { worker, state } : undefined;
}

/**
 * Stores the request to change an option of the running agent. The agent's watcher sends the request after the commit.
 * Earlier requests for the same option are sent before it, so the newest value applies.
 */
export async function requestChoice(
  tx: Transaction,
  { newId }: { newId: () => string },
  { worker, state }: { worker: WorkerRow; state: ProtocolState },
  choice: { optionId: string; value: string },
): Promise<void> {
  const choices = [...state.choices, { ...choice, requestId: `option:${newId()}` }];
  await tx.workers.update(worker.id, { protocol: { ...state, choices } });
}

/**
 * Requests another permission mode from the running agent. The agent must offer the mode, and the console must know the
 * agent's names for the current and the requested mode. Any other agent gets the new mode at its next start.
 */
export async function requestMode(
  tx: Transaction,
  deps: { newId: () => string },
  kind: Pick<AgentKind, 'protocolModes'>,
  sessionId: string,
  mode: PermissionMode,
): Promise<void> {
  const agent = await connectedAgent(tx, sessionId);
  const before = agent?.worker.permissionMode;
  if (agent === undefined || before == null || before === mode || kind.protocolModes[before] === undefined) return;
  const choice = modeChoice(agent.state.options, kind.protocolModes[mode] ?? []);
  if (choice === null) return;
  await requestChoice(tx, deps, agent, choice);
  await tx.workers.update(agent.worker.id, { permissionMode: mode });
}

/** Sends the requested option values to all running agents. Called after the commit. */
export async function sendChoices({ storage, watcher }: Pick<EngineContext, 'storage' | 'watcher'>): Promise<void> {
  for (const worker of await storage.read.workers.find({ ...LIVE_WORKER, type: 'agent' })) {
    if (worker.protocol !== null && connectionOf(worker).choices.length > 0) watcher.proceed(worker.id);
  }
}

/** Returns the options as they will be once the agent has confirmed the requested values. */
export function chosenOptions({ options, choices }: ProtocolState): ProtocolState['options'] {
  return choices.reduce((changed, { optionId, value }) => withValue(changed, optionId, value), options);
}
