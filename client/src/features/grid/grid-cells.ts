import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { agentOf, isLive } from '../sessions/badge.ts';

/** Maximum number of terminals in the grid. Further cells show the end of the agent's screen as text. */
export const LIVE_MAX = 12;

/** A session whose agent runs in a terminal. */
export interface Cell {
  session: Session;
  worker: Worker;
}

function cellOf(session: Session | undefined): Cell[] {
  const worker = session === undefined || session.driver === 'acp' ? undefined : agentOf(session);
  return session === undefined || worker === undefined || !isLive(worker) ? [] : [{ session, worker }];
}

/**
 * Returns the rank by which new cells are sorted: agents that ask a question first, then working agents, then the
 * others.
 */
function rankOf({ worker: { activityState } }: Cell): number {
  return activityState === 'asking' ? 0 : activityState === 'active' ? 1 : 2;
}

/**
 * Returns the cells of the grid. Cells that were shown before come first, in the same order, so that new cells do not
 * move them.
 * @param before ids of the sessions shown before
 */
export function cellsIn(
  sessions: Readonly<Record<string, Session>>,
  order: readonly string[],
  before: readonly string[],
): Cell[] {
  const known = new Set(before);
  const added = order.filter((id) => !known.has(id)).flatMap((id) => cellOf(sessions[id]));
  return [...before.flatMap((id) => cellOf(sessions[id])), ...added.sort((a, b) => rankOf(a) - rankOf(b))];
}
