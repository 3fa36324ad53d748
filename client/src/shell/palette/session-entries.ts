import { badgeContextOf, useInbox } from '../../features/inbox/inbox-items.ts';
import { useMarks } from '../../features/inbox/marks.ts';
import { useRepositories } from '../../features/repositories/RepositoryField.tsx';
import { badgeOf, type SessionBadge, sessionName } from '../../features/sessions/badge.ts';
import { archive, openTerminal, pause, resume, stop } from '../../features/sessions/page/session-actions.ts';
import { SESSION_VIEWS, type SessionSearch, useOpenSession } from '../../features/sessions/page/session-views.ts';
import { useSession, useSessions } from '../../features/sessions/sessions-store.ts';
import { openDialog } from '../dialogs.ts';

/** An entry of the command palette. */
export interface Entry {
  id: string;
  title: string;
  /** Secondary text, right-aligned. */
  note?: string;
  badge?: SessionBadge;
  keys?: string;
  keywords?: string;
  run(): void;
}

/** Returns all sessions: first those that need a person, then by last change. */
export function useSessionEntries(): readonly Entry[] {
  const openSession = useOpenSession();
  const { sessions, held } = useSessions();
  const marks = useMarks();
  const waiting = new Set(useInbox().items.map(({ sessionId }) => sessionId));
  // Repositories are loaded here, so that dialogs opened from the palette know whether there is only one repository.
  const { data } = useRepositories();
  const repositories = new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
  return Object.values(sessions)
    .toSorted((a, b) => Number(waiting.has(b.id)) - Number(waiting.has(a.id)) || (a.updatedAt < b.updatedAt ? 1 : -1))
    .map((session) => {
      const badge = badgeOf(session, badgeContextOf(session.id, { held }, marks));
      const repository = repositories.get(session.repositoryId ?? '') ?? '';
      const branch = session.gitState?.ref ?? '';
      return {
        id: session.id,
        title: sessionName(session),
        note: [badge.word, repository].filter(Boolean).join(' · '),
        badge,
        keywords: `${branch} ${session.agentId} ${repository} ${session.id}`,
        run: () => openSession(session.id),
      };
    });
}

/** Returns actions for the open session. The console rejects actions that the session's state does not allow. */
export function useActionEntries(sessionId: string | undefined): readonly Entry[] {
  const openSession = useOpenSession();
  const session = useSession(sessionId);
  if (session === undefined) return [];
  const { id } = session;
  const show = (search: SessionSearch) => openSession(id, search);
  return [
    ...SESSION_VIEWS.map((view) => ({ id: view, title: `Show ${view}`, run: () => show({ view }) })),
    {
      id: 'new-terminal',
      title: 'New terminal',
      keywords: 'shell',
      run: () => void openTerminal(session).then((worker) => worker && show({ view: 'terminal', worker: worker.id })),
    },
    { id: 'pause', title: 'Pause', run: () => pause(session) },
    { id: 'resume', title: 'Resume', run: () => resume(session) },
    { id: 'stop', title: 'Stop', run: () => stop(session) },
    { id: 'rename', title: 'Rename…', run: () => openDialog({ kind: 'renameSession', sessionId: id }) },
    { id: 'archive', title: 'Archive', run: () => archive(session) },
    { id: 'remove', title: 'Remove…', run: () => openDialog({ kind: 'removeSession', sessionId: id }) },
  ];
}
