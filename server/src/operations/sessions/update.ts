import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';

export function updateSession({
  storage,
  views,
  now,
}: Pick<Kit, 'storage' | 'views' | 'now'>): Implementation<'sessions.update'> {
  return async ({ sessionId, ...fields }, call) => {
    const patch = given(fields);
    await storage.write(authorOf(call), async (tx) => {
      await tx.sessions.update(sessionId, { ...patch, updatedAt: now().toISOString() });
      await tx.record({ type: 'session.updated', subject: { kind: 'session', id: sessionId }, sessionId, data: patch });
    });
    return views.session(sessionId);
  };
}
