import { ConsoleError } from '@agent-console/shared/errors';
import type { Noun } from '@agent-console/shared/operation';
import { mayRun } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { createResolver } from './resolve.ts';

/**
 * Rejects callers who may not read the names of tokens. Other names need no check here: the viewer scope already hides
 * other people's private sessions.
 */
function refuseUnreadable(noun: Noun, caller: Caller): void {
  if (noun !== 'token') return;
  const decision = mayRun(caller, { access: 'owner', effect: 'read', alsoFor: [] }, 'none');
  if (!decision.allowed) throw new ConsoleError(decision.code, decision.why, {});
}

function resolveName({ storage, now }: OperationContext): Implementation<'names.resolve'> {
  const resolver = createResolver(storage.read, now);
  return async ({ noun, query, exact }, { caller }) => {
    refuseUnreadable(noun, caller);
    return resolver.named(noun, query, { exact });
  };
}

function listNames({ storage, now }: OperationContext): Implementation<'names.list'> {
  const resolver = createResolver(storage.read, now);
  return async ({ noun, ...filter }, { caller }) => {
    refuseUnreadable(noun, caller);
    return { names: await resolver.names(noun, filter) };
  };
}

export function nameOperations(context: OperationContext) {
  return {
    'names.resolve': resolveName(context),
    'names.list': listNames(context),
  } satisfies Partial<Implementations>;
}
