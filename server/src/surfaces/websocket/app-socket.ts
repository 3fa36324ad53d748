import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { APP_SNAPSHOT_SESSIONS } from '@agent-console/shared/limits/connections';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Session } from '@agent-console/shared/models/session';
import { AppClientFrame } from '@agent-console/shared/wire';
import type { Call } from '../../domain/call.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Gate } from '../../operations/operation.ts';
import type { EventHub } from '../../ports/events.ts';
import type { Connection } from './connection.ts';
import { settledEvents } from './settled-events.ts';

export interface AppSocketParts {
  gate: Gate;
  events: EventHub;
  settleMs: number;
}

/**
 * Serves `/ws/app` to an identified caller until the connection ends. Sends a snapshot of the sessions, unless the
 * connection can resume after `after`, and every later event. A `conversation.grown` event that has to wait is also
 * sent early. A slow reader receives events as fast as it reads them, from storage if it is far behind.
 * @throws ConsoleError if the caller may not read.
 */
export async function serveApp(
  connection: Connection,
  caller: Caller,
  after: number | undefined,
  parts: AppSocketParts,
): Promise<void> {
  const { gate, events } = parts;
  const call: Call = { caller, surface: 'websocket', signal: connection.signal };
  connection.onFrame((text) => {
    if (connection.parse(AppClientFrame, text)?.type === 'ping') connection.send({ type: 'pong' });
  });
  let cursor = events.lastSeq();
  if (after !== undefined && after <= cursor && after + 1 >= (await events.firstSeq())) {
    // The result is not used: the call only checks whether the caller may list events.
    await gate.run('events.list', { after, limit: 1 }, call);
    cursor = after;
  } else {
    cursor = events.lastSeq();
    connection.send({ type: 'snapshot', seq: cursor, sessions: await currentSessions(gate, call) });
  }
  const later = events.follow(cursor, connection.signal, caller);
  const onEarly = (event: ConsoleEvent) => {
    if (connection.hasRoom) connection.send({ type: 'early', event });
  };
  for await (const event of settledEvents(later, parts.settleMs, onEarly)) {
    await connection.room();
    if (connection.signal.aborted) return;
    connection.send({ type: 'event', event });
  }
}

/**
 * Reads the sessions page by page. A session that changes between two reads may move to another page. If it is read
 * twice, the duplicate is removed. If it is skipped, the client receives it with the event of the change.
 */
async function currentSessions(gate: Gate, call: Call): Promise<Session[]> {
  const sessions = new Map<string, Session>();
  for (let skip = 0; skip < APP_SNAPSHOT_SESSIONS; skip += PAGE_MAX) {
    const limit = Math.min(PAGE_MAX, APP_SNAPSHOT_SESSIONS - skip);
    const page = await gate.run('sessions.list', { limit, skip, archived: false }, call);
    for (const session of page.data) sessions.set(session.id, session);
    if (page.data.length < limit) break;
  }
  return [...sessions.values()];
}
