import { markOf } from '../../domain/session-mark.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { authorOf } from '../../engine/author.ts';
import { sessionRow } from '../../engine/rows.ts';
import { noteProgress } from '../../engine/task-changes.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { changePermission } from './permission.ts';

export function updateSession(
  needs: Pick<OperationContext, 'storage' | 'views' | 'catalogue' | 'now'>,
): Implementation<'sessions.update'> {
  const { storage, views, now } = needs;
  return async ({ sessionId, permissionMode, permissionCeiling, status, progress, ...fields }, call) => {
    const patch = omitUndefined(fields);
    const asked = { mode: permissionMode, ceiling: permissionCeiling };
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const permission = await changePermission(tx, needs, session, asked, { person: call.caller.kind === 'user' });
      const active = await tx.tasks.count({ sessionId, status: [...ACTIVE_STATUSES] });
      const said = status === undefined ? {} : markOf(status, { mark: session.mark, working: active > 0 });
      // Whoever says anew how it stands wakes it from its rest, too.
      const mark = said.mark === undefined ? {} : { ...said, pausedBy: null };
      if (progress !== undefined) await noteProgress(tx, sessionId, progress);
      await tx.sessions.update(sessionId, { ...patch, ...mark, updatedAt: now().toISOString() });
      await tx.record({
        type: 'session.updated',
        subject: { kind: 'session', id: sessionId },
        sessionId,
        data: { ...patch, ...omitUndefined({ status, progress }), ...permission },
      });
    });
    return views.session(sessionId);
  };
}
