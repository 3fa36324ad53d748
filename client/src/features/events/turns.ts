import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { eventTone } from './describe-event.ts';

/** A group of events: the events of one turn, consecutive updates of worktrees, or one other event. */
export interface EventGroupRow {
  /**
   * Sequence number of the group's first event. It identifies the group, because it stays the same when the group
   * grows.
   */
  key: number;
  sessionId: string | undefined;
  /** The events of the group, oldest first. */
  events: readonly ConsoleEvent[];
  /** The most important event of the group, which is described in the group's line. */
  head: ConsoleEvent;
}

/** Returns the id of the session to which an event belongs; undefined if it belongs to none. */
export function sessionOf({ subject, data }: ConsoleEvent): string | undefined {
  if (subject.kind === 'session') return subject.id;
  return typeof data.sessionId === 'string' ? data.sessionId : undefined;
}

/** Types of the events by which a turn is described, most important first. */
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
 * Whether an event belongs to no turn. True for events about the session itself, such as a pause, and about a job, such
 * as a push.
 */
function isApart({ type, subject }: ConsoleEvent): boolean {
  if (subject.kind === 'job') return true;
  return /^session\.(?:paused|resumed|stopped|archived|unarchived|updated|kept|removed)$/.test(type);
}

/** Whether an event only says that the state of a worktree was read again. Many such events may follow each other. */
function isUpdate({ type, data }: ConsoleEvent): boolean {
  return type === 'worktree.updated' && data.name === undefined;
}

interface OpenTurn {
  events: ConsoleEvent[];
  state: 'preparing' | 'running' | 'ended';
}

/**
 * Whether an event begins a new turn of its session. If a turn begins with `task.queued`, the `task.started` that
 * follows belongs to the same turn.
 */
function beginsTurn({ type }: ConsoleEvent, open: OpenTurn | undefined): boolean {
  if (open === undefined) return true;
  return (type === 'task.started' && open.state !== 'preparing') || (type === 'task.queued' && open.state === 'ended');
}

/**
 * Groups the events of each session by turn. A turn includes the events that prepare it, and the events after its end
 * until the next turn begins. Events of other sessions may be in between. Consecutive updates of worktrees are one
 * group. Any other event outside a turn is a group of its own.
 * @param events the events, oldest first
 * @returns the groups, ordered by their last event, newest first
 */
export function groupTurns(events: readonly ConsoleEvent[]): EventGroupRow[] {
  const groups: ConsoleEvent[][] = [];
  const turns = new Map<string, OpenTurn>();
  let updates: ConsoleEvent[] | undefined;
  for (const event of events) {
    const sessionId = sessionOf(event);
    if (isUpdate(event)) {
      if (updates === undefined) {
        updates = [];
        groups.push(updates);
      }
      updates.push(event);
      continue;
    }
    updates = undefined;
    if (sessionId === undefined || isApart(event)) {
      groups.push([event]);
      continue;
    }
    let turn = turns.get(sessionId);
    if (turn === undefined || beginsTurn(event, turn)) {
      turn = { events: [], state: 'preparing' };
      turns.set(sessionId, turn);
      groups.push(turn.events);
    }
    turn.events.push(event);
    if (event.type === 'task.started') turn.state = 'running';
    else if (event.type === 'task.ended') turn.state = 'ended';
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
