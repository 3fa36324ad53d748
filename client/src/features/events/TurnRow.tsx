import { Chevron } from '../../ui/Select.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { EventHead } from './EventHead.tsx';
import type { EventGroupRow } from './turns.ts';

/**
 * The events of a turn in one line: the time of the last event, a sentence about the most important event, and the
 * number of events.
 */
export function TurnRow(props: { group: EventGroupRow; open: boolean; showsSession: boolean; onToggle: () => void }) {
  const { group, open, showsSession, onToggle } = props;
  const { head, events, sessionId } = group;
  const last = events.at(-1) ?? head;
  return (
    <EventHead
      at={last.at}
      end={showsSession && sessionId !== undefined ? <SessionLink sessionId={sessionId} /> : null}
      event={head}
      glyph="●"
      onToggle={onToggle}
      open={open}
      wrapsWhenOpen={false}
    >
      <span className="ml-1 flex shrink-0 items-center gap-1 text-sm text-quiet">
        <span>
          {events.length}
          <span className="max-md:sr-only"> events</span>
        </span>
        <span aria-hidden className={open ? 'rotate-180' : ''}>
          <Chevron />
        </span>
      </span>
    </EventHead>
  );
}
