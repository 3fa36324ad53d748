import { setTimeout as delay } from 'node:timers/promises';
import { CLIENT_RETRY_PAUSE_MAX_MS } from '@agent-console/shared/limits/calls';
import { isFinal, type OrchestrationEvent, type OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { createClient } from './client.ts';
import type { ConsoleAddress } from './find-console.ts';
import { openEventStream, serverSentEvents } from './server-sent-events.ts';

/**
 * Waits for the end of an orchestration, even across restarts of the console, and calls `onEvent` once for each event.
 * Returns the orchestration's state at its end, or its current state if the signal is aborted.
 * @throws ConsoleError if the console is no longer reachable or refuses a call.
 */
export async function followOrchestration(
  address: ConsoleAddress,
  orchestrationId: string,
  onEvent: (event: OrchestrationEvent) => void,
  signal: AbortSignal,
): Promise<OrchestrationStatus> {
  // `insideWorker` makes the client repeat calls while the console restarts.
  const client = createClient({ ...address, insideWorker: true });
  let cursor: string | undefined = '0';
  for (;;) {
    try {
      const path = `/orchestrations/${orchestrationId}/events/stream`;
      for await (const { id, data } of serverSentEvents(await openEventStream(address, path, cursor, signal))) {
        cursor = id ?? cursor;
        if (data !== null) onEvent(JSON.parse(data) as OrchestrationEvent);
      }
    } catch {
      // The error is ignored. If the console does not come back, `orchestrations.get` fails too.
    }
    const status = await client.call('orchestrations.get', { orchestrationId });
    if (signal.aborted || isFinal(status.state)) return status;
    await delay(CLIENT_RETRY_PAUSE_MAX_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns an event as one line of progress. */
export function progressLine({ timestamp, eventType, agentId, data }: OrchestrationEvent): string {
  const about = agentId ?? 'orchestration';
  const isWaitOver = eventType === 'agent_waiting' && data.reason === null;
  const what = isWaitOver ? 'no longer waiting' : eventType.replace(/^(?:session|agent)_/, '').replaceAll('_', ' ');
  const details = [data.progress, data.status, data.reason, data.pausedBy, data.errorMessage].filter(
    (each) => typeof each === 'number' || (typeof each === 'string' && each !== ''),
  );
  return `${timestamp.slice(11, 19)}  ${about}  ${[what, ...details.map(String)].join(': ')}`;
}
