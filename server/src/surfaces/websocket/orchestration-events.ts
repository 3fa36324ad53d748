import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { isFinal, type OrchestrationEvent } from '@agent-console/shared/models/orchestration';
import type { Call } from '../../domain/call.ts';
import type { Gate } from '../../operations/operation.ts';
import type { EventHub } from '../../ports/events.ts';

/**
 * Yields the events of an orchestration after `after`, in order and exactly once. Ends after the last event of an
 * orchestration that has ended, or when `call.signal` aborts. The gate checks the caller's access for each page, so a
 * caller who loses access gets nothing more.
 */
export async function* followOrchestration(
  { gate, events }: { gate: Gate; events: Pick<EventHub, 'onEvents'> },
  orchestrationId: string,
  after: number,
  call: Call,
): AsyncGenerator<OrchestrationEvent> {
  const changed = watch(events, orchestrationId, call.signal);
  try {
    let cursor = after;
    while (!call.signal.aborted) {
      const next = changed.next();
      // The state is read before the events, so the events include the event that ended the orchestration.
      const { state } = await gate.run('orchestrations.get', { orchestrationId }, call);
      const input = { orchestrationId, after: cursor, limit: PAGE_MAX };
      const { data } = await gate.run('orchestrations.events', input, call);
      for (const event of data) {
        yield event;
        cursor = event.id;
      }
      if (data.length > 0) continue;
      if (isFinal(state)) return;
      await next;
    }
  } finally {
    changed.close();
  }
}

/**
 * Returns a watcher of an orchestration's events. Its `next` resolves when an event occurs after `next` was called, or
 * when the signal aborts.
 */
function watch({ onEvents }: Pick<EventHub, 'onEvents'>, orchestrationId: string, signal: AbortSignal) {
  let wake = () => {};
  const stop = onEvents((committed) => {
    if (committed.some(({ event }) => event.subject.id === orchestrationId)) wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  return {
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted) resolve();
      }),
    close() {
      stop();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
