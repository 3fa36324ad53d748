import { FORMS } from 'virtual:operation-forms';
import type { Session } from '@agent-console/shared/models/session';
import type { OperationName } from '@agent-console/shared/operations/table';
import { useNavigate } from '@tanstack/react-router';
import { badgeContextOf, useInbox } from '../../features/inbox/inbox-items.ts';
import { useMarks } from '../../features/inbox/marks.ts';
import { useIsMergeUndoable } from '../../features/integrations/use-undoable.ts';
import { useRepositories } from '../../features/repositories/RepositoryField.tsx';
import { useAnySession } from '../../features/sessions/any-session.ts';
import { badgeOf, type SessionBadge, sessionName } from '../../features/sessions/badge.ts';
import { SESSION_VIEWS, useOpenSession } from '../../features/sessions/page/session-views.ts';
import { useSessions } from '../../features/sessions/sessions-store.ts';
import { SETTINGS_SECTIONS } from '../../features/settings/sections.ts';
import { copy } from '../../ui/copy.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { openDialog } from '../dialogs.ts';
import { useKeyHints } from '../key-hints.ts';
import { PAGES } from '../pages.ts';
import type { ShortcutId } from '../shortcut-labels.ts';
import { useKeysOf } from '../use-keys.ts';
import { COMMANDS, type Command, PAGE_KEYWORDS, SECTION_WORDS } from './commands.ts';
import type { Findable } from './rank.ts';
import { SESSION_VERBS, type SessionVerb } from './session-verbs.ts';
import { useRunVerb } from './use-run-verb.ts';
import { useVerbContext } from './verb-context.ts';

export interface Entry extends Findable {
  id: string;
  badge?: SessionBadge;
  keys?: string;
  /** Whether the entry is shown if no entry of its group matches the query. */
  isAlwaysShown?: boolean;
  /** Returns the title that the entry has while the search field contains a query. */
  titleFor?(query: string): string;
  /** Called with the text in the search field. If it returns `stay`, the palette stays open. */
  run(query: string): unknown;
}

/**
 * Returns the sessions that are not archived, and those in `archived`, as entries that call `choose`. Sorted by last
 * change, newest first, but with the sessions in the inbox before all others.
 */
export function useSessionEntries(
  choose: (session: Session) => void,
  archived: readonly Session[],
): readonly (Entry & { session: Session })[] {
  const sessions = useSessions((state) => state.sessions);
  const marks = useMarks();
  const waiting = new Set(useInbox().items.map(({ sessionId }) => sessionId));
  // Loading the repositories here also lets a dialog that is opened from the palette preselect one at once.
  const { data } = useRepositories();
  const repositories = new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
  return [...Object.values(sessions), ...archived]
    .toSorted((a, b) => Number(waiting.has(b.id)) - Number(waiting.has(a.id)) || (a.updatedAt < b.updatedAt ? 1 : -1))
    .map((session) => {
      const badge = badgeOf(session, badgeContextOf(session.id, marks));
      const repository = repositories.get(session.repositoryId ?? '') ?? '';
      const branch = session.gitState?.ref ?? '';
      return {
        session,
        id: session.id,
        title: sessionName(session),
        note: [badge.word, repository].filter(Boolean).join(' · '),
        badge,
        keywords: [branch, session.agentId, session.id],
        run: () => choose(session),
      };
    });
}

/**
 * Returns entries for the open session: the commands that apply to it, its views, and the values that can be copied.
 */
export function useOpenSessionEntries(sessionId: string | undefined): readonly Entry[] {
  const openSession = useOpenSession();
  const runVerb = useRunVerb();
  const session = useAnySession(sessionId);
  const isMergeUndoable = useIsMergeUndoable(session);
  const contextOf = useVerbContext(() => isMergeUndoable);
  const { keysOf } = useKeyHints();
  if (session === undefined) return [];
  const base = session.gitState?.work?.base ?? null;
  const withKeys = (id: ShortcutId | undefined) => {
    const keys = id === undefined ? undefined : keysOf(id);
    return keys === undefined ? {} : { keys };
  };
  return [
    ...SESSION_VERBS.filter((verb) => verb.applies(session, contextOf(session))).map((verb) => ({
      ...found(verb),
      ...withKeys(verb.shortcut),
      title: verb.title(base === null ? null : isolateText(base)),
      run: () => runVerb(verb, session),
    })),
    ...SESSION_VIEWS.map((view) => ({
      id: `show-${view}`,
      ...withKeys(`show-${view}`),
      title: `Show ${view}`,
      keywords: ['open', 'view', 'tab'],
      run: () => openSession(session.id, { view }),
    })),
    {
      id: 'copy-path',
      title: 'Copy path',
      keywords: ['folder', 'directory'],
      run: () => void copy(session.cwd, 'path'),
    },
    { id: 'copy-id', title: 'Copy ID', run: () => void copy(session.id, 'ID') },
  ];
}

/**
 * Returns the session commands that do not apply to the open session, or all of them if no session is open. Choosing
 * one asks on which session to run it.
 */
export function useOtherVerbs(sessionId: string | undefined, ask: (verb: SessionVerb) => void): readonly Entry[] {
  const session = useAnySession(sessionId);
  const isMergeUndoable = useIsMergeUndoable(session);
  const contextOf = useVerbContext(() => isMergeUndoable);
  return SESSION_VERBS.filter((verb) => session === undefined || !verb.applies(session, contextOf(session))).map(
    (verb) => {
      const title = verb.title(null);
      return {
        ...found(verb),
        title: title.endsWith('…') ? title : `${title}…`,
        run: () => {
          ask(verb);
          return 'stay';
        },
      };
    },
  );
}

function found({ id, aliases = [], keywords = [] }: SessionVerb) {
  return { id: `session-${id}`, aliases, keywords };
}

/** Returns the pages, the sections of the settings, and the commands that do not act on a session. */
export function useCommandEntries(): Readonly<Record<'create' | 'goTo' | 'settings', readonly Entry[]>> {
  const navigate = useNavigate();
  const keysOf = useKeysOf();
  const entry = ({ run, shortcut, ...command }: Command): Entry => ({
    ...command,
    ...(shortcut === undefined ? {} : { keys: keysOf(shortcut) }),
    run: (query) => run({ navigate: (to) => void navigate(to), query }),
  });
  const pages = PAGES.map(({ to, id, title }) => ({
    id: to,
    title,
    keys: keysOf(id),
    keywords: PAGE_KEYWORDS[to],
    run: () => void navigate({ to }),
  }));
  const settings = SETTINGS_SECTIONS.map(({ id, name }) => ({
    id: `settings-${id}`,
    title: name,
    note: 'Settings',
    ...SECTION_WORDS[id],
    run: () => void navigate({ to: '/settings/$section', params: { section: id } }),
  }));
  return {
    create: COMMANDS.filter(({ group }) => group === 'create').map(entry),
    goTo: [...pages, ...COMMANDS.filter(({ group }) => group === 'go').map(entry)],
    settings,
  };
}

/** Returns an entry for each operation that requires a login. Choosing an entry opens the form of the operation. */
export function operationEntries(sessionId: string | undefined): readonly Entry[] {
  return Object.entries(FORMS)
    .filter(([, { access }]) => access !== 'public')
    .map(([name, { summary, command }]) => ({
      id: name,
      title: summary,
      isSentence: true,
      note: name,
      keywords: command === undefined ? [] : [command],
      run: () =>
        openDialog({
          kind: 'operation',
          name: name as OperationName,
          ...(sessionId === undefined ? {} : { input: { sessionId } }),
        }),
    }));
}
