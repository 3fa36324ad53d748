import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { Link } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { QueryFallback } from '../../ui/QueryFallback.tsx';
import { useAppendOnlyList } from '../events/append-only-list.ts';
import { Feed, toggled } from '../events/Feed.tsx';
import { loadEarlierMessages, messagesQuery } from './messages-query.ts';
import { TurnBlock } from './TurnBlock.tsx';
import { turnsOf } from './turns.ts';

/** Estimated height of a turn before it is measured, in pixels. */
const TURN_PX = 180;

/** The session's messages, oldest first. Stays scrolled to the end unless the reader scrolls up. */
export function ConversationView({ sessionId }: { sessionId: string }) {
  const query = useAppendOnlyList(useMemo(() => messagesQuery(sessionId), [sessionId]));
  const { data } = query;
  const tasks = useTasks(sessionId);
  if (data === undefined) return <QueryFallback query={query} />;
  if (data.rows.length === 0) {
    return (
      <EmptyState>
        <p>No messages yet</p>
        <p>Prompts and reports appear here. For the agent’s output, open</p>
        <TerminalLink sessionId={sessionId} />
      </EmptyState>
    );
  }
  return (
    <Conversation earlier={data.earlier} key={sessionId} messages={data.rows} sessionId={sessionId} tasks={tasks} />
  );
}

function Conversation(props: {
  sessionId: string;
  messages: readonly Message[];
  earlier: number;
  tasks: readonly Task[];
}) {
  const { sessionId, messages, earlier, tasks } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [loading, setLoading] = useState(false);
  const turns = useMemo(() => turnsOf(messages, tasks), [messages, tasks]);
  const fromTerminal = messages.every(({ source }) => source === 'console');
  const showEarlier = async () => {
    setLoading(true);
    const below = (scroller.current?.scrollHeight ?? 0) - (scroller.current?.scrollTop ?? 0);
    await loadEarlierMessages(sessionId).finally(() => setLoading(false));
    requestAnimationFrame(() => {
      if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight - below;
    });
  };

  return (
    <Feed
      count={turns.length}
      header={
        <div className="mx-auto w-full max-w-200 px-4 pt-3">
          {earlier > 0 ? (
            <Button busy={loading} onClick={() => void showEarlier()}>
              Show earlier messages ({earlier.toLocaleString('en')})
            </Button>
          ) : (
            fromTerminal && (
              <p className="text-sm text-quiet">
                Prompts, notices and reports of this session. For the agent’s output, open{' '}
                <TerminalLink sessionId={sessionId} />.
              </p>
            )
          )}
        </div>
      }
      itemPx={TURN_PX}
      keyOf={(index) => turns[index]?.id ?? index}
      label="Conversation"
      overscan={4}
      received={earlier + messages.length}
      scroller={scroller}
    >
      {(index) => {
        const turn = turns[index];
        if (turn === undefined) return null;
        const expand = (id: string) => setExpanded((before) => toggled(before, id));
        return (
          <div className="mx-auto w-full max-w-200 px-4 py-3">
            <TurnBlock expanded={expanded} onExpand={expand} turn={turn} />
          </div>
        );
      }}
    </Feed>
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
      the terminal
    </Link>
  );
}

const NONE: readonly Task[] = [];

/** Returns the newest tasks of a session, at most one page, oldest first. */
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
