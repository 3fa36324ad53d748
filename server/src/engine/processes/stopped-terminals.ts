import { LIVE_STATES } from '../../domain/states.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Processes } from './processes.ts';

/**
 * Ends terminals that still run in stopped sessions, because the previous server died before it had ended them.
 * Terminals that a person opened after the session was stopped keep running.
 */
export async function endStoppedTerminals(
  { storage: { read }, processes }: { storage: Pick<Storage, 'read'>; processes: Pick<Processes, 'end'> },
  onError: (error: unknown, workerId: string) => void,
): Promise<void> {
  const terminals = await read.workers.find({ type: 'terminal', state: LIVE_STATES });
  for (const sessionId of new Set(terminals.map((terminal) => terminal.sessionId))) {
    if ((await read.sessions.get(sessionId))?.mark !== 'stopped') continue;
    const where = { subjectId: sessionId, type: 'session.stopped' } as const;
    const stop = await read.events.first(where, { order: ['-seq'] });
    for (const { id, createdAt, sessionId: other } of terminals) {
      if (other !== sessionId || stop === undefined || createdAt > stop.at) continue;
      await processes.end(id).catch((error) => onError(error, id));
    }
  }
}
