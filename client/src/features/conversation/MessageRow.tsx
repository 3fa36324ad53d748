import type { Session } from '@agent-console/shared/models/session';
import { isRetryable, type Task } from '@agent-console/shared/models/task';
import type { NoticeItem } from '@agent-console/shared/notice-block';
import { memo, type ReactNode } from 'react';
import { openDialog } from '../../shell/dialogs.ts';
import { Age } from '../../ui/Age.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { PromptImages } from '../images/PromptImages.tsx';
import { describeNotice } from '../notices/describe-notice.ts';
import { retryTask } from '../sessions/page/session-actions.ts';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { useSessions } from '../sessions/sessions-store.ts';
import { useCanFork } from '../sessions/use-can-fork.ts';
import { useUserLabel } from '../settings/use-user-label.ts';
import { CutNote } from './CutNote.tsx';
import { Expandable } from './Expandable.tsx';
import { Markdown } from './markdown/Markdown.tsx';
import { authorOf, outcomeOf, previewOf, typedBy, usageOf } from './outcome.ts';
import { PlanList, planProgress } from './PlanList.tsx';
import type { PromptRow, Row } from './rows.ts';
import { ToolCallRow } from './ToolCallRow.tsx';
import { ToolIcon } from './ToolIcon.tsx';

interface RowProps {
  session: Pick<Session, 'id' | 'cwd' | 'agentId' | 'archivedAt'>;
  row: Row;
  /** Whether the row belongs to a task that has not ended. */
  active: boolean;
  /**
   * Whether the row's text may grow: it is the conversation's last row, its task has not ended, and no question is
   * pending.
   */
  grows: boolean;
  open: boolean;
  onToggle: (id: string, open: boolean) => void;
}

export const MessageRow = memo(function MessageRow({ session, row, active, grows, open, onToggle }: RowProps) {
  const toggle = () => onToggle(row.id, !open);
  switch (row.kind) {
    case 'prompt':
      return <Prompt onToggle={toggle} open={open} row={row} />;
    case 'notices':
      return (
        <Box since={row.message.createdAt} text={row.text} who="Notices from Agent Console">
          <ul className="space-y-1.5">
            {row.items.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: items never change
              <NoticeLine item={item} key={index} />
            ))}
          </ul>
        </Box>
      );
    case 'report':
    case 'text':
      return <AgentText agent={session.agentId} grows={grows} row={row} />;
    case 'thought':
      return (
        <Expandable
          details={() => (
            <div className="px-3 py-2 text-quiet">
              <Markdown grows={grows} text={row.text} />
              {row.isCut ? <CutNote /> : null}
            </div>
          )}
          onToggle={toggle}
          open={open}
        >
          <ToolIcon kind="think" />
          <span className="shrink-0 text-quiet">{grows ? 'Thinking' : 'Thought'}</span>
          {open ? <span className="flex-1" /> : <UntrustedLine className="flex-1 text-quiet" text={gist(row.text)} />}
        </Expandable>
      );
    case 'tool':
      return (
        <ToolCallRow
          active={active}
          cwd={session.cwd}
          message={row.message}
          onToggle={onToggle}
          open={open}
          sessionId={session.id}
        />
      );
    case 'plan':
      return active ? (
        <div className="flex min-h-7 items-start gap-2 border border-transparent px-2 py-1">
          <ToolIcon kind="plan" />
          <span>
            Plan <span className="text-sm tabular-nums text-quiet">{planProgress(row.steps)}</span>
          </span>
        </div>
      ) : (
        <section aria-label="Plan" className="my-1 rounded-md border border-line px-3 py-2">
          <p className="mb-1 flex items-baseline gap-2">
            <span className="font-medium">Plan</span>
            <span className="text-sm tabular-nums text-quiet">{planProgress(row.steps)}</span>
          </p>
          <PlanList omitted={row.omitted} steps={row.steps} />
        </section>
      );
    case 'note':
      return <UntrustedBlock className="px-2 py-1 text-sm text-quiet" text={row.text} />;
    case 'end':
      return <TaskEnd session={session} task={row.task} />;
  }
});

/** Returns the first 400 characters of a text on one line, without the characters that mark up Markdown. */
function gist(text: string): string {
  return text
    .slice(0, 400)
    .replace(/[*_`#>]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Box of a message to the agent. */
function Box(props: { who: string; aside?: ReactNode; since: string; text: string; children: ReactNode }) {
  return (
    <article aria-label={props.who} className="group mt-3 mb-1 rounded-lg border border-line bg-sunken px-3 py-2">
      <div className="flex h-5 items-center gap-2 text-sm text-quiet">
        <span className="font-medium text-text">{props.who}</span>
        {props.aside}
        <Age since={props.since} />
        <span className="flex-1" />
        <Copy text={props.text} />
      </div>
      <div className="mt-1">{props.children}</div>
    </article>
  );
}

function Copy({ text }: { text: string }) {
  return (
    <CopyButton
      className="text-sm opacity-0 focus-visible:opacity-100 group-hover:opacity-100 max-md:opacity-100"
      kind="quiet"
      text={text}
    />
  );
}

function Prompt({ row, open, onToggle }: { row: PromptRow; open: boolean; onToggle: () => void }) {
  const { message, text, images, task } = row;
  const author = task === undefined ? undefined : authorOf(task);
  const user = useUserLabel(author?.userId ?? null);
  const beginning = previewOf(text);
  return (
    <Box
      aside={author?.sessionId === undefined ? null : <SessionLink sessionId={author.sessionId} />}
      since={message.createdAt}
      text={text}
      who={typedBy(message) ?? author?.name ?? (user === 'you' ? 'You' : (user ?? 'Prompt'))}
    >
      <UntrustedBlock text={open || beginning === undefined ? text : `${beginning}…`} />
      {beginning === undefined ? null : (
        <button aria-expanded={open} className="mt-1 text-accent hover:underline" onClick={onToggle} type="button">
          {open ? 'Show less' : `Show all (${text.length.toLocaleString('en')} characters)`}
        </button>
      )}
      {images.length === 0 ? null : <PromptImages images={images} sessionId={message.sessionId} />}
    </Box>
  );
}

function AgentText({
  row,
  agent,
  grows,
}: {
  row: { kind: 'text' | 'report' | 'thought' | 'note'; text: string; isCut: boolean };
  agent: string;
  grows: boolean;
}) {
  const isReport = row.kind === 'report';
  return (
    <article
      aria-label={isReport ? 'Result reported by the agent' : agent}
      className={`group relative ${isReport ? 'my-2 rounded-lg border border-line py-2 pr-8 pl-3' : 'py-1 pr-8 pl-2 max-md:pr-2'}`}
    >
      {isReport ? <p className="mb-1 text-sm font-medium text-quiet">Result reported by the agent</p> : null}
      <Markdown grows={grows} text={row.text} />
      {row.isCut ? <CutNote /> : null}
      <CopyButton
        className="absolute top-0.5 right-1 h-6! w-6 px-0! opacity-0 focus-visible:opacity-100 group-hover:opacity-100 max-md:hidden"
        icon
        kind="quiet"
        text={row.text}
      />
    </article>
  );
}

const TONES = { done: 'text-done', failed: 'text-failed', needs: 'text-needs', plain: 'text-quiet' } as const;

/** The outcome of a task, the tokens it used, and buttons to retry the task or to fork the session after it. */
function TaskEnd({ session, task }: { session: RowProps['session']; task: Task }) {
  const canFork = useCanFork();
  const outcome = outcomeOf(task);
  const usage = usageOf(task);
  return (
    <div className={`group mb-2 flex flex-wrap items-baseline gap-x-2 px-2 py-1 text-sm ${TONES[outcome.tone]}`}>
      <span aria-hidden>{outcome.glyph}</span>
      <span className="font-medium">{outcome.word}</span>
      {task.endedAt !== null && <Age className="text-quiet" since={task.endedAt} />}
      {outcome.source !== '' && <span className="text-quiet">{outcome.source}</span>}
      {usage !== undefined && <span className="text-quiet">· {usage}</span>}
      {isRetryable(task) ? (
        <button className="text-accent hover:underline" onClick={() => retryTask(task)} type="button">
          Retry
        </button>
      ) : null}
      {canFork(session) ? (
        <button
          className="text-accent opacity-0 hover:underline max-md:-my-3 max-md:py-3 focus-visible:opacity-100 group-hover:opacity-100 max-md:opacity-100"
          onClick={() => openDialog({ kind: 'forkSession', sessionId: session.id, taskId: task.id })}
          title="Start a session with a copy of the conversation up to here"
          type="button"
        >
          Fork from here
        </button>
      ) : null}
      {task.error !== null && <UntrustedText className="w-full break-words text-base" text={task.error.message} />}
      {task.blocked !== null && <span className="w-full break-words">Blocked: {task.blocked}</span>}
    </div>
  );
}

function NoticeLine({ item }: { item: NoticeItem }) {
  const sessionId = useSessions(({ order }) => order.find((id) => id.startsWith(item.id)));
  const failed = item.status === 'failed' || item.status === 'interrupted';
  return (
    <li>
      <div className="flex flex-wrap items-baseline gap-x-2">
        {sessionId === undefined ? (
          <UntrustedText className="font-medium" text={item.title} />
        ) : (
          <SessionLink sessionId={sessionId} title={item.title} />
        )}
        <span className={`text-sm ${failed ? 'text-failed' : 'text-quiet'}`}>{describeNotice(item)}</span>
      </div>
      <UntrustedBlock text={item.summary} />
    </li>
  );
}
