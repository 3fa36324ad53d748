import type { InboxItem } from '@agent-console/shared/models/inbox';
import { useKeyHints } from '../../shell/key-hints.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { firstLine } from '../../ui/first-line.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { UntrustedBlock, UntrustedLine } from '../../ui/UntrustedText.tsx';
import { KINDS, useLocation } from './item-words.ts';
import { Reply, Retry } from './Reply.tsx';

export function OutcomeRow(props: {
  item: InboxItem;
  isOpen: boolean;
  replying: boolean;
  onToggle(): void;
  onOpen(): void;
  onRead(): void;
  onReply(on: boolean): void;
}) {
  const { item, isOpen, replying, onToggle, onOpen, onRead, onReply } = props;
  const { withKeys } = useKeyHints();
  const { glyph, word, tone } = KINDS[item.kind];
  const location = useLocation(item);
  const size = 'max-md:h-10 max-md:px-4';
  return (
    <article aria-label={`${isolateText(item.title)} ${word}`} className="group/row">
      <div className="flex h-9 items-center gap-1 pr-2 max-md:h-auto max-md:min-h-13">
        <button
          aria-expanded={isOpen}
          className="flex h-full min-w-0 flex-1 items-center gap-2.5 rounded-md pl-3 text-left max-md:flex-wrap max-md:gap-x-2 max-md:gap-y-0 max-md:min-h-10 max-md:py-1.5"
          onClick={onToggle}
          type="button"
        >
          <span aria-hidden="true" className={`w-4 shrink-0 text-center ${tone}`}>
            {glyph}
          </span>
          <UntrustedLine
            className="max-w-[45%] shrink-0 font-medium max-md:max-w-none max-md:flex-1 max-md:shrink"
            text={item.title}
          />
          <span className="sr-only">{word}</span>
          <Age className="hidden text-right text-sm text-quiet tabular-nums max-md:inline" since={item.since} />
          <UntrustedLine
            className="flex-1 text-quiet max-md:basis-full max-md:pl-6"
            text={isOpen ? '' : firstLine(item.text)}
          />
          <span className="max-w-56 shrink-0 truncate text-sm text-quiet max-lg:hidden">{location}</span>
          <Age className="w-10 shrink-0 text-right text-sm text-quiet tabular-nums max-md:hidden" since={item.since} />
        </button>
        <button
          aria-label={`Mark ${isolateText(item.title)} as read`}
          className="grid size-7 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text max-md:size-11"
          onClick={onRead}
          title={withKeys('Mark as read', 'mark-as-read')}
          type="button"
        >
          <span aria-hidden="true">✓</span>
        </button>
      </div>
      {isOpen ? (
        <div className="flex flex-col gap-2 pb-3 pl-9.5 pr-3 max-md:pl-3">
          <UntrustedBlock className="max-h-80 overflow-y-auto" text={item.text} />
          <p className="truncate text-sm text-quiet lg:hidden">{location}</p>
          {replying && item.sessionId !== null ? (
            item.kind === 'failed' && item.taskId !== null ? (
              <Retry onClose={() => onReply(false)} onSent={onRead} sessionId={item.sessionId} taskId={item.taskId} />
            ) : (
              <Reply onClose={() => onReply(false)} onSent={onRead} sessionId={item.sessionId} />
            )
          ) : (
            <div className="flex flex-wrap gap-1.5">
              {item.sessionId === null ? null : (
                <Button className={size} onClick={() => onReply(true)}>
                  {item.kind === 'failed' ? 'Retry' : 'Reply'}
                </Button>
              )}
              <Button className={size} onClick={onOpen}>
                Open
              </Button>
              <Button className={size} onClick={onRead}>
                Mark as read
              </Button>
            </div>
          )}
        </div>
      ) : null}
    </article>
  );
}
