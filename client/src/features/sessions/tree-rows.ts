import type { Session } from '@agent-console/shared/models/session';
import { lastSegment, sessionName } from './badge.ts';
import { parentOf, type Sessions } from './tree-order.ts';

/** A repository, or a folder with quick sessions, which belong to no worktree. */
export interface GroupRow {
  type: 'group';
  id: string;
  name: string;
  /** Tooltip: the full path of a folder, or the name of a repository. */
  title: string;
  /** Number of sessions, including collapsed ones. */
  count: number;
  open: boolean;
}

export interface SessionRow {
  type: 'session';
  id: string;
  session: Session;
  /** Depth below the group; 0 for its direct children. */
  depth: number;
  /** For each column to the left, whether a connector line to a later sibling passes through the column. */
  passing: readonly boolean[];
  /** Whether the session is the last of its siblings. */
  last: boolean;
  /** Whether the session is a fork, whose connector is dashed. */
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
}

/** Splits a filter into lower-case words. */
export function wordsOf(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each word occurs in the session's name, branch, agent, path or repository. */
export function isMatch(session: Session, words: readonly string[], repository = ''): boolean {
  const { gitState, agentId, cwd } = session;
  const text = `${sessionName(session)}\n${gitState?.ref ?? ''}\n${agentId}\n${cwd}\n${repository}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns the group of a session: its repository, or the folder of a quick session. */
export function groupIdOf({ repositoryId, cwd }: Session): string {
  return repositoryId ?? cwd;
}

/** Returns the rows of the tree in display order: groups by name, children below their parents. */
export function treeRows({ order, sessions, repositories, folded, filter }: TreeOptions): Row[] {
  const words = wordsOf(filter);
  const wanted = words.length === 0 ? undefined : matching(order, sessions, repositories, words);
  const groups = new Map<string, Session[]>();
  const children = new Map<string, Session[]>();
  const add = (map: Map<string, Session[]>, key: string, session: Session) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [session]);
    else list.push(session);
  };
  const counts = new Map<string, number>();
  for (const id of order) {
    const session = sessions[id];
    if (session === undefined || (wanted !== undefined && !wanted.has(id))) continue;
    const parent = parentOf(session, sessions);
    const group = groupIdOf(rootOf(session, sessions));
    counts.set(group, (counts.get(group) ?? 0) + 1);
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
      rows.push({
        type: 'session',
        id: session.id,
        session,
        depth,
        passing,
        last,
        fork,
        hasChildren: below.length > 0,
        open,
      });
      if (open) put(below, depth + 1, depth === 0 ? [] : [...passing, !last]);
    });
  };
  const named = [...groups].map(([id, members]) => {
    const name = repositories[id] ?? lastSegment(id);
    // Repositories sort before folders.
    return { id, members, name, rank: members[0]?.repositoryId === null ? 1 : 0 };
  });
  named.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  for (const { id, members, name } of named) {
    const open = isOpen(id);
    const title = members[0]?.repositoryId === null ? id : name;
    rows.push({ type: 'group', id, name, title, count: counts.get(id) ?? 0, open });
    if (open) put(members, 0, []);
  }
  return rows;
}

function rootOf(session: Session, sessions: Sessions): Session {
  let root = session;
  for (let at = parentOf(root, sessions); at !== undefined; at = parentOf(root, sessions)) root = at;
  return root;
}

/** Returns the ids of matching sessions and their ancestors. */
function matching(
  order: readonly string[],
  sessions: Sessions,
  repositories: Readonly<Record<string, string>>,
  words: readonly string[],
): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const id of order) {
    const session = sessions[id];
    if (session === undefined) continue;
    if (!isMatch(session, words, repositories[session.repositoryId ?? ''])) continue;
    for (let at: Session | undefined = session; at !== undefined; at = parentOf(at, sessions)) wanted.add(at.id);
  }
  return wanted;
}
