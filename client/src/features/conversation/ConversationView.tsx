import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import { Link } from '@tanstack/react-router';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkQuestion, QuestionBox } from '../../ui/LinkQuestion.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { QueryFallback, type QueryState, RetryButton } from '../../ui/QueryFallback.tsx';
import { Feed, type FeedControl } from '../events/Feed.tsx';
import { useSessionBadge } from '../sessions/BadgeGlyph.tsx';
import { Activity, ActivityAnnouncer } from './Activity.tsx';
import { ConversationBar } from './ConversationBar.tsx';
import { matchesIn, positionAt, prepareSearch, turnsIn } from './find.ts';
import type { LoadedMessages } from './loaded-messages.ts';
import { MessageRow } from './MessageRow.tsx';
import './markdown/markdown.css';
import { OpenLink } from './markdown/Markdown.tsx';
import { loadAllEarlierMessages, loadEarlierMessages, useMessages } from './messages-query.ts';
import { PinnedPlan } from './PlanList.tsx';
import { stopAround, windowAt } from './row-window.ts';
import { type PlanRow, type Row, rowsOf } from './rows.ts';
import { useAttempts } from './use-attempts.ts';
import { useHighlight } from './use-highlight.ts';
import { useShownMessage } from './use-shown-message.ts';

/** Estimated height of a row before it is measured, in pixels. */
const ROW_PX = 40;
const LINK_LABEL = 'conversation-link';

/**
 * The session's messages, oldest first. Stays scrolled to the end unless the reader scrolls up.
 * @param props.question the agent's pending question, which is shown at the end
 */
export function ConversationView({ session, question }: { session: Session; question: ReactNode }) {
  const query = useMessages(session.id);
  const { data } = query;
  const tasks = useTasks(session.id);
  const [link, setLink] = useState<string>();
  if (data === undefined) return <QueryFallback query={query} />;
  return (
    <OpenLink value={setLink}>
      {data.rows.length === 0 && question === null && session.task?.status !== 'running' ? (
        <NoMessages session={session} />
      ) : (
        <Conversation key={session.id} loaded={data} question={question} session={session} tasks={tasks} />
      )}
      {link === undefined ? null : (
        <QuestionBox labelId={LINK_LABEL} onClose={() => setLink(undefined)}>
          <LinkQuestion
            address={link}
            labelId={LINK_LABEL}
            note="The agent wrote this link. Its text may differ from its address."
            onClose={() => setLink(undefined)}
          />
        </QuestionBox>
      )}
    </OpenLink>
  );
}

function NoMessages({ session }: { session: Session }) {
  return (
    <EmptyState>
      <p className="text-text">No messages yet</p>
      {session.driver === 'acp' ? (
        <p>The agent starts when you send the first prompt.</p>
      ) : (
        <>
          <p>Prompts and answers appear here.</p>
          <TerminalLink sessionId={session.id} />
        </>
      )}
    </EmptyState>
  );
}

function Conversation(props: {
  session: Session;
  loaded: LoadedMessages;
  tasks: readonly Task[];
  question: ReactNode;
}) {
  const { session, loaded, tasks, question } = props;
  const { earlier, rows: messages } = loaded;
  const scroller = useRef<HTMLDivElement>(null);
  /** Rows that the reader expanded (true) or collapsed (false), by the row's id. */
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const badge = useSessionBadge(session);
  const rows = useMemo(() => rowsOf(messages, tasks), [messages, tasks]);
  const earlierPage = useAttempts(() => loadEarlierMessages(session.id));
  const allEarlier = useAttempts(() =>
    // The messages of each response are prepared for the search while the next response is fetched. Preparing all
    // messages at the end would freeze the dashboard.
    loadAllEarlierMessages(session.id, (page) => prepareSearch(rowsOf(page, tasks))),
  );
  const loading = earlierPage.isFetching || allEarlier.isFetching;
  const shownAt = useShownMessage(loaded, rows, earlierPage.refetch);
  const runningId = session.task?.endedAt === null ? session.task.id : undefined;
  const toggle = useCallback((id: string, open: boolean) => setOpened((before) => new Map(before).set(id, open)), []);
  const control = useRef<FeedControl>(null);
  /** Index after the last row in the list; undefined if the list reaches the end of the conversation. */
  const [listEnd, setListEnd] = useState<number>();
  const { start, stop } = windowAt(rows.length, listEnd);
  const show = (index: number) => {
    // A row must be in the list before the list can scroll to it.
    if (index < start || index >= stop) flushSync(() => setListEnd(stopAround(rows.length, index)));
    const shown = index < start || index >= stop ? windowAt(rows.length, stopAround(rows.length, index)).start : start;
    control.current?.show(index - shown);
  };
  const firstShown = () => {
    const first = control.current?.first() ?? -1;
    return first < 0 ? -1 : first + start;
  };
  const latest = useRef({ rows, show });
  latest.current = { rows, show };
  const shownId = shownAt === undefined ? undefined : rows[shownAt]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll once to each message that the address names
  useEffect(() => {
    if (shownAt !== undefined) latest.current.show(shownAt);
  }, [shownId]);
  // Scrolls to the beginning of the list, where the error is shown. If a link to an earlier message caused the request,
  // another part of the list may be visible.
  useEffect(() => {
    if (earlierPage.error !== null) latest.current.show(0);
  }, [earlierPage.error]);
  const find = useFind(rows, { show, first: firstShown }, scroller);
  const turns = useMemo(() => turnsIn(rows), [rows]);
  const showTurn = (by: 1 | -1) => {
    const first = firstShown();
    const at = positionAt(turns, first);
    // If the first visible row is in the middle of a turn, going back leads to the beginning of that turn.
    const next = by === -1 && at >= 0 && (turns[at] ?? 0) < first ? at : at + by;
    const index = turns[Math.min(turns.length - 1, Math.max(0, next))];
    if (index !== undefined) show(index);
  };
  const last = rows.at(-1);
  const questionedCall = question === null ? undefined : callAskedAbout(rows);
  const pinned = rows.findLast((row): row is PlanRow => row.kind === 'plan');
  const showEarlier = async () => {
    if (start > 0) {
      const first = firstShown();
      flushSync(() => setListEnd(stopAround(rows.length, start)));
      control.current?.show(first - windowAt(rows.length, stopAround(rows.length, start)).start);
      return;
    }
    const id = rows[firstShown()]?.id;
    if (!(await earlierPage.refetch())) return;
    // Scrolls to the row that was at the top of the view before earlier rows were added above it.
    requestAnimationFrame(() => {
      const index = latest.current.rows.findIndex((row) => row.id === id);
      if (index >= 0) latest.current.show(index);
    });
  };

  return (
    <div className="flex h-full min-h-0 flex-col">
      <ActivityAnnouncer badge={badge} />
      <ConversationBar
        {...find}
        earlier={earlier}
        loading={loading}
        onSearchEarlier={() => void allEarlier.refetch()}
        onTurn={showTurn}
        turns={turns.length}
      />
      {find.query === '' || earlier === 0 || allEarlier.error === null ? null : (
        <div className="shrink-0 border-b border-line p-2">
          <Problem error={allEarlier.error}>
            <RetryButton query={{ ...allEarlier, isFetching: loading }} />
          </Problem>
        </div>
      )}
      <div className="min-h-0 flex-1">
        <Feed
          control={control}
          count={stop - start}
          footer={
            <div className="mx-auto w-full max-w-200 px-4 pt-1 pb-4 max-md:px-2">
              {stop < rows.length ? (
                <Button onClick={() => show(stop)}>
                  {`Show later messages (${(rows.length - stop).toLocaleString('en')})`}
                </Button>
              ) : (
                (question ?? <Activity badge={badge} session={session} />)
              )}
            </div>
          }
          header={
            <div className="mx-auto w-full max-w-200 px-4 pt-3 max-md:px-2">
              <h2 className="sr-only">Conversation</h2>
              <Beginning
                earlier={earlier + start}
                fromTerminal={session.driver !== 'acp' && messages.every(({ source }) => source === 'console')}
                query={{ error: earlierPage.error, isFetching: loading, refetch: showEarlier }}
                sessionId={session.id}
              />
            </div>
          }
          itemPx={ROW_PX}
          keyOf={(index) => rows[start + index]?.id ?? index}
          label="Conversation"
          overscan={8}
          received={earlier + messages.length}
          scroller={scroller}
        >
          {(shownIndex) => {
            const index = start + shownIndex;
            const row = rows[index];
            if (row === undefined) return null;
            const active = row.kind !== 'end' && row.message.taskId === runningId && runningId !== undefined;
            return (
              <div
                className={`mx-auto flow-root w-full max-w-200 rounded-md px-4 max-md:px-2 ${find.found === index ? 'outline-2 outline-accent' : ''} ${index === shownAt ? 'bg-needs-bg' : ''}`}
              >
                <MessageRow
                  active={active}
                  grows={active && row === last && question === null}
                  onToggle={toggle}
                  // The tool call that the agent's question is about is expanded, so that people see what they allow.
                  open={opened.get(row.id) ?? row === questionedCall}
                  row={row}
                  session={session}
                />
              </div>
            );
          }}
        </Feed>
      </div>
      {pinned !== undefined && pinned.message.taskId === runningId && runningId !== undefined ? (
        <PinnedPlan omitted={pinned.omitted} steps={pinned.steps} />
      ) : null}
    </div>
  );
}

/** State of the search in a conversation. `found` is the index of the row with the shown match, or -1. */
function useFind(rows: readonly Row[], list: FeedControl, scroller: RefObject<HTMLDivElement | null>) {
  const [query, setQuery] = useState('');
  const [shown, setShown] = useState<string>();
  // Defers the search, so that typing stays responsive in a long conversation.
  const wanted = useDeferredValue(query);
  const matches = useMemo(() => matchesIn(rows, wanted), [rows, wanted]);
  const found = shown === undefined ? -1 : rows.findIndex(({ id }) => id === shown);
  useHighlight(scroller, wanted);
  const show = (index: number | undefined) => {
    if (index === undefined) return;
    setShown(rows[index]?.id);
    list.show(index);
  };
  const onMatch = (by: 1 | -1) => {
    const from = found >= 0 ? found : list.first() - 1;
    const at = positionAt(matches, by === 1 ? from : from - 1);
    show(matches.at(by === 1 ? (at + 1) % Math.max(1, matches.length) : at));
  };
  return {
    query,
    onQuery: (text: string) => {
      setQuery(text);
      setShown(undefined);
    },
    matches: matches.length,
    match: found >= 0 ? matches.indexOf(found) + 1 : 0,
    onMatch,
    found,
  };
}

/** Returns the tool call that a question is about: the last pending call, or else the last row if it is a call. */
function callAskedAbout(rows: readonly Row[]): Row | undefined {
  const waits = (row: Row) => row.kind === 'tool' && row.message.parts[0]?.status === 'pending';
  const last = rows.at(-1);
  return rows.findLast(waits) ?? (last?.kind === 'tool' ? last : undefined);
}

function Beginning(props: {
  sessionId: string;
  earlier: number;
  fromTerminal: boolean;
  /** Request for earlier messages. */
  query: QueryState;
}) {
  const { earlier, fromTerminal, query, sessionId } = props;
  if (earlier > 0 && query.error !== null) {
    return (
      <Problem error={query.error}>
        <RetryButton query={query} />
      </Problem>
    );
  }
  if (earlier > 0) {
    return (
      <Button busy={query.isFetching} onClick={() => void query.refetch()}>
        {`Show earlier messages (${earlier.toLocaleString('en')})`}
      </Button>
    );
  }
  if (!fromTerminal) return null;
  return (
    <p className="text-sm text-quiet">
      Only prompts, notices and reports are shown here. <TerminalLink sessionId={sessionId} />
    </p>
  );
}

function TerminalLink({ sessionId }: { sessionId: string }) {
  return (
    <Link
      className="text-accent underline"
      params={{ sessionId }}
      search={{ view: 'terminal' }}
      to="/sessions/$sessionId"
    >
      Open the terminal to see the agent's output
    </Link>
  );
}

const NONE: readonly Task[] = [];

/** Returns the newest tasks of a session, at most PAGE_MAX, oldest first. */
function useTasks(sessionId: string): readonly Task[] {
  const count = useOperationQuery('sessions.tasks', { sessionId, limit: 1 });
  const skip = Math.max(0, (count.data?.total ?? 0) - PAGE_MAX);
  const { data } = useOperationQuery(
    'sessions.tasks',
    { sessionId, limit: PAGE_MAX, skip },
    { enabled: count.data !== undefined },
  );
  return data?.data ?? NONE;
}
