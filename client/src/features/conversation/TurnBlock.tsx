import type { NoticeItem } from '@agent-console/shared/notice-block';
import { Age } from '../../ui/Age.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { useSessions } from '../sessions/sessions-store.ts';
import { authorOf, type Entry, outcomeOf, previewOf, singleLine, type Turn, typedBy, usageOf } from './turns.ts';

const TONES = { done: 'text-done', failed: 'text-failed', needs: 'text-needs', plain: 'text-quiet' } as const;

/** A turn: prompt, messages and outcome of a task. */
export function TurnBlock(props: { turn: Turn; expanded: ReadonlySet<string>; onExpand: (id: string) => void }) {
  const {
    turn: { task, entries },
    expanded,
    onExpand,
  } = props;
  // Delivered notices show no outcome, because the notices themselves show that they were delivered.
  const isDelivered = task?.kind === 'notice' && task.status === 'completed';
  const outcome = task === undefined || isDelivered ? undefined : outcomeOf(task);
  const usage = task === undefined ? undefined : usageOf(task);
  return (
    <article className="space-y-2">
      {entries.map((entry) => (
        <EntryRow
          entry={entry}
          expanded={expanded.has(entry.message.id)}
          author={entry.kind === 'prompt' && task !== undefined ? authorOf(task) : undefined}
          key={entry.message.id}
          onExpand={() => onExpand(entry.message.id)}
        />
      ))}
      {task !== undefined && outcome !== undefined && (
        <p className={`flex flex-wrap items-baseline gap-x-2 px-3 ${TONES[outcome.tone]}`}>
          <span aria-hidden>{outcome.glyph}</span>
          <span className="font-medium">{outcome.word}</span>
          {task.endedAt !== null && <Age className="text-sm text-quiet" since={task.endedAt} />}
          {outcome.source !== '' && <span className="text-sm text-quiet">{outcome.source}</span>}
          {task.error !== null && <UntrustedText className="w-full break-words" text={task.error.message} />}
          {task.blocked !== null && <span className="w-full break-words text-sm">Blocked: {task.blocked}</span>}
        </p>
      )}
      {usage !== undefined && <p className="px-3 text-sm text-quiet">{usage}</p>}
    </article>
  );
}

interface EntryProps {
  entry: Entry;
  author: ReturnType<typeof authorOf> | undefined;
  expanded: boolean;
  onExpand: () => void;
}

function EntryRow(props: EntryProps) {
  const { entry } = props;
  return entry.kind === 'action' ? <ActionLine {...props} entry={entry} /> : <EntryBlock {...props} entry={entry} />;
}

function ActionLine({ entry, expanded, onExpand }: EntryProps & { entry: Extract<Entry, { kind: 'action' }> }) {
  return (
    <div className="px-3 text-sm text-quiet">
      <button
        aria-expanded={expanded}
        className="flex w-full items-baseline gap-2 rounded text-left hover:text-text"
        onClick={onExpand}
        type="button"
      >
        <span aria-hidden>{expanded ? '▾' : '▸'}</span>
        <span className="font-medium">{entry.label}</span>
        {!expanded && <UntrustedLine className="flex-1" text={singleLine(entry.text)} />}
      </button>
      {expanded && <UntrustedBlock className="mt-1 pl-5" text={entry.text} />}
    </div>
  );
}

function EntryBlock({ entry, author, expanded, onExpand }: EntryProps & { entry: Exclude<Entry, { kind: 'action' }> }) {
  const { message, text } = entry;
  const beginning = previewOf(text);
  const who = entry.kind === 'prompt' ? (typedBy(message) ?? author?.name ?? 'Prompt') : NAMES[entry.kind];
  const frame = entry.kind === 'prompt' || entry.kind === 'notices' ? 'border-line bg-sunken' : 'border-transparent';
  return (
    <div className={`group rounded-md border px-3 py-2 ${frame}`}>
      <div className="flex h-6 items-center gap-2 text-sm text-quiet">
        <span className="font-medium text-text">{who}</span>
        {author?.sessionId !== undefined && <SessionLink sessionId={author.sessionId} />}
        <Age since={message.createdAt} />
        <span className="flex-1" />
        <CopyButton
          className="text-sm opacity-0 focus-visible:opacity-100 group-hover:opacity-100 max-md:opacity-100"
          kind="quiet"
          text={text}
        />
      </div>
      {entry.kind === 'notices' ? (
        <ul className="space-y-1.5">
          {entry.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items never change
            <NoticeLine item={item} key={index} />
          ))}
        </ul>
      ) : (
        <UntrustedBlock text={expanded || beginning === undefined ? text : `${beginning}…`} />
      )}
      {beginning !== undefined && entry.kind !== 'notices' && (
        <button aria-expanded={expanded} className="mt-1 text-accent hover:underline" onClick={onExpand} type="button">
          {expanded ? 'Show less' : `Show all (${text.length.toLocaleString('en')} characters)`}
        </button>
      )}
    </div>
  );
}

const NAMES = { notices: 'Notices from Agent Console', report: 'Report', text: 'Agent' } as const;

function NoticeLine({ item }: { item: NoticeItem }) {
  const sessionId = useSessions(({ order }) => order.find((id) => id.startsWith(item.sessionId)));
  const failed = item.status === 'failed' || item.status === 'interrupted';
  return (
    <li>
      <div className="flex flex-wrap items-baseline gap-x-2">
        {sessionId === undefined ? (
          <UntrustedText className="font-medium" text={item.title} />
        ) : (
          <SessionLink sessionId={sessionId} title={item.title} />
        )}
        <span className={`text-sm ${failed ? 'text-failed' : 'text-quiet'}`}>
          {item.kind === 'message' ? 'message' : item.status}
          {item.outcomeSource !== null && ` · ${item.outcomeSource}, ${item.certain ? 'certain' : 'uncertain'}`}
        </span>
      </div>
      <UntrustedBlock text={item.summary} />
    </li>
  );
}
