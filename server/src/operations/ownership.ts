import { type Relation, sees } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { EventHub } from './ports/events.ts';
import type { SessionRow } from './ports/rows.ts';
import type { Readers } from './ports/storage.ts';

/** How a caller stands to a session, with the name of its owner where that is somebody else. */
export interface Standing {
  relation: Relation;
  ownedBy?: string;
}

/** Whose a session is and who sees it, for the gate and for what does not pass it piece by piece. */
export interface Ownership {
  /** The user whose sessions a caller sees beside shared ones; undefined where nothing is hidden from the caller. */
  eyesOf(caller: Caller): Promise<string | undefined>;
  /** The person behind a call: who made it, or whose session its worker belongs to; null for nobody. */
  personOf(caller: Caller): Promise<string | null>;
  /** Whether somebody with these eyes sees the session. One that is not there hides nothing. */
  shows(eyes: string | undefined, sessionId: string): Promise<boolean>;
  /** How the caller stands to the session; for a person `own` or `other`, for the local owner `none`. */
  standing(caller: Caller, sessionId: string | null): Promise<Standing>;
}

const NOBODY = '';

export function createOwnership(read: Pick<Readers, 'sessions' | 'users'>, ownerId: string): Ownership {
  async function nameOf(userId: string | null): Promise<string> {
    if (userId === null || userId === ownerId) return 'the local owner';
    const user = await read.users.get(userId);
    return user?.username ?? user?.email ?? `user ${userId}`;
  }

  async function standingOfWorker(own: string, target: string): Promise<Standing> {
    if (target === own) return { relation: 'own' };
    const seen = new Set<string>();
    const above = async (id: string): Promise<boolean> => {
      if (id === own) return true;
      if (seen.has(id)) return false;
      seen.add(id);
      const row = await read.sessions.get(id);
      for (const next of [row?.parentSessionId, row?.createdBySessionId, row?.forkedFromSessionId]) {
        if (next && (await above(next))) return true;
      }
      return false;
    };
    if (await above(target)) return { relation: 'descendant' };
    const row = await read.sessions.get(own);
    return { relation: row?.parentSessionId === target ? 'parent' : 'other' };
  }

  async function personOf(caller: Caller): Promise<string | null> {
    if (caller.kind === 'nobody') return null;
    if (caller.kind === 'user') return caller.userId;
    return (await read.sessions.get(caller.sessionId))?.createdByUserId ?? ownerId;
  }

  const isTheirs = (row: SessionRow, userId: string) => (row.createdByUserId ?? ownerId) === userId;

  return {
    async eyesOf(caller) {
      if (caller.kind === 'user') return caller.userId === ownerId ? undefined : caller.userId;
      return (await personOf(caller)) ?? NOBODY;
    },
    personOf,
    async shows(eyes, sessionId) {
      if (eyes === undefined) return true;
      const row = await read.sessions.get(sessionId);
      return row === undefined || sees(eyes, row);
    },
    async standing(caller, sessionId) {
      if (sessionId === null || caller.kind === 'nobody') return { relation: 'none' };
      const row = await read.sessions.get(sessionId);
      if (caller.kind === 'worker') {
        const standing = await standingOfWorker(caller.sessionId, sessionId);
        return standing.relation === 'other'
          ? { ...standing, ownedBy: await nameOf(row?.createdByUserId ?? null) }
          : standing;
      }
      if (caller.userId === ownerId || row === undefined) return { relation: 'none' };
      if (isTheirs(row, caller.userId)) return { relation: 'own' };
      return { relation: 'other', ownedBy: await nameOf(row.createdByUserId) };
    },
  };
}

/** What followers of the event log are told: nothing of sessions that they do not see at that moment. */
export function eventFilters(ownership: Ownership): EventHub['filterFor'] {
  return async (caller) => {
    const eyes = await ownership.eyesOf(caller);
    if (eyes === undefined) return undefined;
    return async ({ data: { sessionId } }) => typeof sessionId !== 'string' || ownership.shows(eyes, sessionId);
  };
}
