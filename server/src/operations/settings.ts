import { fieldError } from '@agent-console/shared/errors';
import type { Settings } from '@agent-console/shared/models/settings';
import { authorOf } from '../engine/changes/author.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

function getSettings({ settings }: OperationContext): Implementation<'settings.get'> {
  return () => settings.current();
}

/** Replaces an alias in `defaultAgentId` with the agent's id. @throws VALIDATION if no such agent is defined. */
async function withResolvedAgent({ catalogue }: OperationContext, changes: Partial<Settings>) {
  const { defaultAgentId } = changes;
  if (defaultAgentId === undefined) return changes;
  const definition = await catalogue.find(defaultAgentId);
  if (definition !== undefined) return { ...changes, defaultAgentId: definition.id };
  const agents = (await catalogue.all()).map(({ id }) => id);
  throw fieldError('defaultAgentId', `no agent "${defaultAgentId}" is defined; choose one of ${agents.join(', ')}`, {
    agents,
  });
}

function updateSettings(context: OperationContext): Implementation<'settings.update'> {
  const { storage, settings } = context;
  return async (fields, call) => {
    await storage.write(authorOf(call), async (tx) => {
      // The id is resolved inside the transaction, so that the agent cannot be removed before the change is stored.
      const changes = await withResolvedAgent(context, omitUndefined(fields));
      for (const [key, value] of Object.entries(changes)) await tx.settings.set(key, value as string | number);
      await tx.record({ type: 'settings.updated', subject: { kind: 'settings', id: 'settings' }, data: changes });
    });
    return settings.current();
  };
}

export function settingsOperations(context: OperationContext) {
  return {
    'settings.get': getSettings(context),
    'settings.update': updateSettings(context),
  } satisfies Partial<Implementations>;
}
