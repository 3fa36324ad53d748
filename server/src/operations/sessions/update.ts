import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { sessionRow } from '../found.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { changePermission } from './permission.ts';

export function updateSession(
  needs: Pick<Kit, 'storage' | 'views' | 'catalogue' | 'now'>,
): Implementation<'sessions.update'> {
  const { storage, views, now } = needs;
  return async ({ sessionId, permissionMode, permissionCeiling, ...fields }, call) => {
    const patch = given(fields);
    const asked = { mode: permissionMode, ceiling: permissionCeiling };
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const permission = await changePermission(tx, needs, session, asked, { person: call.caller.kind === 'user' });
      await tx.sessions.update(sessionId, { ...patch, updatedAt: now().toISOString() });
      await tx.record({
        type: 'session.updated',
        subject: { kind: 'session', id: sessionId },
        sessionId,
        data: { ...patch, ...permission },
      });
    });
    return views.session(sessionId);
  };
}
