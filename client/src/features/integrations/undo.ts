import { ConsoleError } from '@agent-console/shared/errors';
import type { Integration } from '@agent-console/shared/models/integration';
import type { Session } from '@agent-console/shared/models/session';
import { call } from '../../api/call.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { failureToast, toast } from '../../ui/toasts.ts';

/** Whether a loaded integration can be undone now. */
export function isUndoable({ undoableUntil }: Pick<Integration, 'undoableUntil'>): boolean {
  return undoableUntil !== null && Date.parse(undoableUntil) > Date.now();
}

export function offerUndo(title: string, integration: { id: string; into: string }): void {
  const action = { label: 'Undo', run: () => void undoIntegration(integration) };
  toast({ id: `merged-${integration.id}`, kind: 'done', title, action });
}

/** Undoes the last integration of a session's worktree, if it can be undone, and reports the outcome in a toast. */
export async function undoLastMerge({ repositoryId, worktreeId }: Session): Promise<void> {
  if (repositoryId === null || worktreeId === null) return;
  try {
    const { data } = await call('integrations.list', { repositoryId, worktreeId, limit: 1 });
    const last = data[0];
    if (last !== undefined && isUndoable(last)) await undoIntegration(last);
    else toast({ id: 'finish', kind: 'plain', title: 'There is no merge to undo' });
  } catch (error) {
    failureToast('Could not undo the merge')(error as Error);
  }
}

export async function undoIntegration({ id, into }: { id: string; into: string }): Promise<void> {
  const toastId = `undo-${id}`;
  try {
    await call('integrations.undo', { integrationId: id }, { idempotencyKey: crypto.randomUUID() });
    const title = `Merge undone: ${isolateText(into)} is back at the commit before the merge`;
    toast({ id: toastId, kind: 'plain', title });
  } catch (error) {
    const text = error instanceof ConsoleError ? error.message : String(error);
    toast({ id: toastId, kind: 'failed', title: 'Could not undo the merge', text });
  }
}
