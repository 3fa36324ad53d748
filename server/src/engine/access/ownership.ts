import { ConsoleEvent } from '@agent-console/shared/models/event';
import { canSee, type Relation } from '../../domain/access.ts';
import type { Caller } from '../../domain/caller.ts';
import type { EventHub } from '../../ports/events.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import { idsHiddenFrom, withoutHidden } from './hidden-sessions.ts';

/** A caller's relation to a session, with the name of the session's owner if the relation is `other` or `peer`. */
export interface SessionRelation {
  relation: Relation;
  ownedBy?: string;
}

/** Determines who owns a session and who can see it, for calls of operations and for event streams. */
export interface Ownership {
  /**
   * Returns the user whose private sessions the caller can see; an empty id for an anonymous caller; undefined if no
   * session is hidden from the caller.
   */
  viewerOf(caller: Caller): Promise<string | undefined>;
  /** Returns the calling user, or the owner of the calling worker's session; null for an anonymous caller. */
  personOf(caller: Caller): Promise<string | null>;
  /** Whether this viewer can see the session. True for a session that does not exist. */
  shows(viewer: string | undefined, sessionId: string): Promise<boolean>;
  /**
   * Returns the caller's relation to the session: `none` for the local owner, `own` or `other` for any other user. The
   * relation of a worker can also be `parent`, `peer` or `descendant`. `none` as well if `sessionId` is null, for an
   * anonymous caller, and for a user if the session does not exist.
   */
  relationTo(caller: Caller, sessionId: string | null): Promise<SessionRelation>;
}

const NOBODY = '';

export function createOwnership(read: Pick<Readers, 'sessions' | 'users'>, ownerId: string): Ownership {
  async function nameOf(userId: string | null): Promise<string> {
    if (userId === null || userId === ownerId) return 'the local owner';
    const user = await read.users.get(userId);
    return user?.username ?? user?.email ?? `user ${userId}`;
  }

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
      // A fork is a descendant of the session that created it, not of its original. So a person's fork of an agent's
      // session is not a descendant of that agent's session.
      for (const next of [row?.parentSessionId, row?.createdBySessionId]) {
        if (next && (await above(next))) return true;
      }
      return false;
    };
    // A session that another person created below this agent's session acts with that person's permissions, so it does
    // not count as a descendant.
    if (ownerOf(about) === ownerOf(worker) && (await above(target))) return { relation: 'descendant' };
    if (worker?.parentSessionId === target) return { relation: 'parent' };
    const isPeer = worker?.orchestrationId != null && worker.orchestrationId === about?.orchestrationId;
    return { relation: isPeer ? 'peer' : 'other' };
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
      return row === undefined || canSee(viewer, row);
    },
    async relationTo(caller, sessionId) {
      if (sessionId === null || caller.kind === 'nobody') return { relation: 'none' };
      const row = await read.sessions.get(sessionId);
      if (caller.kind === 'worker') {
        const sessionRelation = await relationOfWorker(caller.sessionId, sessionId);
        return sessionRelation.relation === 'other' || sessionRelation.relation === 'peer'
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
 * Creates the filters for live events. They drop events of hidden sessions and remove hidden ids from other events. The
 * event that makes a session private is reduced to this fact, so that followers who saw the session can drop it.
 */
export function eventFilters(
  ownership: Ownership,
  read: Pick<Readers, 'sessions' | 'orchestrations'>,
): EventHub['filterFor'] {
  return async (caller) => {
    const viewer = await ownership.viewerOf(caller);
    if (viewer === undefined) return undefined;
    const hidden = idsHiddenFrom(read, viewer);
    return async (event, sessionId) => {
      if (sessionId === null || !(await hidden([sessionId], [])).has(sessionId)) {
        return withoutHidden(ConsoleEvent, event, hidden);
      }
      if (event.type !== 'session.updated' || event.data.visibility !== 'private') return undefined;
      const fact = { ...event, data: { sessionId, visibility: 'private' } };
      return withoutHidden(ConsoleEvent, fact, (ids, others) =>
        hidden(
          ids.filter((id) => id !== sessionId),
          others,
        ),
      );
    };
  };
}
