import { EVENT_QUEUE_MAX } from '@agent-console/shared/limits/connections';
import type { ConsoleEvent } from '@agent-console/shared/models/event';

interface PendingEvent {
  event: ConsoleEvent;
  /** Time, in milliseconds since the epoch, at which the event is passed on at the latest. 0 means immediately. */
  dueAt: number;
  state: 'waiting' | 'due' | 'dropped';
}

/**
 * Passes events on in order, but delays each `activity.changed` event for `settleMs`, and drops it if the next one of
 * the same worker arrives first. Later events wait behind the delayed event, so that clients receive events in the
 * order of their sequence numbers. Activities that an agent reports over a protocol are not delayed, because they do
 * not flicker.
 * @param onEarly called immediately with each `conversation.grown` event that has to wait, so that viewers of the
 * conversation can read the new messages without delay
 */
export async function* settledEvents(
  events: AsyncIterable<ConsoleEvent>,
  settleMs: number,
  onEarly: (event: ConsoleEvent) => void,
): AsyncGenerator<ConsoleEvent, void, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  const pending: PendingEvent[] = [];
  const lastActivity = new Map<string, PendingEvent>();
  let nextResult: Promise<IteratorResult<ConsoleEvent>> | undefined;
  let finished = false;

  function enqueue(event: ConsoleEvent): void {
    const now = Date.now();
    const at = Date.parse(event.at);
    if (event.type !== 'activity.changed') {
      for (const before of lastActivity.values()) settleBefore(before, at);
      if (event.type === 'conversation.grown' && pending[0]?.state === 'waiting') onEarly(event);
      pending.push({ event, dueAt: 0, state: 'due' });
      return;
    }
    const before = lastActivity.get(event.subject.id);
    if (before?.state === 'waiting') before.state = at - Date.parse(before.event.at) < settleMs ? 'dropped' : 'due';
    for (const other of lastActivity.values()) settleBefore(other, at);
    if (event.data.activitySource === 'protocol') {
      pending.push({ event, dueAt: 0, state: 'due' });
      return;
    }
    // Even an event that is older than `settleMs` is delayed. It comes from storage, so the worker's next activity may
    // arrive immediately after it.
    const dueAt = at + settleMs > now ? Math.min(at, now) + settleMs : now + settleMs;
    const activity: PendingEvent = { event, dueAt, state: 'waiting' };
    pending.push(activity);
    lastActivity.set(event.subject.id, activity);
  }

  function settleBefore(activity: PendingEvent, at: number): void {
    if (activity.state === 'waiting' && at - Date.parse(activity.event.at) >= settleMs) activity.state = 'due';
  }

  try {
    for (;;) {
      for (let head = pending[0]; head !== undefined; head = pending[0]) {
        if (head.state === 'waiting' && !finished && head.dueAt > Date.now()) break;
        pending.shift();
        if (lastActivity.get(head.event.subject.id) === head) lastActivity.delete(head.event.subject.id);
        if (head.state !== 'dropped') yield head.event;
      }
      if (finished) return;
      if (pending.length < EVENT_QUEUE_MAX) nextResult ??= iterator.next();
      const result = await firstOf(nextResult, pending[0]?.dueAt);
      if (result === undefined) continue;
      nextResult = undefined;
      if (result.done === true) finished = true;
      else enqueue(result.value);
    }
  } finally {
    await iterator.return?.();
  }
}

/** Returns the result of `next`, or undefined if `dueAt` passes first. */
async function firstOf<T>(next: Promise<T> | undefined, dueAt: number | undefined): Promise<T | undefined> {
  if (dueAt === undefined) return next;
  let timer: NodeJS.Timeout | undefined;
  const due = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(1, dueAt - Date.now()), undefined);
  });
  try {
    return await (next === undefined ? due : Promise.race([next, due]));
  } finally {
    clearTimeout(timer);
  }
}
