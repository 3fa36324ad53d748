import { ConsoleError } from '@agent-console/shared/errors';
import type { Settings } from '@agent-console/shared/models/settings';
import { authorOf } from '../engine/author.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

function getSettings({ settings }: OperationContext): Implementation<'settings.get'> {
  return () => settings.current();
}

/** The changes with the agent's own id in place of another name for it; VALIDATION where no such agent is defined. */
async function withDefinedAgent({ catalogue }: OperationContext, changes: Partial<Settings>) {
  const { defaultAgentId } = changes;
  if (defaultAgentId === undefined) return changes;
  const definition = await catalogue.find(defaultAgentId);
  if (definition !== undefined) return { ...changes, defaultAgentId: definition.id };
  const agents = (await catalogue.all()).map(({ id }) => id);
  throw new ConsoleError(
    'VALIDATION',
    `defaultAgentId: no agent "${defaultAgentId}" is defined; defined are ${agents.join(', ')}`,
    { field: 'defaultAgentId', agents },
  );
}

function updateSettings(context: OperationContext): Implementation<'settings.update'> {
  const { storage, settings } = context;
  return async (fields, call) => {
    await storage.write(authorOf(call), async (tx) => {
      // Inside the transaction, so that the agent is not removed in between.
      const changes = await withDefinedAgent(context, omitUndefined(fields));
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
