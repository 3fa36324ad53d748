import type { Session as SessionModel } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { existing, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { loadTerminal } from '../../terminal/load.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DelayedFallback } from '../../ui/DelayedFallback.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useSize } from '../../ui/element-size.ts';
import { focusPage } from '../../ui/focus.ts';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { NARROW, useMedia } from '../../ui/use-media.ts';
import { usePageVisible } from '../../ui/use-page-visible.ts';
import { ApprovalPanel } from '../approvals/ApprovalPanel.tsx';
import { usePendingApproval } from '../approvals/use-pending-approval.ts';
import { markRead } from '../inbox/mark-read.ts';
import { readUntilOf, useMarks } from '../inbox/marks.ts';
import { useSessionBadge } from './BadgeGlyph.tsx';
import { mainWorker, sessionName, taskEndOf } from './badge.ts';
import { Inspector } from './inspector/Inspector.tsx';
import { InspectorSheet } from './inspector/InspectorSheet.tsx';
import { updateLayout, useLayout } from './layout.ts';
import { createFocusTarget } from './page/focus-target.ts';
import { SessionHeader } from './page/SessionHeader.tsx';
import { defaultView, type SessionView, useOpenSession } from './page/session-views.ts';
import { needsStrip, TerminalStrip } from './page/TerminalStrip.tsx';
import { ViewTabs } from './page/ViewTabs.tsx';
import { WorkArea } from './page/WorkArea.tsx';
import { useDraft } from './prompt/drafts.ts';
import { PromptBox } from './prompt/PromptBox.tsx';
import { toggleReviewFocus, useReviewFocus } from './review-focus.ts';
import { useSession } from './sessions-store.ts';

/** A session must be open for this many milliseconds before the outcome of its task counts as read. */
const READ_AFTER_MS = 1_000;

void loadTerminal();

/** One session: header, views, pending question and prompt box. */
export function SessionPage() {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' });
  const known = useSession(sessionId);
  const query = useOperationQuery('sessions.get', { sessionId });
  const { error, refetch } = query;
  const data = existing(query);
  // The store does not contain archived sessions, so their data comes from the query.
  const session = known ?? data;
  if (session !== undefined) return <Session key={sessionId} session={session} tasks={data?.tasks} />;
  if (error === null) {
    return (
      <DelayedFallback>
        <EmptyState>Loading…</EmptyState>
      </DelayedFallback>
    );
  }
  return (
    <EmptyState>
      <p className="text-text">{error.code === 'NOT_FOUND' ? 'Session not found.' : error.message}</p>
      {error.code === 'NOT_FOUND' ? (
        <>
          <UnsentPrompt sessionId={sessionId} />
          <Link className="text-accent underline" to="/sessions">
            All sessions
          </Link>
        </>
      ) : (
        <Button onClick={() => void refetch()}>Try again</Button>
      )}
    </EmptyState>
  );
}

/** Shows the unsent prompt of a removed session, whose page has no prompt box. */
function UnsentPrompt({ sessionId }: { sessionId: string }) {
  const { text } = useDraft(sessionId);
  if (text === '') return null;
  return (
    <section aria-label="Unsent prompt" className="flex w-full max-w-150 flex-col items-center gap-2">
      <p>Your prompt was not sent:</p>
      <p className="max-h-60 w-full overflow-y-auto whitespace-pre-wrap break-words rounded-md border border-line bg-sunken px-2.5 py-2 text-left text-text">
        {text}
      </p>
      <CopyButton text={text} />
    </section>
  );
}

/** @param props.tasks oldest first; undefined until loaded */
function Session({ session, tasks }: { session: SessionModel; tasks: readonly Task[] | undefined }) {
  const { worker: workerId, view = workerId === undefined ? defaultView(session) : 'terminal' } = useSearch({
    from: '/sessions/$sessionId',
  });
  const openSession = useOpenSession();
  const [renaming, setRenaming] = useState(false);
  const [sheet, setSheet] = useState(false);
  const narrow = useMedia(NARROW);
  const isReviewing = useReviewFocus();
  const inspectorShown = useLayout((layout) => layout.inspectorShown) && !isReviewing;
  const prompt = useRef<HTMLTextAreaElement>(null);
  const terminal = useMemo(createFocusTarget, []);
  const worker = session.workers.find(({ id }) => id === workerId) ?? mainWorker(session);
  const shownTerminal = view === 'terminal' ? worker : undefined;
  const hasStrip = (view === 'terminal' || session.driver === 'acp') && needsStrip(session, shownTerminal);
  const approval = usePendingApproval(session.id);
  const panel = useRef<HTMLElement>(null);
  const [collapsed, setCollapsed] = useState<string>();
  const coveredPx = useSize(panel, (bar) => bar.getBoundingClientRect().height, 0, `${approval?.id} ${view}`);
  const badge = useSessionBadge(session);
  useMarkRead(session);

  const show = (next: SessionView) =>
    openSession(session.id, next === defaultView(session) ? {} : { view: next }, true);
  const inspect = () => {
    if (narrow) setSheet((shown) => !shown);
    else if (isReviewing) toggleReviewFocus();
    else updateLayout({ inspectorShown: !inspectorShown });
  };
  const leave = () => {
    const tree = document.querySelector<HTMLElement>('[data-testid="tree"]');
    if (tree?.offsetParent) tree.focus({ preventScroll: true });
    else focusPage();
  };
  // An agent that is driven over ACP has no terminal to type into.
  const hasTerminal = session.driver !== 'acp' || worker?.type === 'terminal';
  const type = () => {
    if (!hasTerminal) {
      prompt.current?.focus();
      return;
    }
    if (view !== 'terminal') show('terminal');
    terminal.focus();
  };
  const answer = () => {
    if (approval === undefined) return type();
    // The answers of a collapsed question must be rendered before they can be focused.
    flushSync(() => setCollapsed(undefined));
    panel.current?.querySelector<HTMLElement>('[data-answer]')?.focus();
  };
  const { repositoryId, worktreeId } = session;
  const showOverlaps = () => {
    if (repositoryId !== null && worktreeId !== null) openDialog({ kind: 'overlaps', repositoryId, worktreeId });
  };
  const runs = {
    'answer-the-agent-s-question': answer,
    'show-terminal': () => session.driver !== 'acp' && show('terminal'),
    'show-conversation': () => show('conversation'),
    'show-diff': () => session.worktreeId !== null && show('diff'),
    'show-events': () => show('events'),
    'focus-the-terminal': type,
    'focus-the-prompt': () => prompt.current?.focus(),
    'rename-session': () => setRenaming(true),
    'show-sessions-that-change-the-same-files': showOverlaps,
    'show-or-hide-details': inspect,
  };

  const inspector = <Inspector session={session} showsFiles={view !== 'diff'} tasks={tasks} />;
  const inConversation = view === 'conversation';
  const question =
    approval === undefined ? null : (
      <ApprovalPanel
        approval={approval}
        collapsed={collapsed === approval.id}
        inline={inConversation}
        key={approval.id}
        onCollapse={(collapse) => setCollapsed(collapse ? approval.id : undefined)}
        onTerminal={
          hasTerminal && approval.workerId !== null
            ? () => {
                setCollapsed(approval.id);
                type();
              }
            : undefined
        }
        panel={panel}
      />
    );
  return (
    <div className="flex h-full min-w-0">
      <section
        aria-label={escapeHidden(sessionName(session))}
        className="flex h-full min-w-0 flex-1 flex-col outline-none"
        data-focus-home
        tabIndex={-1}
      >
        <SessionKeys runs={runs} />
        <SessionHeader
          onInspector={inspect}
          onRenaming={setRenaming}
          renaming={renaming}
          session={session}
          badge={badge}
        />
        <ViewTabs hasStrip={hasStrip} onAnswer={answer} session={session} view={view} />
        {hasStrip ? <TerminalStrip session={session} shown={shownTerminal} /> : null}
        <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
          <WorkArea
            onLeave={leave}
            question={inConversation ? question : null}
            session={session}
            terminal={terminal.ref}
            view={view}
            worker={worker}
            coveredPx={coveredPx}
          />
          {inConversation ? null : question}
        </div>
        <PromptBox box={prompt} covers={!inConversation} onLeave={leave} session={session} tasks={tasks ?? []} />
      </section>
      {narrow ? (
        <InspectorSheet onOpen={setSheet} open={sheet}>
          {inspector}
        </InspectorSheet>
      ) : inspectorShown ? (
        <aside aria-label="Details" className="h-full w-85 shrink-0 border-l border-line">
          {inspector}
        </aside>
      ) : null}
    </div>
  );
}

/**
 * Registers the shortcuts of the page. This component is rendered before the view, so that a shortcut of the view with
 * the same keys takes precedence.
 */
function SessionKeys({ runs }: { runs: Parameters<typeof shortcutsOf<keyof typeof KEYS.session>>[1] }) {
  useShortcuts(shortcutsOf(KEYS.session, runs));
  return null;
}

/** Marks the outcome of the session as read once the page has been visible for READ_AFTER_MS. */
function useMarkRead(session: SessionModel): void {
  const { id } = session;
  const end = taskEndOf(session);
  const isVisible = usePageVisible();
  const isUnread = useMarks((marks) => end !== undefined && end > (readUntilOf(marks, id) ?? ''));
  useEffect(() => {
    if (end === undefined || !isUnread || !isVisible) return undefined;
    const item = { sessionId: id, orchestrationId: null, since: end };
    const timer = setTimeout(() => markRead([item]), READ_AFTER_MS);
    return () => clearTimeout(timer);
  }, [id, end, isUnread, isVisible]);
}
