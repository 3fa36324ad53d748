import { TITLE_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { Session } from '@agent-console/shared/models/session';
import { Link } from '@tanstack/react-router';
import { useOperationMutation } from '../../../api/operations.ts';
import { useKeyHints } from '../../../shell/key-hints.ts';
import { Age } from '../../../ui/Age.tsx';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { failureToast } from '../../../ui/toasts.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { OverlapMark } from '../../overlaps/OverlapMark.tsx';
import { BadgeGlyph, badgeTone } from '../BadgeGlyph.tsx';
import { type SessionBadge, sessionName } from '../badge.ts';
import { useLayout } from '../layout.ts';
import { refreshSession, useSession } from '../sessions-store.ts';
import { parentIdOf } from '../tree-order.ts';
import { useTreeDisplay } from '../tree-overlay.ts';
import { SessionMenu } from './SessionMenu.tsx';
import { usePending } from './session-actions.ts';

/** Title and badge of a session. The badge shows its source and confidence on hover and focus. */
export function SessionHeader(props: {
  session: Session;
  badge: SessionBadge;
  renaming: boolean;
  onRenaming: (renaming: boolean) => void;
  onInspector: () => void;
}) {
  const { session, badge } = props;
  const inspectorShown = useLayout((layout) => layout.inspectorShown);
  const hints = useKeyHints();
  const treeDisplay = useTreeDisplay(session.id);
  const pending = usePending((all) => all[session.id]);
  const parent = useSession(parentIdOf(session) ?? undefined);
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line pl-3 pr-2 max-md:h-12 max-md:pl-0">
      <Link aria-label="All sessions" className="min-w-10 py-3 pl-4 text-lg text-quiet md:hidden" to="/sessions">
        ‹
      </Link>
      {treeDisplay.isShown && !treeDisplay.isOverlay ? null : (
        <button
          aria-label="Show session list"
          className="-ml-1 h-7 rounded-md px-2 text-quiet hover:bg-hover max-md:hidden"
          onClick={treeDisplay.toggle}
          title={hints.withKeys('Show session list', 'show-or-hide-session-list')}
          type="button"
        >
          ◧
        </button>
      )}
      <BadgeGlyph badge={badge} />
      {/* On a phone, the badge is below the title. Beside the badge, the title would have space for only one word. */}
      <div className="flex min-w-0 flex-1 items-center gap-2 max-md:flex-col max-md:items-start max-md:gap-0">
        {parent === undefined || props.renaming ? null : (
          <Link
            className="flex min-w-12 max-w-40 shrink-[8] gap-1 text-quiet hover:text-text hover:underline max-lg:hidden"
            params={{ sessionId: parent.id }}
            title="Parent session"
            to="/sessions/$sessionId"
          >
            <UntrustedLine text={sessionName(parent)} /> ›
          </Link>
        )}
        <SessionTitle onRenaming={props.onRenaming} renaming={props.renaming} session={session} />
        <span className="flex-1 max-md:hidden" />
        <span
          className="group relative shrink-0 rounded px-1 text-sm text-quiet max-md:px-0"
          data-testid="badge"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
          tabIndex={0}
        >
          {session.agentId} ·{' '}
          {pending === undefined ? (
            <span className={badgeTone(badge)}>
              {badge.word} <Age since={badge.since} />
            </span>
          ) : (
            <span>{pending}…</span>
          )}
          <span
            className="invisible absolute right-0 top-6 z-20 w-max max-w-72 max-md:right-auto max-md:left-0 rounded-md border border-line bg-raised px-2 py-1 text-text shadow-raised group-hover:visible group-focus:visible"
            role="tooltip"
          >
            {badge.word} · {badge.source}
          </span>
        </span>
      </div>
      <OverlapMark
        className="h-7 w-8 max-md:size-11"
        keys={hints.keysOf('show-sessions-that-change-the-same-files')}
        session={session}
      />
      <SessionMenu onRename={() => props.onRenaming(true)} session={session} />
      <button
        aria-label="Details"
        aria-pressed={inspectorShown}
        className="h-7 w-8 shrink-0 rounded-md text-quiet hover:bg-hover hover:text-text lg:aria-pressed:bg-selected max-md:h-11 max-md:w-11"
        onClick={props.onInspector}
        title={hints.withKeys('Details', 'show-or-hide-details')}
        type="button"
      >
        ◨
      </button>
    </header>
  );
}

/** Title of a session; a double click edits it. */
function SessionTitle(props: { session: Session; renaming: boolean; onRenaming: (renaming: boolean) => void }) {
  const { session, renaming, onRenaming } = props;
  const hints = useKeyHints();
  const update = useOperationMutation('sessions.update', { onSuccess: ({ id }) => refreshSession(id) });
  // While the new title is being saved, it is already shown.
  const name = update.isPending
    ? sessionName({ ...session, title: update.variables.title ?? '' })
    : sessionName(session);
  if (!renaming) {
    return (
      <h1
        className="min-w-0 text-lg font-semibold max-md:max-w-full max-md:text-base max-md:leading-5"
        onDoubleClick={() => onRenaming(true)}
        title={`${escapeHidden(name)}\n${hints.withKeys('Double-click to rename', 'rename-session')}`}
      >
        <UntrustedLine text={name} />
      </h1>
    );
  }
  const finish = (title: string) => {
    onRenaming(false);
    if (title === session.title) return;
    update.mutate({ sessionId: session.id, title }, { onError: failureToast('Could not rename the session') });
  };
  return (
    <input
      aria-label="Session title"
      dir="auto"
      // biome-ignore lint/a11y/noAutofocus: the user just asked to rename
      autoFocus
      className="h-7 min-w-0 flex-1 rounded-md border border-line bg-bg px-1.5 text-lg font-semibold max-md:text-[16px]"
      defaultValue={session.title}
      maxLength={TITLE_MAX_CHARS}
      onBlur={({ target }) => finish(target.value.trim())}
      onFocus={({ target }) => target.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.currentTarget.value = session.title;
          event.currentTarget.blur();
        }
      }}
      placeholder={sessionName({ ...session, title: '' })}
    />
  );
}
