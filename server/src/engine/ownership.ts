import { type Relation, sees } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { EventHub } from '../ports/events.ts';
import type { SessionRow } from '../ports/rows/sessions.ts';
import type { Readers } from '../ports/storage.ts';
import { sessionsHiddenFrom, withoutHidden } from './hidden-sessions.ts';

/** How a caller stands to a session, with the name of its owner where that is somebody else. */
export interface SessionRelation {
  relation: Relation;
  ownedBy?: string;
}

/** Whose a session is and who sees it, for the gate and for what does not pass it piece by piece. */
export interface Ownership {
  /** The user whose sessions a caller sees beside shared ones; undefined where nothing is hidden from the caller. */
  viewerOf(caller: Caller): Promise<string | undefined>;
  /** The person behind a call: who made it, or whose session its worker belongs to; null for nobody. */
  personOf(caller: Caller): Promise<string | null>;
  /** Whether somebody with these viewer sees the session. One that is not there hides nothing. */
  shows(viewer: string | undefined, sessionId: string): Promise<boolean>;
  /** How the caller stands to the session; for a person `own` or `other`, for the local owner `none`. */
  relationTo(caller: Caller, sessionId: string | null): Promise<SessionRelation>;
}

const NOBODY = '';

export function createOwnership(read: Pick<Readers, 'sessions' | 'users'>, ownerId: string): Ownership {
  async function nameOf(userId: string | null): Promise<string> {
    if (userId === null || userId === ownerId) return 'the local owner';
    const user = await read.users.get(userId);
    return user?.username ?? user?.email ?? `user ${userId}`;
  }

  /** The person a session belongs to. */
  const ownerOf = (row: SessionRow | undefined) => row?.createdByUserId ?? ownerId;

  async function relationOfWorker(own: string, target: string): Promise<SessionRelation> {
    if (target === own) return { relation: 'own' };
    const [worker, about] = [await read.sessions.get(own), await read.sessions.get(target)];
    const seen = new Set<string>();
    const above = async (id: string): Promise<boolean> => {
      if (id === own) return true;
      if (seen.has(id)) return false;
      seen.add(id);
      const row = await read.sessions.get(id);
      // A fork comes from who made it: a person's copy of an agent's session is not that agent's.
      for (const next of [row?.parentSessionId, row?.createdBySessionId]) {
        if (next && (await above(next))) return true;
      }
      return false;
    };
    // What one person put below the session of another acts with its maker's sight, so it is not that agent's either.
    if (ownerOf(about) === ownerOf(worker) && (await above(target))) return { relation: 'descendant' };
    return { relation: worker?.parentSessionId === target ? 'parent' : 'other' };
  }

  async function personOf(caller: Caller): Promise<string | null> {
    if (caller.kind === 'nobody') return null;
    if (caller.kind === 'user') return caller.userId;
    return ownerOf(await read.sessions.get(caller.sessionId));
  }

  return {
    async viewerOf(caller) {
      if (caller.kind === 'user') return caller.userId === ownerId ? undefined : caller.userId;
      return (await personOf(caller)) ?? NOBODY;
    },
    personOf,
    async shows(viewer, sessionId) {
      if (viewer === undefined) return true;
      const row = await read.sessions.get(sessionId);
      return row === undefined || sees(viewer, row);
    },
    async relationTo(caller, sessionId) {
      if (sessionId === null || caller.kind === 'nobody') return { relation: 'none' };
      const row = await read.sessions.get(sessionId);
      if (caller.kind === 'worker') {
        const sessionRelation = await relationOfWorker(caller.sessionId, sessionId);
        return sessionRelation.relation === 'other'
          ? { ...sessionRelation, ownedBy: await nameOf(row?.createdByUserId ?? null) }
          : sessionRelation;
      }
      if (caller.userId === ownerId || row === undefined) return { relation: 'none' };
      if (ownerOf(row) === caller.userId) return { relation: 'own' };
      return { relation: 'other', ownedBy: await nameOf(row.createdByUserId) };
    },
  };
}

/**
 * What followers of the event log are told: nothing of sessions that they do not see at that moment, and no id of one in
 * what they are told of others.
 */
export function eventFilters(ownership: Ownership, read: Pick<Readers, 'sessions'>): EventHub['filterFor'] {
  return async (caller) => {
    const viewer = await ownership.viewerOf(caller);
    if (viewer === undefined) return undefined;
    const hidden = sessionsHiddenFrom(read, viewer);
    return async (event) => {
      const [told] = await withoutHidden([event], hidden);
      if (told === undefined || told.data.sessionId === null) return undefined;
      // An event says it of nobody by leaving it out.
      if (told.viaSessionId === null) delete told.viaSessionId;
      return told;
    };
  };
}
