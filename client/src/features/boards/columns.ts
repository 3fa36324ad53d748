import { inboxGroupOf } from '@agent-console/shared/inbox';
import type { Board } from '@agent-console/shared/models/board';
import type { Session } from '@agent-console/shared/models/session';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { agentOf, type SessionBadge, sessionName } from '../sessions/badge.ts';
import { byPlace } from './reorder.ts';

/** A session, or a worktree with its sessions, on a board. */
export interface Card {
  /** On the state board, the id of the session; on other boards, the id of the worktree. */
  id: string;
  title: string;
  /** The session that the card shows; undefined for a worktree without sessions. */
  session: Session | undefined;
  badge: SessionBadge | undefined;
  /** The worktree of the card; undefined on the state board. */
  worktree: Worktree | undefined;
  /** Number of sessions in the worktree, not counting `session`. */
  others: number;
}

export interface Column {
  id: string;
  name: string;
  glyph: string;
  /** CSS class that sets the colour of `glyph`. */
  tone: string;
  /** Shown if the column has no cards. */
  empty: string;
  cards: readonly Card[];
}

export interface ShownSession {
  session: Session;
  badge: SessionBadge;
}

const STATES = [
  { id: 'needs', name: 'Needs you', glyph: '▲', tone: 'text-needs', empty: 'Nothing needs you.' },
  { id: 'working', name: 'Working', glyph: '◐', tone: 'text-working', empty: 'No agent is working.' },
  { id: 'done', name: 'Done', glyph: '○', tone: 'text-quiet', empty: 'Finished work appears here.' },
  { id: 'merged', name: 'Merged', glyph: '✓', tone: 'text-quiet', empty: 'Merged work appears here.' },
  { id: 'idle', name: 'Idle', glyph: '–', tone: 'text-quiet', empty: '' },
] as const;
type State = (typeof STATES)[number]['id'];

/**
 * Returns the column of a session on the state board. A session needs a person if its inbox group is `answer` or
 * `failed`.
 */
function stateOf({ session, badge }: ShownSession): State {
  const group = inboxGroupOf(session, badge);
  if (group === 'answer' || group === 'failed') return 'needs';
  const isAwaited = badge.kind === 'idle' && session.task?.waitingFor === 'report';
  if (badge.kind === 'working' || isAwaited) return 'working';
  if (badge.kind === 'unknown' && agentOf(session)?.state !== 'lost') return 'working';
  if (session.gitState?.work?.merged === true) return 'merged';
  return badge.kind === 'done' || badge.kind === 'failed' ? 'done' : 'idle';
}

/**
 * Returns the columns of the state board. The column of sessions that need a person begins with the session that has
 * waited longest; every other column begins with the session that changed last. The column of idle sessions is left out
 * if it is empty.
 */
export function stateColumns(sessions: readonly ShownSession[]): Column[] {
  const cards = new Map<State, ShownSession[]>(STATES.map(({ id }) => [id, []]));
  for (const each of sessions) cards.get(stateOf(each))?.push(each);
  return STATES.flatMap((state) => {
    const found = cards.get(state.id) ?? [];
    if (state.id === 'idle' && found.length === 0) return [];
    const oldestFirst = state.id === 'needs';
    found.sort((a, b) => (a.badge.since < b.badge.since ? -1 : 1) * (oldestFirst ? 1 : -1));
    return [{ ...state, cards: found.map(cardOf) }];
  });
}

function cardOf({ session, badge }: ShownSession): Card {
  return { id: session.id, title: sessionName(session), session, badge, worktree: undefined, others: 0 };
}

/** Id of the column of worktrees that are in no zone. */
export const NO_ZONE = 'none';

/**
 * Returns the zones of a board as columns, from left to right, with worktrees from top to bottom. Worktrees without a
 * zone are in the first column. On a board with zones, this column is left out if it is empty.
 */
export function zoneColumns(
  { zones }: Pick<Board, 'zones'>,
  worktrees: readonly Worktree[],
  sessions: readonly ShownSession[],
): Column[] {
  const byWorktree = new Map<string, ShownSession[]>();
  for (const each of sessions) {
    const worktreeId = each.session.worktreeId ?? '';
    byWorktree.set(worktreeId, [...(byWorktree.get(worktreeId) ?? []), each]);
  }
  const cardsIn = (zoneId: string | null) =>
    worktrees
      .filter((worktree) => (zones.some(({ id }) => id === worktree.zoneId) ? worktree.zoneId : null) === zoneId)
      .sort(byPlace)
      .map((worktree) => worktreeCard(worktree, byWorktree.get(worktree.id) ?? []));
  const columns = zones
    .toSorted((a, b) => a.x - b.x || a.y - b.y)
    .map(({ id, name }) => ({
      id,
      name,
      glyph: '',
      tone: '',
      empty: 'Drop cards here.',
      cards: cardsIn(id),
    }));
  const rest = cardsIn(null);
  const none = { id: NO_ZONE, name: 'No zone', glyph: '', tone: '', empty: 'No cards.', cards: rest };
  return rest.length === 0 && columns.length > 0 ? columns : [none, ...columns];
}

const URGENCY: readonly State[] = ['needs', 'working', 'done', 'merged', 'idle'];

/** Compares sessions: the more urgent one comes first; of equally urgent sessions, the one that changed later. */
export function byUrgency(a: ShownSession, b: ShownSession): number {
  return URGENCY.indexOf(stateOf(a)) - URGENCY.indexOf(stateOf(b)) || (a.badge.since < b.badge.since ? 1 : -1);
}

function worktreeCard(worktree: Worktree, sessions: readonly ShownSession[]): Card {
  const [first, ...others] = sessions.toSorted(byUrgency);
  const title = first === undefined ? worktree.name : sessionName(first.session);
  return { id: worktree.id, title, session: first?.session, badge: first?.badge, worktree, others: others.length };
}

/** Whether a card matches every word of a filter. */
export function matchesFilter({ title, session, badge, worktree }: Card, filter: string, repository: string): boolean {
  const text = [title, badge?.word, session?.agentId, session?.gitState?.ref, worktree?.branch, repository]
    .join(' ')
    .toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
