import { INBOX_GROUPS, inboxGroupOf } from '@agent-console/shared/inbox';
import type { Session } from '@agent-console/shared/models/session';
import { wordsOf } from '@agent-console/shared/words';
import { lastSegment, type SessionBadge, sessionName } from './badge.ts';
import { isMatch, STATE_NAMES, STATES, stateOf } from './tree-filter.ts';
import { parentOf, type Sessions } from './tree-order.ts';

/**
 * A group of sessions: the pinned ones, those in a state, those of a repository or of a folder, those below one root
 * session, or those without parent and children.
 */
export interface GroupRow {
  type: 'group';
  id: string;
  name: string;
  /** Tooltip, such as the full path of a folder or the name of a repository. */
  title: string;
  /** Number of sessions, including collapsed ones. */
  count: number;
  /** The most urgent sessions of the group; undefined if none of its sessions is in the inbox. */
  attention: Attention | undefined;
  open: boolean;
}

/** The most urgent sessions of a group: those that need a person, otherwise unread failures, otherwise unread results. */
interface Attention {
  /** Badge of the first of these sessions. */
  badge: SessionBadge;
  count: number;
  /** Index of their inbox group in `INBOX_GROUPS`. */
  rank: number;
}

export interface SessionRow {
  type: 'session';
  id: string;
  session: Session;
  /** Number of ancestors between the session and its group; 0 for a session directly below the group. */
  depth: number;
  /**
   * For each ancestor except the topmost, whether the connector line to a later sibling of the ancestor passes through
   * the row.
   */
  passing: readonly boolean[];
  /** Whether the session is the last of its siblings. */
  last: boolean;
  /** Whether the session is a fork. The line from a fork to its parent is dashed. */
  fork: boolean;
  hasChildren: boolean;
  open: boolean;
}

export type Row = GroupRow | SessionRow;

export interface TreeOptions {
  order: readonly string[];
  sessions: Sessions;
  repositories: Readonly<Record<string, string>>;
  /** Ids of collapsed groups and sessions. */
  folded: ReadonlySet<string>;
  /** Words to filter by, all of which must match. While filtering, all rows are expanded. */
  filter: string;
  /** Returns the badge of a session, for filters, for groups by state, and for `GroupRow.attention`. */
  badgeOf?: (session: Session) => SessionBadge;
  /** Ids of pinned sessions, which come first, in a group of their own. */
  pinned?: ReadonlySet<string>;
  groupBy?: GroupBy;
}

/**
 * How sessions are grouped. `repository`: by repository, with children below the session that started them. `state`: by
 * state, not nested. `parent`: one group for each root session with children, and one for all sessions without parent
 * and children.
 */
export const GROUPINGS = ['repository', 'state', 'parent'] as const;
export type GroupBy = (typeof GROUPINGS)[number];

const PINNED = 'group:pinned';
const ALONE = 'group:alone';

/** Returns the id of the group of a session: the id of its repository, or the folder of a quick session. */
function groupIdOf({ repositoryId, cwd }: Session): string {
  return repositoryId ?? cwd;
}

/**
 * Returns the rows of the tree in display order: pinned sessions, then groups, each with children below their parents.
 */
export function treeRows(options: TreeOptions): Row[] {
  const { order, sessions, folded, filter, badgeOf, pinned = new Set(), groupBy = 'repository' } = options;
  const words = wordsOf(filter);
  const wanted = words.length === 0 ? undefined : matching(options, words);
  const groups = new Map<string, Session[]>();
  const children = new Map<string, Session[]>();
  const add = (map: Map<string, Session[]>, key: string, session: Session) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [session]);
    else list.push(session);
  };
  const counts = new Map<string, number>();
  const attention = new Map<string, Attention>();
  for (const id of order) {
    const session = sessions[id];
    if (session === undefined || (wanted !== undefined && !wanted.has(id))) continue;
    const parent = groupBy === 'state' || pinned.has(id) ? undefined : parentOf(session, sessions);
    const group = groupKeyOf(session, options);
    counts.set(group, (counts.get(group) ?? 0) + 1);
    attend(attention, group, session, badgeOf?.(session));
    if (parent === undefined) add(groups, group, session);
    else add(children, parent.id, session);
  }

  const rows: Row[] = [];
  const isOpen = (id: string) => wanted !== undefined || !folded.has(id);
  const put = (siblings: readonly Session[], depth: number, passing: readonly boolean[]) => {
    siblings.forEach((session, index) => {
      const below = children.get(session.id) ?? [];
      const last = index === siblings.length - 1;
      const open = isOpen(session.id);
      const fork = session.genealogy.parentSessionId === null && session.genealogy.forkedFromSessionId !== null;
      const hasChildren = below.length > 0;
      rows.push({ type: 'session', id: session.id, session, depth, passing, last, fork, hasChildren, open });
      if (open) put(below, depth + 1, depth === 0 ? [] : [...passing, !last]);
    });
  };
  const named = [...groups].map(([id, members]) => ({ id, members, ...describeGroup(id, members, options) }));
  named.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  for (const { id, members, name, title } of named) {
    const open = isOpen(id);
    rows.push({ type: 'group', id, name, title, count: counts.get(id) ?? 0, attention: attention.get(id), open });
    if (open) put(members, 0, []);
  }
  return rows;
}

/** Counts a session in its group if it is at least as urgent as the sessions counted before. */
function attend(known: Map<string, Attention>, group: string, session: Session, badge: SessionBadge | undefined): void {
  const inboxGroup = badge && inboxGroupOf(session, badge);
  if (badge === undefined || inboxGroup === undefined) return;
  const rank = INBOX_GROUPS.indexOf(inboxGroup);
  const most = known.get(group);
  if (most === undefined || rank < most.rank) known.set(group, { badge, count: 1, rank });
  else if (rank === most.rank) most.count += 1;
}

/**
 * Returns the id of the group in which a session is shown. Descendants of a pinned session count as pinned, except when
 * sessions are grouped by state.
 */
function groupKeyOf(session: Session, { sessions, pinned = new Set(), groupBy, badgeOf }: TreeOptions): string {
  if (groupBy === 'state') {
    if (pinned.has(session.id)) return PINNED;
    return `group:${badgeOf === undefined ? 'idle' : stateOf(badgeOf(session))}`;
  }
  let root = session;
  for (let at: Session | undefined = session; at !== undefined; at = parentOf(at, sessions)) {
    if (pinned.has(at.id)) return PINNED;
    root = at;
  }
  if (groupBy !== 'parent') return groupIdOf(root);
  return root.genealogy.children.length > 0 ? `group:${root.id}` : ALONE;
}

function describeGroup(id: string, members: readonly Session[], { sessions, repositories }: TreeOptions) {
  if (id === PINNED) return { name: 'Pinned', title: 'Pinned sessions', rank: -1 };
  if (id === ALONE) return { name: 'Standalone', title: 'Sessions without parent or children', rank: 1 };
  const key = id.replace(/^group:/, '');
  const state = STATES.find((each) => each === key);
  if (state !== undefined) return { name: STATE_NAMES[state], title: STATE_NAMES[state], rank: STATES.indexOf(state) };
  const root = sessions[key];
  if (root !== undefined) return { name: sessionName(root), title: sessionName(root), rank: 0 };
  const isFolder = members[0]?.repositoryId === null;
  const name = repositories[id] ?? lastSegment(id);
  // Repositories sort before folders.
  return { name, title: isFolder ? id : name, rank: isFolder ? 1 : 0 };
}

/** Returns the ids of matching sessions and, unless they are grouped by state, of their ancestors. */
function matching(options: TreeOptions, words: readonly string[]): ReadonlySet<string> {
  const { order, sessions, repositories, badgeOf, groupBy } = options;
  const wanted = new Set<string>();
  for (const id of order) {
    const session = sessions[id];
    if (session === undefined) continue;
    const known = { badge: badgeOf?.(session), repository: repositories[session.repositoryId ?? ''] ?? '' };
    if (!isMatch(session, words, known)) continue;
    if (groupBy === 'state') wanted.add(id);
    else for (let at: Session | undefined = session; at !== undefined; at = parentOf(at, sessions)) wanted.add(at.id);
  }
  return wanted;
}
