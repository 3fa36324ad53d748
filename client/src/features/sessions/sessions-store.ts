import { ConsoleError } from '@agent-console/shared/errors';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { APP_SNAPSHOT_SESSIONS } from '@agent-console/shared/limits/connections';
import { DASHBOARD_SESSIONS_MAX } from '@agent-console/shared/limits/dashboard';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Session } from '@agent-console/shared/models/session';
import { create } from 'zustand';
import { callOnFirstPage } from '../../api/call-on-first-page.ts';
import { insertSessions, omitSessions, type Sessions } from './tree-order.ts';

export interface SessionsState {
  /** Whether all sessions are loaded. */
  loaded: boolean;
  /**
   * Whether the newest sessions and all live sessions are loaded. Only older sessions may be missing.
   */
  newestLoaded: boolean;
  sessions: Sessions;
  /** Ids of the sessions in display order. An update of a session does not move its id. */
  order: readonly string[];
  /** Names of repositories by id. */
  repositories: Readonly<Record<string, string>>;
}

/**
 * Delay in milliseconds between an event and the fetch of the changed session, so that a burst of events causes one
 * fetch.
 */
const BATCH_MS = 60;
/**
 * Maximum number of changed sessions that are fetched one by one. If more sessions have changed, one list request is
 * cheaper.
 */
const SINGLE_MAX = 8;
const RETRY_MS = 2_000;

/** Sessions that are not archived. An event only names a changed session. The session is then fetched. */
export const useSessions = create<SessionsState>(() => ({
  loaded: false,
  newestLoaded: false,
  sessions: {},
  order: [],
  repositories: {},
}));

/** Returns a session by id; undefined if it is unknown or archived. */
export function useSession(id: string | undefined): Session | undefined {
  return useSessions(({ sessions }) => (id === undefined ? undefined : sessions[id]));
}

const changed = new Set<string>();
let isScheduled = false;

/**
 * Ids of sessions that were archived or removed since the page was opened. A response that is older than the event may
 * still contain such a session.
 */
const gone = new Set<string>();

/** Replaces all sessions with those of a snapshot. If the snapshot is incomplete, fetches the missing sessions. */
export function applySnapshot(snapshot: readonly Session[]): void {
  const { sessions: before, order, loaded, newestLoaded } = useSessions.getState();
  const isComplete = snapshot.length < APP_SNAPSHOT_SESSIONS;
  for (const { id } of snapshot) gone.delete(id);
  const sessions = Object.fromEntries(snapshot.map((session) => [session.id, session]));
  const added = snapshot.filter(({ id }) => before[id] === undefined).sort(newestFirst);
  const first = order.length === 0;
  const kept = order.filter((id) => sessions[id] !== undefined);
  useSessions.setState({
    loaded: loaded || isComplete,
    newestLoaded: newestLoaded || isComplete,
    sessions,
    order: insertSessions(kept, first ? added : added.toReversed(), sessions),
  });
  void fetchNames();
  if (!isComplete) void fetchRest().finally(() => useSessions.setState({ loaded: true, newestLoaded: true }));
}

/**
 * Types of events about a session after which the session is not fetched, because the store contains neither the
 * session's messages nor the options of the session's agent.
 */
const WITHOUT_FETCH: ReadonlySet<string> = new Set(['conversation.grown', 'session.options_changed']);

/** Fetches the data that an event may have changed. */
export function handleSessionEvent({ subject, data, type }: ConsoleEvent): void {
  if (subject.kind === 'repository') void fetchNames();
  if (subject.kind === 'worktree') for (const each of sessionsIn(subject.id)) refreshSession(each);
  const id = subject.kind === 'session' ? subject.id : data.sessionId;
  if (typeof id !== 'string') return;
  if (type === 'session.unarchived') gone.delete(id);
  if (type === 'session.removed' || type === 'session.archived') {
    gone.add(id);
    drop([id]);
  } else if (!WITHOUT_FETCH.has(type)) refreshSession(id);
}

/**
 * Returns the ids of the sessions of a worktree. When the worktree changes, the sessions change too, because each
 * session contains the git state of its worktree.
 */
function sessionsIn(worktreeId: string): string[] {
  return Object.values(useSessions.getState().sessions).flatMap((each) =>
    each.worktreeId === worktreeId ? each.id : [],
  );
}

/** Schedules a refetch of one session. */
export function refreshSession(id: string): void {
  changed.add(id);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => void flush(), BATCH_MS);
}

async function flush(): Promise<void> {
  const ids = [...changed];
  changed.clear();
  let wait = BATCH_MS;
  try {
    let others = ids;
    if (ids.length > SINGLE_MAX) {
      const page = await callOnFirstPage('sessions.list', { limit: PAGE_MAX });
      const listed = new Set(page.data.map(({ id }) => id));
      put(page.data.toReversed());
      others = ids.filter((id) => !listed.has(id));
    }
    for (let at = 0; at < others.length; at += SINGLE_MAX) await refresh(others.slice(at, at + SINGLE_MAX));
  } catch {
    for (const id of ids) changed.add(id);
    wait = RETRY_MS;
  }
  if (changed.size > 0) setTimeout(() => void flush(), wait);
  else isScheduled = false;
}

async function refresh(ids: readonly string[]): Promise<void> {
  const found = await Promise.all(ids.map(fetchSession));
  put(found.filter((session) => session !== undefined && session.archivedAt === null) as Session[]);
  drop(ids.filter((_, index) => found[index] === undefined || found[index]?.archivedAt !== null));
}

/**
 * Fetches the sessions that are missing in a snapshot, which contains only the newest sessions. Live sessions are
 * fetched first.
 */
async function fetchRest(): Promise<void> {
  try {
    const { data: live } = await untilReached(() => callOnFirstPage('sessions.list', { live: true, limit: PAGE_MAX }));
    put(live);
    useSessions.setState({ newestLoaded: true });
    for (let skip = APP_SNAPSHOT_SESSIONS; skip < DASHBOARD_SESSIONS_MAX; skip += PAGE_MAX) {
      const { data, total } = await untilReached(() => callOnFirstPage('sessions.list', { skip, limit: PAGE_MAX }));
      put(data);
      if (skip + data.length >= total || data.length === 0) return;
    }
  } catch {
    // If the console refuses a call, the sessions that are not yet loaded are missing in the list.
  }
}

async function fetchSession(sessionId: string): Promise<Session | undefined> {
  try {
    const { tasks: _, ...session } = await callOnFirstPage('sessions.get', { sessionId });
    return session;
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * Repeats a call until the console is reached. Nothing else would repeat it, because after a reconnect, the event
 * stream may continue without a snapshot.
 */
async function untilReached<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ConsoleError && error.retryable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Fetches the names of repositories. If the console refuses that, the list shows the ids instead. */
async function fetchNames(): Promise<void> {
  const page = await untilReached(() => callOnFirstPage('repositories.list', { limit: PAGE_MAX })).catch(
    () => undefined,
  );
  if (page === undefined) return;
  useSessions.setState({ repositories: Object.fromEntries(page.data.map(({ id, name }) => [id, name])) });
}

function put(received: readonly Session[]): void {
  const fresh = received.filter(({ id }) => !gone.has(id));
  useSessions.setState(({ sessions: before, order }) => {
    const sessions = { ...before };
    for (const session of fresh) sessions[session.id] = session;
    return { sessions, order: insertSessions(order, fresh, sessions) };
  });
}

function drop(ids: readonly string[]): void {
  if (ids.length === 0) return;
  useSessions.setState(({ sessions, order }) => ({
    sessions: omitSessions(sessions, ids),
    order: order.filter((id) => !ids.includes(id)),
  }));
}

function newestFirst(a: Session, b: Session): number {
  return a.createdAt < b.createdAt ? 1 : -1;
}
