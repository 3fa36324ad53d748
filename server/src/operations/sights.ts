import { VIEWERS_KEPT_MAX } from '@agent-console/shared/limits';
import type { Implementations, Sight } from './gate.ts';
import type { Kit } from './kit.ts';
import type { Readers } from './ports/storage.ts';
import { createResolver } from './resolve.ts';
import type { Views } from './views.ts';

/** Sessions as shown to somebody who does not see every one of them: their relatives are named only where seen too. */
function viewsThrough(views: Views, read: Pick<Readers, 'sessions'>): Views {
  const sessions: Views['sessions'] = async (ids) => {
    const found = await views.sessions(ids);
    const related = found.flatMap(({ genealogy: { parentSessionId, forkedFromSessionId, children } }) =>
      [parentSessionId, forkedFromSessionId, ...children].filter((id) => id !== null),
    );
    if (related.length === 0) return found;
    const seen = new Set((await read.sessions.find({ id: [...new Set(related)] })).map(({ id }) => id));
    const ifSeen = (id: string | null) => (id !== null && seen.has(id) ? id : null);
    return found.map((session) => ({
      ...session,
      genealogy: {
        ...session.genealogy,
        parentSessionId: ifSeen(session.genealogy.parentSessionId),
        forkedFromSessionId: ifSeen(session.genealogy.forkedFromSessionId),
        children: session.genealogy.children.filter((id) => seen.has(id)),
      },
    }));
  };
  return {
    ...views,
    sessions,
    async session(id) {
      const session = await views.session(id);
      const [shown = session] = await sessions([id]);
      return shown;
    },
    async liveSessionIds() {
      const ids = await views.liveSessionIds();
      if (ids.length === 0) return ids;
      const seen = new Set((await read.sessions.find({ id: ids })).map(({ id }) => id));
      return ids.filter((id) => seen.has(id));
    },
  };
}

/**
 * Gives reading operations the stores that their caller may read, so that none of them has a rule about it. Those that
 * change something look at everything: what they are about was found with the caller's sight already, and what they must
 * not disturb may be hidden from the caller.
 */
export function createSights(
  kit: Kit,
  readersOfUser: (userId: string) => Readers,
  implement: (kit: Kit) => Implementations,
): (eyes: string | undefined) => Sight {
  const everything: Sight = {
    resolver: createResolver(kit.storage.read, kit.now),
    implementations: implement(kit),
  };
  const ofUsers = new Map<string, Sight>();

  function make(userId: string): Sight {
    const read = readersOfUser(userId);
    const storage = { ...kit.storage, read };
    return {
      resolver: createResolver(read, kit.now),
      implementations: implement({ ...kit, storage, views: viewsThrough(kit.views, read) }),
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
