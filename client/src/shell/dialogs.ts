import type { OperationName } from '@agent-console/shared/operations/table';
import { create } from 'zustand';
import { bufferTyping, dropBufferedTyping } from './typeahead.ts';

export type DialogRequest =
  | { kind: 'palette' }
  | { kind: 'keys' }
  | { kind: 'addRepository' }
  | {
      kind: 'delegate';
      repositoryId?: string;
      baseBranch?: string;
      prompt?: string;
      mcpServerIds?: readonly string[];
      fields?: Readonly<Record<string, string>>;
    }
  | {
      kind: 'startSession';
      worktreeId?: string;
      repositoryId?: string;
      mcpServerIds?: readonly string[];
      fields?: Readonly<Record<string, string>>;
    }
  /** Starts or delegates a new session with the settings of session `sessionId`. */
  | { kind: 'newLikeThis'; sessionId: string }
  /** Creates a board or, with `boardId`, renames or duplicates this board. */
  | { kind: 'board'; boardId?: string; duplicate?: boolean }
  | { kind: 'removeBoard'; boardId: string }
  | { kind: 'zone'; boardId: string; zoneId?: string }
  | { kind: 'removeZone'; boardId: string; zoneId: string }
  | { kind: 'moveToZone'; worktreeId?: string; boardId?: string }
  | { kind: 'createWorktree'; repositoryId: string; baseBranch?: string }
  | { kind: 'renameWorktree'; worktreeId: string }
  | { kind: 'removeWorktree'; worktreeId: string }
  | { kind: 'commit'; worktreeId: string }
  | { kind: 'discard'; worktreeId: string }
  | { kind: 'updateFromBase'; worktreeId: string }
  | { kind: 'merge'; worktreeId: string }
  | { kind: 'push'; worktreeId: string }
  | { kind: 'overlaps'; repositoryId: string; worktreeId: string }
  | { kind: 'newRun'; repositoryId?: string }
  | { kind: 'cancelRun'; runId: string }
  | { kind: 'addAgent'; runId: string }
  | { kind: 'agentOfRun'; runId: string; agentId: string }
  /** `taskId`: the task after which the fork branches off; by default the whole conversation is copied. */
  | { kind: 'forkSession'; sessionId: string; taskId?: string }
  | { kind: 'renameSession'; sessionId: string }
  | { kind: 'removeSession'; sessionId: string }
  | { kind: 'labels'; sessionIds: readonly string[] }
  /** Form of any operation, with prefilled fields. */
  | { kind: 'operation'; name: OperationName; input?: Readonly<Record<string, string>> };

export interface DialogBodyProps<K extends DialogRequest['kind'] = DialogRequest['kind']> {
  request: Extract<DialogRequest, { kind: K }>;
  onClose(): void;
}

interface DialogState {
  request: DialogRequest | undefined;
  /** Session whose card, row or terminal had the focus when the dialog was opened. */
  focusedSessionId: string | undefined;
}

export const useDialog = create<DialogState>(() => ({ request: undefined, focusedSessionId: undefined }));

/** Opens a dialog. Text typed before the dialog is loaded is buffered for it. */
export function openDialog(request: DialogRequest): void {
  // If the same dialog is already open with the same values, it stays open as it is.
  if (JSON.stringify(request) === JSON.stringify(useDialog.getState().request)) return;
  const focusedSessionId = document.activeElement?.closest<HTMLElement>('[data-session]')?.dataset.session;
  bufferTyping(() => closeDialog());
  useDialog.setState({ request, focusedSessionId });
}

/** Closes the open dialog. With a request, closes only the dialog that was opened with it, not a later one. */
export function closeDialog(request?: DialogRequest): void {
  if (request !== undefined && request !== useDialog.getState().request) return;
  dropBufferedTyping();
  useDialog.setState({ request: undefined });
}
