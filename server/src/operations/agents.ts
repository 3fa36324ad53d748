import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import type { InputOf } from '@agent-console/shared/operations/table';
import { see } from '@agent-console/shared/see';
import { LIVE_STATES } from '../domain/states.ts';
import { forgetFeatures } from '../engine/agents/features.ts';
import { authorOf } from '../engine/changes/author.ts';
import type { AgentRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';
import { readRegistryEntry } from './registry-entry.ts';

/** @throws UNSUPPORTED for a built-in definition, which is code and cannot be changed; NOT_FOUND for an unknown id. */
async function customOnly({ catalogue }: OperationContext, id: string): Promise<void> {
  const definition = await catalogue.get(id);
  if (definition.builtIn) {
    throw new ConsoleError(
      'UNSUPPORTED',
      `Agent ${id} is built in and cannot be changed. Create a custom agent with a different id.`,
      {
        agentId: id,
      },
    );
  }
}

/** @throws NOT_FOUND if another call has removed the custom definition or changed its id. */
async function requireCustom(tx: Pick<Transaction, 'agents'>, id: string): Promise<void> {
  if ((await tx.agents.get(id)) === undefined) throw notFound('Agent', id);
}

/**
 * Must be called in the transaction that stores the id, because another call may choose the same id.
 * @throws CONFLICT if a definition already has this id or alias.
 */
async function refuseTakenId(
  { catalogue }: OperationContext,
  tx: Pick<Transaction, 'agents'>,
  id: string,
): Promise<void> {
  const alias = catalogue.aliasOf(id);
  if (alias !== undefined) {
    throw new ConsoleError('CONFLICT', `The id ${id} is an alias of agent ${alias}. Choose another id.`, {
      agentId: id,
    });
  }
  if ((await tx.agents.get(id)) !== undefined || (await catalogue.find(id))?.builtIn === true) {
    const update = see('agents.update', { id });
    throw new ConsoleError(
      'CONFLICT',
      `Agent ${id} is already defined. Change it with ${update.rest}, or choose another id.`,
      { agentId: id, see: update },
    );
  }
}

/** Whether the settings name this agent as the default for sessions. */
async function isDefault(tx: Pick<Transaction, 'settings'>, id: string): Promise<boolean> {
  return (await tx.settings.all()).defaultAgentId === id;
}

/** @throws CONFLICT while a worker of this agent is live. */
async function refuseLiveWorkers(tx: Pick<Transaction, 'workers'>, id: string): Promise<void> {
  const live = await tx.workers.first({ agentId: id, state: LIVE_STATES });
  if (live === undefined) return;
  throw new ConsoleError('CONFLICT', `Session ${live.sessionId} runs agent ${id}. Stop the session first.`, {
    sessionId: live.sessionId,
  });
}

function listAgents({ catalogue }: OperationContext): Implementation<'agents.list'> {
  return async (page) => slicePage(await Promise.all((await catalogue.all()).map(catalogue.present)), page);
}

function getAgent({ catalogue }: OperationContext): Implementation<'agents.get'> {
  return async ({ id }) => catalogue.present(await catalogue.get(id));
}

/**
 * Returns the definition to create, from the fields of the input and its registry entry, if any. The fields take
 * precedence over the entry.
 */
async function definitionOf(
  { catalogue }: OperationContext,
  { registryEntry, driver, ...fields }: Omit<InputOf<'agents.create'>, 'env' | 'queueWhenUnknown'>,
): Promise<Pick<AgentRow, 'id' | 'name' | 'kind' | 'command'>> {
  if (registryEntry === undefined) {
    const { id = '', name = '', command = [] } = fields;
    return { id, name, command, kind: driver === 'acp' ? 'acp' : fields.kind };
  }
  const { needsProgram, ...entry } = readRegistryEntry(registryEntry);
  const { id = entry.id, name = entry.name, command = entry.command } = fields;
  if (needsProgram && fields.command === undefined && !(await catalogue.runs(entry.command))) {
    throw fieldError(
      'registryEntry',
      `the console does not download programs. Install ${JSON.stringify(entry.command[0])} so that it is on PATH, then add the entry again.`,
    );
  }
  return { id, name, command, kind: entry.kind };
}

function createAgent(context: OperationContext): Implementation<'agents.create'> {
  const { storage, catalogue, now } = context;
  return async ({ env, queueWhenUnknown, ...input }, call) => {
    const { id, name, kind, command } = await definitionOf(context, input);
    await storage.write(authorOf(call), async (tx) => {
      await refuseTakenId(context, tx, id);
      await tx.agents.insert({ id, name, kind, command, env, queueWhenUnknown, createdAt: now().toISOString() });
      await forgetFeatures(tx, id);
      await tx.record({ type: 'agent.created', subject: { kind: 'agent', id } });
      await tx.remember({ id });
    });
    return catalogue.present(await catalogue.get(id));
  };
}

export function replayAgent({ catalogue }: OperationContext) {
  return async (remembered: Record<string, unknown>) => catalogue.present(await catalogue.get(String(remembered.id)));
}

function updateAgent(context: OperationContext): Implementation<'agents.update'> {
  const { storage, catalogue } = context;
  return async ({ id, newId = id, ...fields }, call) => {
    await customOnly(context, id);
    await storage.write(authorOf(call), async (tx) => {
      await requireCustom(tx, id);
      if (newId !== id) await refuseTakenId(context, tx, newId);
      await tx.agents.update(id, { ...omitUndefined(fields), id: newId });
      await forgetFeatures(tx, newId);
      if (newId !== id) {
        await refuseLiveWorkers(tx, id);
        await renameInSessions(tx, id, newId);
        if (await isDefault(tx, id)) await tx.settings.set('defaultAgentId', newId);
      }
      await tx.record({ type: 'agent.updated', subject: { kind: 'agent', id: newId } });
    });
    return catalogue.present(await catalogue.get(newId));
  };
}

/** Replaces an agent's id in its sessions and workers. */
async function renameInSessions(tx: Transaction, id: string, newId: string): Promise<void> {
  for (const worker of await tx.workers.find({ agentId: id })) await tx.workers.update(worker.id, { agentId: newId });
  for (const { id: sessionId } of await tx.sessions.find({ agentId: id })) {
    await tx.sessions.update(sessionId, { agentId: newId });
    const subject = { kind: 'session', id: sessionId } as const;
    await tx.record({ type: 'session.updated', subject, sessionId, data: { agentId: newId } });
  }
}

function removeAgent(context: OperationContext): Implementation<'agents.remove'> {
  const { storage, catalogue } = context;
  return async ({ id }, call) => {
    await customOnly(context, id);
    const shown = await catalogue.present(await catalogue.get(id));
    await storage.write(authorOf(call), async (tx) => {
      await requireCustom(tx, id);
      await refuseLiveWorkers(tx, id);
      if (await isDefault(tx, id)) {
        throw new ConsoleError(
          'CONFLICT',
          `Agent ${id} is the default agent. Choose another default agent in the settings first.`,
          { agentId: id, see: see('settings.update') },
        );
      }
      await tx.agents.remove({ id });
      await tx.record({ type: 'agent.removed', subject: { kind: 'agent', id } });
    });
    return shown;
  };
}

function checkAgent({ checks }: OperationContext): Implementation<'agents.check'> {
  return ({ id, deep }, call) => checks.run(id, deep, call);
}

export function agentOperations(context: OperationContext) {
  return {
    'agents.list': listAgents(context),
    'agents.create': createAgent(context),
    'agents.get': getAgent(context),
    'agents.update': updateAgent(context),
    'agents.remove': removeAgent(context),
    'agents.check': checkAgent(context),
  } satisfies Partial<Implementations>;
}
