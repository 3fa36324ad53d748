import { VIEWERS_KEPT_MAX } from '@agent-console/shared/limits/access';
import { contractOf, type OperationName } from '@agent-console/shared/operations/table';
import { type Unseen, unseenBy, withoutUnseen } from '../engine/unseen.ts';
import type { Readers, StoreReader } from '../ports/storage.ts';
import type { OperationContext } from './context.ts';
import type { Implementations, Replays, Sight } from './gate.ts';
import { createResolver } from './resolve.ts';
import type { Views } from './views.ts';

/** Sessions and tasks as shown to somebody who does not see every session: others are named only where seen too. */
function viewsThrough(views: Views, unseen: Unseen): Views {
  const all = <T extends object>(things: readonly T[]) => withoutUnseen(things, unseen);
  async function one<T extends object>(thing: T): Promise<T> {
    const [shown = thing] = await all([thing]);
    return shown;
  }
  return {
    session: async (id) => one(await views.session(id)),
    sessions: async (ids) => all(await views.sessions(ids)),
    async liveSessionIds() {
      const ids = await views.liveSessionIds();
      const hidden = await unseen(ids);
      return ids.filter((id) => !hidden.has(id));
    },
    tasksOf: async (sessionId) => all(await views.tasksOf(sessionId)),
    task: async (row) => one(await views.task(row)),
  };
}

/** The rows that a store has, without ids of sessions that are not seen. */
function rowsThrough<Row extends object>(store: StoreReader<Row>, unseen: Unseen): StoreReader<Row> {
  async function shown(row: Row | undefined): Promise<Row | undefined> {
    return row === undefined ? undefined : (await withoutUnseen([row], unseen))[0];
  }
  return {
    get: async (id) => shown(await store.get(id)),
    find: async (where, options) => withoutUnseen(await store.find(where, options), unseen),
    first: async (where, options) => shown(await store.first(where, options)),
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
 * change something look at everything: what they are about was found with the caller's sight already, and what they must
 * not disturb, and what counts towards limits, may be hidden from the caller. What they answer is as the caller sees it.
 */
export function createSights(
  kit: OperationContext,
  readersOfUser: (userId: string) => Readers,
  implement: (kit: OperationContext) => Implementations,
  replaysOf: (kit: OperationContext) => Replays,
): (eyes: string | undefined) => Sight {
  const everything: Sight = {
    resolver: createResolver(kit.storage.read, kit.now),
    implementations: implement(kit),
    replays: replaysOf(kit),
  };
  const ofUsers = new Map<string, Sight>();

  function make(userId: string): Sight {
    const rows = readersOfUser(userId);
    const unseen = unseenBy(kit.storage.read, userId);
    const read = { ...rows, events: rowsThrough(rows.events, unseen), approvals: rowsThrough(rows.approvals, unseen) };
    const views = viewsThrough(kit.views, unseen);
    const changing = { ...kit, views: { ...views, liveSessionIds: () => kit.views.liveSessionIds() } };
    return {
      resolver: createResolver(read, kit.now),
      implementations: split(implement({ ...kit, storage: { ...kit.storage, read }, views }), implement(changing)),
      replays: replaysOf(changing),
    };
  }

  return (eyes) => {
    if (eyes === undefined) return everything;
    const sight = ofUsers.get(eyes) ?? make(eyes);
    ofUsers.delete(eyes);
    ofUsers.set(eyes, sight);
    const [oldest = eyes] = ofUsers.keys();
    if (ofUsers.size > VIEWERS_KEPT_MAX) ofUsers.delete(oldest);
    return sight;
  };
}
