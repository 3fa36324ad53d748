import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { eventTone } from './describe-event.ts';

/** Consecutive events of one turn, or a single other event. */
export interface EventGroupRow {
  /** Sequence number of the first event of the group, which does not change as the group grows. */
  key: number;
  sessionId: string | undefined;
  /** In ascending order. */
  events: readonly ConsoleEvent[];
  /** The event that describes the group best. */
  head: ConsoleEvent;
}

/** Returns the id of the session that an event is about. */
export function sessionOf({ subject, data }: ConsoleEvent): string | undefined {
  if (subject.kind === 'session') return subject.id;
  return typeof data.sessionId === 'string' ? data.sessionId : undefined;
}

/** Types of events that say what a turn led to, most important first. */
const HEADS = ['task.ended', 'approval.requested', 'task.waiting', 'task.started', 'task.queued'];

function headOf(events: readonly ConsoleEvent[]): ConsoleEvent {
  const tones = { failed: 0, needs: 1, plain: 2 };
  const importance = (event: ConsoleEvent) => {
    const at = HEADS.indexOf(event.type);
    return at < 0 ? HEADS.length + tones[eventTone(event)] : at;
  };
  return events.reduceRight((best, event) => (importance(event) < importance(best) ? event : best));
}

/**
 * Groups the events of each turn: those of one session from the start of a task to its end, even if events of other
 * sessions are between them. Events outside a turn are alone.
 * @param events In ascending order.
 * @returns Newest group first, by its last event.
 */
export function groupTurns(events: readonly ConsoleEvent[]): EventGroupRow[] {
  const groups: ConsoleEvent[][] = [];
  const open = new Map<string, ConsoleEvent[]>();
  for (const event of events) {
    const sessionId = sessionOf(event);
    const turn = sessionId === undefined ? undefined : open.get(sessionId);
    if (sessionId !== undefined && event.type === 'task.started') {
      const started = [event];
      open.set(sessionId, started);
      groups.push(started);
    } else if (turn !== undefined) {
      turn.push(event);
      if (event.type === 'task.ended' && sessionId !== undefined) open.delete(sessionId);
    } else groups.push([event]);
  }
  return groups
    .map((group) => ({
      key: group[0]?.seq ?? 0,
      sessionId: group[0] && sessionOf(group[0]),
      events: group,
      head: headOf(group),
    }))
    .sort((a, b) => (b.events.at(-1)?.seq ?? 0) - (a.events.at(-1)?.seq ?? 0));
}
