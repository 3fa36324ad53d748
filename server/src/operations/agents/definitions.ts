import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { slicePage } from '../paging.ts';

type Needs = Pick<OperationContext, 'storage' | 'catalogue' | 'now'>;

/** Custom definitions are rows; those that come with the product are code and cannot be changed. */
async function customOnly({ catalogue }: Needs, id: string): Promise<void> {
  const definition = await catalogue.get(id);
  if (definition.builtIn) {
    throw new ConsoleError('UNSUPPORTED', `${id} is built in. Define an agent of your own with another id.`, {
      agentId: id,
    });
  }
}

/** CONFLICT when a definition already has this id, or it is another name for one. */
async function refuseTakenId({ catalogue }: Pick<Needs, 'catalogue'>, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const alias = catalogue.aliasOf(id);
  if (alias !== undefined) {
    throw new ConsoleError('CONFLICT', `${id} is another name for ${alias}. Choose another id.`, { agentId: id });
  }
  if ((await catalogue.find(id)) !== undefined) {
    throw new ConsoleError(
      'CONFLICT',
      `Agent ${id} is defined already. Change it with PATCH /api/agents/${id}, or choose another id.`,
      { agentId: id },
    );
  }
}

/** Whether the settings name it as the agent of sessions for which none is named. */
async function isDefault(tx: Pick<Transaction, 'settings'>, id: string): Promise<boolean> {
  return (await tx.settings.all()).defaultAgentId === id;
}

/** CONFLICT while a process of this agent lives. */
async function refuseLiveWorkers(tx: Pick<Transaction, 'workers'>, id: string): Promise<void> {
  const live = await tx.workers.first({ agentId: id, state: ['starting', 'running'] });
  if (live === undefined) return;
  throw new ConsoleError('CONFLICT', `Session ${live.sessionId} runs agent ${id}. Stop it first.`, {
    sessionId: live.sessionId,
  });
}

export function listAgents({ catalogue }: Needs): Implementation<'agents.list'> {
  return async (page) => slicePage(await Promise.all((await catalogue.all()).map(catalogue.present)), page);
}

export function getAgent({ catalogue }: Needs): Implementation<'agents.get'> {
  return async ({ id }) => catalogue.present(await catalogue.get(id));
}

export function createAgent({ storage, catalogue, now }: Needs): Implementation<'agents.create'> {
  return async ({ id, name, kind, command, env, queueWhenUnknown }, call) => {
    await refuseTakenId({ catalogue }, id);
    await storage.write(authorOf(call), async (tx) => {
      await tx.agents.insert({ id, name, kind, command, env, queueWhenUnknown, createdAt: now().toISOString() });
      await tx.record({ type: 'agent.created', subject: { kind: 'agent', id } });
      await tx.remember({ id });
    });
    return catalogue.present(await catalogue.get(id));
  };
}

export function replayAgent({ catalogue }: Pick<OperationContext, 'catalogue'>) {
  return async (remembered: Record<string, unknown>) => catalogue.present(await catalogue.get(String(remembered.id)));
}

export function updateAgent(needs: Needs): Implementation<'agents.update'> {
  const { storage, catalogue } = needs;
  return async ({ id, newId = id, ...fields }, call) => {
    await customOnly(needs, id);
    await refuseTakenId(needs, newId === id ? undefined : newId);
    await storage.write(authorOf(call), async (tx) => {
      await tx.agents.update(id, { ...omitUndefined(fields), id: newId });
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

/** Gives the sessions and workers of an agent its new id. */
async function renameInSessions(tx: Transaction, id: string, newId: string): Promise<void> {
  for (const worker of await tx.workers.find({ agentId: id })) await tx.workers.update(worker.id, { agentId: newId });
  for (const { id: sessionId } of await tx.sessions.find({ agentId: id })) {
    await tx.sessions.update(sessionId, { agentId: newId });
    await tx.record({
      type: 'session.updated',
      subject: { kind: 'session', id: sessionId },
      sessionId,
      data: { agentId: newId },
    });
  }
}

export function removeAgent(needs: Needs): Implementation<'agents.remove'> {
  const { storage, catalogue } = needs;
  return async ({ id }, call) => {
    await customOnly(needs, id);
    const shown = await catalogue.present(await catalogue.get(id));
    await storage.write(authorOf(call), async (tx) => {
      await refuseLiveWorkers(tx, id);
      if (await isDefault(tx, id)) {
        throw new ConsoleError(
          'CONFLICT',
          `Agent ${id} is the default agent. Set another one first: agent-console settings update --default-agent-id <id>.`,
          { agentId: id },
        );
      }
      await tx.agents.remove({ id });
      await tx.record({ type: 'agent.removed', subject: { kind: 'agent', id } });
    });
    return shown;
  };
}
