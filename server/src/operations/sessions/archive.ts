import { ConsoleError } from '@agent-console/shared/errors';
import { isLive } from '@agent-console/shared/operations/session-views';
import type { Call } from '../../domain/call.ts';
import { authorOf } from '../../engine/author.ts';
import { sessionRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';

type Needs = Pick<OperationContext, 'storage' | 'views' | 'now'>;

function setArchived({ storage, views, now }: Needs, archived: boolean) {
  return async ({ sessionId }: { sessionId: string }, call: Call) => {
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      if ((session.archivedAt !== null) === archived) return;
      const live = (await tx.workers.find({ sessionId })).filter(isLive).length;
      if (archived && live > 0) {
        throw new ConsoleError('CONFLICT', 'This session has a live worker. Stop it first.', { sessionId });
      }
      const at = now().toISOString();
      await tx.sessions.update(sessionId, { archivedAt: archived ? at : null, updatedAt: at });
      const type = archived ? 'session.archived' : 'session.unarchived';
      await tx.record({ type, subject: { kind: 'session', id: sessionId }, sessionId });
    });
    return views.session(sessionId);
  };
}

export const archiveSession = (needs: Needs) => setArchived(needs, true);
export const unarchiveSession = (needs: Needs) => setArchived(needs, false);
