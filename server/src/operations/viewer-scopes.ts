import { VIEWER_SCOPES_MAX } from '@agent-console/shared/limits/access';
import { contractOf, type OperationName } from '@agent-console/shared/operations/table';
import { idsHiddenFrom, withoutHidden } from '../engine/access/hidden-sessions.ts';
import type { Readers } from '../ports/storage.ts';
import type { ViewerScope } from './gate.ts';
import type { Implementations, OperationContext, Replays } from './operation.ts';
import { createResolver } from './resolve.ts';
import type { Views } from './views.ts';

/** Returns `others`, with each operation that only reads replaced by its implementation in `reading`. */
function withReads(reading: Implementations, others: Implementations): Implementations {
  const reads = Object.entries(reading).filter(([name]) => contractOf(name as OperationName).effect === 'read');
  return { ...others, ...Object.fromEntries(reads) };
}

/**
 * Returns a function that returns the scope of a viewer. Operations that read get stores with only the data that their
 * caller may see, so that no operation needs its own visibility rule. Operations that change data use all stores,
 * because limits and safety checks must include hidden rows. The ids in their input are resolved in the caller's scope.
 * Ids of hidden sessions and orchestrations are removed from all results.
 */
export function createViewerScopes(
  context: OperationContext,
  readersOfUser: (userId: string) => Readers,
  implement: (context: OperationContext) => Implementations,
  replays: Replays,
): (viewer: string | undefined) => ViewerScope {
  const everything: ViewerScope = {
    resolver: createResolver(context.storage.read, context.now),
    implementations: implement(context),
    replays,
    shown: async (_, output) => output,
  };
  const ofUsers = new Map<string, ViewerScope>();

  function make(userId: string): ViewerScope {
    const read = readersOfUser(userId);
    const hidden = idsHiddenFrom(context.storage.read, userId);
    const views: Views = {
      ...context.views,
      async liveSessionIds() {
        const ids = await context.views.liveSessionIds();
        const hiddenIds = await hidden(ids, []);
        return ids.filter((id) => !hiddenIds.has(id));
      },
    };
    const reading = implement({ ...context, storage: { ...context.storage, read }, views });
    return {
      resolver: createResolver(read, context.now),
      implementations: withReads(reading, everything.implementations),
      replays,
      shown: (schema, output) => withoutHidden(schema, output, hidden),
    };
  }

  return (viewer) => {
    if (viewer === undefined) return everything;
    const scope = ofUsers.get(viewer) ?? make(viewer);
    ofUsers.delete(viewer);
    ofUsers.set(viewer, scope);
    const [oldest = viewer] = ofUsers.keys();
    if (ofUsers.size > VIEWER_SCOPES_MAX) ofUsers.delete(oldest);
    return scope;
  };
}
