import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Approval } from '@agent-console/shared/models/approval';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { InboxItem } from '@agent-console/shared/models/inbox';
import { create } from 'zustand';
import { callOnFirstPage } from '../../api/call-on-first-page.ts';

export interface Marks {
  /**
   * Whether the marks are loaded. Until then, all outcomes count as read, so that no outcome is shown as unread for a
   * moment.
   */
  loaded: boolean;
  /** Id of the user who uses this browser; undefined until it is loaded. */
  userId: string | undefined;
  /** Time up to which outcomes were read, by id of the session or orchestration. */
  readUntil: Readonly<Record<string, string | null>>;
  /** When sessions were pinned, by session id. */
  pinned: Readonly<Record<string, string>>;
  /** Pending questions of sessions, by session id. */
  questions: Readonly<Record<string, Approval>>;
  /** Inbox items about orchestrations. */
  runs: readonly InboxItem[];
}

/** A time after all outcomes. As a read mark, it makes all outcomes count as read. */
const ALL_READ = '9999';
/**
 * Delay in milliseconds between an event and the fetch of the marks or questions that it changed, so that several
 * events cause only one fetch.
 */
const BATCH_MS = 60;
const RETRY_MS = 2_000;

/** The user's read marks and pins, the pending questions, and the inbox items about orchestrations. */
export const useMarks = create<Marks>(() => ({
  loaded: false,
  userId: undefined,
  readUntil: {},
  pinned: {},
  questions: {},
  runs: [],
}));

/**
 * Returns the time up to which the outcomes of a session or orchestration are read; null if none is read. Until the
 * marks are loaded, all outcomes count as read.
 */
export function readUntilOf({ loaded, readUntil }: Pick<Marks, 'loaded' | 'readUntil'>, id: string): string | null {
  return loaded ? (readUntil[id] ?? null) : ALL_READ;
}

type Part = 'marks' | 'questions' | 'runs';
const stale = new Set<Part>();
let isScheduled = false;

/** Loads the read marks, the pending questions and the inbox items about orchestrations again. */
export function loadMarks(): void {
  refetch('marks', 'questions', 'runs');
}

/**
 * Updates read marks, pins, pending questions and the inbox items about orchestrations after an event. Values that the
 * event does not contain are fetched.
 */
export function handleMarkEvent({ type, subject, data }: ConsoleEvent): void {
  if (type === 'user.marked' || type === 'user.pinned') {
    if (subject.id === useMarks.getState().userId) applyMark(type, data);
  } else if (subject.kind === 'approval') refetch('questions', 'runs');
  else if (type === 'session.updated' && 'budget' in data) refetch('questions');
  else if (subject.kind === 'orchestration' && !type.startsWith('orchestration.agent_')) refetch('questions', 'runs');
}

function applyMark(type: 'user.marked' | 'user.pinned', data: ConsoleEvent['data']): void {
  const { sessionIds, orchestrationIds = [], readUntil, pinnedAt } = data as Record<string, unknown>;
  // An event about very many sessions does not contain their ids. All marks are then fetched again.
  if (!Array.isArray(sessionIds) || !Array.isArray(orchestrationIds)) {
    refetch('marks', 'runs');
    return;
  }
  if (type === 'user.pinned') setPinned(sessionIds, typeof pinnedAt === 'string' ? pinnedAt : null);
  else setReadUntil([...sessionIds, ...orchestrationIds], typeof readUntil === 'string' ? readUntil : null);
  if (orchestrationIds.length > 0) refetch('runs');
}

/** Sets the time up to which outcomes are shown as read. Changes only the dashboard's state, not the server's. */
export function setReadUntil(ids: readonly string[], until: string | null): void {
  useMarks.setState(({ readUntil }) => ({
    readUntil: { ...readUntil, ...Object.fromEntries(ids.map((id) => [id, until])) },
  }));
}

/**
 * Shows sessions as pinned at this time, or as not pinned if `pinnedAt` is null. Changes only the dashboard's state, not
 * the server's.
 */
export function setPinned(ids: readonly string[], pinnedAt: string | null): void {
  useMarks.setState(({ pinned }) => {
    const others = Object.entries(pinned).filter(([id]) => !ids.includes(id));
    return { pinned: Object.fromEntries([...others, ...(pinnedAt === null ? [] : ids.map((id) => [id, pinnedAt]))]) };
  });
}

function refetch(...parts: readonly Part[]): void {
  for (const part of parts) stale.add(part);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => void flush(), BATCH_MS);
}

async function flush(): Promise<void> {
  const parts = [...stale];
  stale.clear();
  let wait = BATCH_MS;
  try {
    await Promise.all(parts.map((part) => FETCH[part]()));
  } catch {
    for (const part of parts) stale.add(part);
    wait = RETRY_MS;
  }
  if (stale.size > 0) setTimeout(() => void flush(), wait);
  else isScheduled = false;
}

const FETCH: Readonly<Record<Part, () => Promise<void>>> = {
  async marks() {
    const { userId } = useMarks.getState();
    const known = userId ?? (await callOnFirstPage('users.current', {})).id;
    const readUntil: Record<string, string | null> = {};
    const pinned: Record<string, string> = {};
    for (let skip = 0; ; skip += PAGE_MAX) {
      const { data, total } = await callOnFirstPage('inbox.marks', { skip, limit: PAGE_MAX });
      for (const mark of data) {
        readUntil[mark.sessionId ?? mark.orchestrationId ?? ''] = mark.readUntil;
        if (mark.pinnedAt !== null && mark.sessionId !== null) pinned[mark.sessionId] = mark.pinnedAt;
      }
      if (skip + data.length >= total || data.length === 0) break;
    }
    useMarks.setState({ loaded: true, userId: known, readUntil, pinned });
  },
  async questions() {
    const { data } = await callOnFirstPage('approvals.list', { limit: PAGE_MAX });
    const ofSessions = data.filter(({ orchestrationId }) => orchestrationId === null).toReversed();
    useMarks.setState({ questions: Object.fromEntries(ofSessions.map((each) => [each.sessionId, each])) });
  },
  async runs() {
    const { data } = await callOnFirstPage('inbox.list', { about: 'orchestration', limit: PAGE_MAX });
    useMarks.setState({ runs: data });
  },
};
