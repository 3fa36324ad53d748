import { VIEWERS_KEPT_MAX } from '@agent-console/shared/limits/access';
import { contractOf, type OperationName } from '@agent-console/shared/operations/table';
import { type HiddenSessions, sessionsHiddenFrom, withoutHidden } from '../engine/hidden-sessions.ts';
import type { Readers, StoreReader } from '../ports/storage.ts';
import type { ViewerScope } from './gate.ts';
import type { Implementations, OperationContext, Replays } from './operation.ts';
import { createResolver } from './resolve.ts';
import type { Views } from './views.ts';

/** Sessions and tasks as shown to somebody who does not see every session: others are named only where seen too. */
function viewsThrough(views: Views, hidden: HiddenSessions): Views {
  const all = <T extends object>(things: readonly T[]) => withoutHidden(things, hidden);
  async function one<T extends object>(thing: T): Promise<T> {
    const [shown = thing] = await all([thing]);
    return shown;
  }
  return {
    session: async (id) => one(await views.session(id)),
    sessions: async (ids) => all(await views.sessions(ids)),
    async liveSessionIds() {
      const ids = await views.liveSessionIds();
      const hiddenIds = await hidden(ids);
      return ids.filter((id) => !hiddenIds.has(id));
    },
    tasksOf: async (sessionId) => all(await views.tasksOf(sessionId)),
    task: async (row) => one(await views.task(row)),
  };
}

/** The rows that a store has, without ids of sessions that are not seen. */
function rowsThrough<Row extends object>(store: StoreReader<Row>, hidden: HiddenSessions): StoreReader<Row> {
  async function shown(row: Row | undefined): Promise<Row | undefined> {
    return row === undefined ? undefined : (await withoutHidden([row], hidden))[0];
  }
  return {
    get: async (id) => shown(await store.get(id)),
    find: async (where, options) => withoutHidden(await store.find(where, options), hidden),
    first: async (where, options) => shown(await store.first(where, options)),
    ids: (where, options) => store.ids(where, options),
    count: (where) => store.count(where),
  };
}

/** Those that read from one, those that change something from the other. */
function split(reading: Implementations, changing: Implementations): Implementations {
  const reads = Object.entries(reading).filter(([name]) => contractOf(name as OperationName).effect === 'read');
  return { ...changing, ...Object.fromEntries(reads) };
}

/**
 * Gives reading operations the stores that their caller may read, so that none of them has a rule about it. Those that
 * change something look at everything: what they are about was found with the caller's scope already, and what they must
 * not disturb, and what counts towards limits, may be hidden from the caller. What they answer is as the caller sees it.
 */
export function createViewerScopes(
  context: OperationContext,
  readersOfUser: (userId: string) => Readers,
  implement: (context: OperationContext) => Implementations,
  replaysOf: (context: OperationContext) => Replays,
): (viewer: string | undefined) => ViewerScope {
  const everything: ViewerScope = {
    resolver: createResolver(context.storage.read, context.now),
    implementations: implement(context),
    replays: replaysOf(context),
  };
  const ofUsers = new Map<string, ViewerScope>();

  function make(userId: string): ViewerScope {
    const rows = readersOfUser(userId);
    const hidden = sessionsHiddenFrom(context.storage.read, userId);
    const read = { ...rows, events: rowsThrough(rows.events, hidden), approvals: rowsThrough(rows.approvals, hidden) };
    const views = viewsThrough(context.views, hidden);
    const changing = { ...context, views: { ...views, liveSessionIds: () => context.views.liveSessionIds() } };
    return {
      resolver: createResolver(read, context.now),
      implementations: split(
        implement({ ...context, storage: { ...context.storage, read }, views }),
        implement(changing),
      ),
      replays: replaysOf(changing),
    };
  }

  return (viewer) => {
    if (viewer === undefined) return everything;
    const scope = ofUsers.get(viewer) ?? make(viewer);
    ofUsers.delete(viewer);
    ofUsers.set(viewer, scope);
    const [oldest = viewer] = ofUsers.keys();
    if (ofUsers.size > VIEWERS_KEPT_MAX) ofUsers.delete(oldest);
    return scope;
  };
}
