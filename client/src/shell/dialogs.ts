import type { OperationName } from '@agent-console/shared/operations/table';
import { create } from 'zustand';
import { dropTyping, holdTyping } from './typeahead.ts';

/** What a person may be asked for in a dialog, and what is known of it beforehand. */
export type DialogRequest =
  | { kind: 'palette' }
  | { kind: 'keys' }
  | { kind: 'addRepository' }
  /** Hand work to a new worktree. */
  | { kind: 'delegate'; repositoryId?: string; prompt?: string }
  /** A session in a worktree that exists, or in a directory. */
  | { kind: 'startSession'; worktreeId?: string; repositoryId?: string }
  | { kind: 'createWorktree'; repositoryId: string }
  | { kind: 'removeWorktree'; worktreeId: string }
  | { kind: 'renameSession'; sessionId: string }
  | { kind: 'removeSession'; sessionId: string }
  /** Any operation, filled in by hand; `input` is what is known beforehand. */
  | { kind: 'operation'; name: OperationName; input?: Readonly<Record<string, string>> };

/** The one dialog that is open. */
export const useDialog = create<{ request: DialogRequest | undefined }>(() => ({ request: undefined }));

/** Opens a dialog; what is typed until it is there goes into it. */
export function openDialog(request: DialogRequest): void {
  // One that is open already has the focus.
  if (JSON.stringify(request) === JSON.stringify(useDialog.getState().request)) return;
  holdTyping(closeDialog);
  useDialog.setState({ request });
}

export function closeDialog(): void {
  dropTyping();
  useDialog.setState({ request: undefined });
}
