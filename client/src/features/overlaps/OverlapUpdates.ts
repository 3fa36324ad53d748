import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Session } from '@agent-console/shared/models/session';
import { call } from '../../api/call.ts';
import { onConsoleEvents } from '../../api/live.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { useOverlapStore } from './overlaps-store.ts';

/**
 * Delay in milliseconds between an event and the fetch of the overlaps, so that a burst of events causes one fetch. One
 * change of a worktree can cause many events, one for each overlap with another worktree.
 */
const BATCH_MS = 300;

const changed = new Set<string>();
let isScheduled = false;

/** Fetches the overlaps of all repositories in which sessions work in several worktrees. */
function loadOverlaps(sessions: readonly Session[]): void {
  const worktrees = new Map<string, Set<string>>();
  for (const { repositoryId, worktreeId } of sessions) {
    if (repositoryId === null || worktreeId === null) continue;
    worktrees.set(repositoryId, (worktrees.get(repositoryId) ?? new Set()).add(worktreeId));
  }
  for (const [repositoryId, ids] of worktrees) if (ids.size > 1) schedule(repositoryId);
}

/** Refetches the overlaps that an event may have changed. */
function handleOverlapEvent({ type, subject }: ConsoleEvent): void {
  if (!type.startsWith('overlap.') && type !== 'worktree.removed') return;
  const { sessions } = useSessions.getState();
  const session = Object.values(sessions).find(({ worktreeId }) => worktreeId === subject.id);
  if (session !== undefined && session.repositoryId !== null) schedule(session.repositoryId);
}

function schedule(repositoryId: string): void {
  changed.add(repositoryId);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => void flush(), BATCH_MS);
}

async function flush(): Promise<void> {
  const ids = [...changed];
  changed.clear();
  for (const repositoryId of ids) {
    // If this fetch fails, the overlaps are fetched after the next event or snapshot.
    const page = await call('repositories.overlaps', { repositoryId, limit: PAGE_MAX }).catch(() => undefined);
    if (page !== undefined) useOverlapStore.setState({ [repositoryId]: page.data });
  }
  isScheduled = false;
  const [next] = changed;
  if (next !== undefined) schedule(next);
}

onConsoleEvents({ onSnapshot: loadOverlaps, onEvent: handleOverlapEvent });
// The first snapshot may have arrived before this code.
loadOverlaps(Object.values(useSessions.getState().sessions));

/**
 * Keeps the overlaps up to date from the time on when this module is loaded. It is a component only so that the page
 * says if it cannot be loaded.
 */
export default function OverlapUpdates(): null {
  return null;
}
