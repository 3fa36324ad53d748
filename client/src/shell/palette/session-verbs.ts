import type { Session } from '@agent-console/shared/models/session';
import { actionsOf, type OfferedActions } from '../../features/sessions/page/offered-actions.ts';
import type { DialogRequest } from '../dialogs.ts';
import type { ShortcutId } from '../shortcut-labels.ts';
import type { Findable } from './rank.ts';
import type { VerbContext } from './verb-context.ts';

/** What choosing an entry of the palette does to a session: opens a dialog, or runs an action through `useRunVerb`. */
type Effect = { dialog: (session: Session) => DialogRequest } | { action: SessionAction };

export type SessionAction =
  | 'answer'
  | 'check'
  | 'undoMerge'
  | 'editor'
  | 'pause'
  | 'resume'
  | 'start'
  | 'stop'
  | 'retry'
  | 'cancel'
  | 'pin'
  | 'unpin'
  | 'archive'
  | 'unarchive'
  | 'terminal';

/** Command of the command palette that acts on a session. */
export type SessionVerb = Omit<Findable, 'title'> & {
  id: string;
  /** @param base branch into which the session's work is merged, if known */
  title(base: string | null): string;
  /** Shortcut that performs the same action, on pages where it is active. */
  shortcut?: ShortcutId;
  /**
   * Question that asks for the session, e.g. `Pause which session?`. It is asked if no session is open, or if the
   * command does not apply to the open session.
   */
  question: string;
  applies(session: Session, context: VerbContext): boolean;
} & Effect;

const when = (isOffered: (actions: OfferedActions) => boolean) => ({
  applies: (session: Session) => isOffered(actionsOf(session)),
});
const withWorktree = when(({ hasWorktree }) => hasWorktree);
const onWorktree = (kind: 'merge' | 'commit' | 'push' | 'updateFromBase' | 'discard') => ({
  ...withWorktree,
  dialog: ({ worktreeId }: Session): DialogRequest => ({ kind, worktreeId: worktreeId ?? '' }),
});
const notArchived = when(({ isArchived }) => !isArchived);
const into = (base: string | null, verb: string) => (base === null ? `${verb} the base branch…` : `${verb} ${base}…`);

/** Commands for a session, in the order in which the palette shows them for the open session. */
export const SESSION_VERBS: readonly SessionVerb[] = [
  {
    id: 'answer',
    shortcut: 'answer-the-agent-s-question',
    title: () => 'Answer the question',
    aliases: ['answer', 'reply'],
    keywords: ['yes', 'no', 'approve', 'allow', 'deny', 'permission'],
    question: 'Answer the question of which session?',
    ...when(({ canAnswer }) => canAnswer),
    action: 'answer',
  },
  {
    id: 'merge',
    shortcut: 'merge',
    title: (base) => into(base, 'Merge into'),
    keywords: ['integrate', 'squash', 'rebase', 'finish', 'land', 'ship'],
    question: 'Merge the work of which session?',
    ...onWorktree('merge'),
  },
  {
    id: 'commit',
    shortcut: 'commit',
    title: () => 'Commit changes…',
    keywords: ['save', 'git'],
    question: 'Commit the changes of which session?',
    ...onWorktree('commit'),
  },
  {
    id: 'check',
    shortcut: 'run-the-check-command',
    title: () => 'Run the check command',
    aliases: ['check', 'run check', 'test', 'tests'],
    keywords: ['verify', 'ci', 'build', 'lint'],
    question: 'Run the check command in which session?',
    ...withWorktree,
    action: 'check',
  },
  {
    id: 'push',
    shortcut: 'push-or-create-a-pull-request',
    title: () => 'Push, or create a pull request…',
    aliases: ['pr'],
    keywords: ['publish', 'remote', 'review'],
    question: 'Push the branch of which session?',
    ...onWorktree('push'),
  },
  {
    id: 'update',
    shortcut: 'update-from-the-base-branch',
    title: (base) => into(base, 'Update from'),
    keywords: ['rebase', 'sync', 'pull', 'catch', 'up'],
    question: 'Update the branch of which session?',
    ...onWorktree('updateFromBase'),
  },
  {
    id: 'discard',
    shortcut: 'discard-uncommitted-changes',
    title: () => 'Discard changes…',
    keywords: ['revert', 'reset', 'undo', 'throw', 'away'],
    question: 'Discard changes of which session?',
    ...onWorktree('discard'),
  },
  {
    id: 'undo-merge',
    shortcut: 'undo-the-last-merge',
    title: () => 'Undo the last merge',
    aliases: ['undo', 'undo merge'],
    keywords: ['revert', 'integration', 'back'],
    question: 'Undo the last merge of which session?',
    applies: (session, { isMergeUndoable }) => isMergeUndoable && actionsOf(session).hasWorktree,
    action: 'undoMerge',
  },
  {
    id: 'overlaps',
    shortcut: 'show-sessions-that-change-the-same-files',
    title: () => 'Show sessions that change the same files',
    aliases: ['overlaps'],
    keywords: ['conflicts'],
    question: 'Show sessions that change the same files as which session?',
    ...withWorktree,
    dialog: ({ repositoryId, worktreeId }) => ({
      kind: 'overlaps',
      repositoryId: repositoryId ?? '',
      worktreeId: worktreeId ?? '',
    }),
  },
  {
    id: 'pause',
    title: () => 'Pause session',
    keywords: ['suspend', 'hold'],
    question: 'Pause which session?',
    ...when(({ agent }) => agent === 'pause'),
    action: 'pause',
  },
  {
    id: 'resume',
    title: () => 'Resume session',
    keywords: ['continue', 'start', 'unpause'],
    question: 'Resume which session?',
    ...when(({ agent }) => agent === 'resume'),
    action: 'resume',
  },
  {
    id: 'start',
    title: () => 'Start the agent',
    keywords: ['run', 'again', 'continue', 'begin', 'restart'],
    question: 'Start the agent of which session?',
    ...when(({ agent }) => agent === 'start'),
    action: 'start',
  },
  {
    id: 'stop',
    title: () => 'Stop session',
    keywords: ['kill', 'end', 'cancel', 'terminate', 'quit'],
    question: 'Stop which session?',
    ...when(({ isBusy }) => isBusy),
    action: 'stop',
  },
  {
    id: 'cancel',
    title: () => 'Cancel the task',
    aliases: ['cancel', 'interrupt'],
    keywords: ['abort', 'end', 'prompt'],
    question: 'Cancel the task of which session?',
    ...when(({ cancellable }) => cancellable !== undefined),
    action: 'cancel',
  },
  {
    id: 'retry',
    title: () => 'Retry the task',
    aliases: ['retry'],
    keywords: ['again', 'repeat', 'rerun', 'prompt', 'failed'],
    question: 'Retry the task of which session?',
    ...when(({ retryable }) => retryable !== undefined),
    action: 'retry',
  },
  {
    id: 'terminal',
    title: () => 'New terminal',
    keywords: ['open', 'shell'],
    question: 'Open a terminal in which session?',
    ...notArchived,
    action: 'terminal',
  },
  {
    id: 'editor',
    title: () => 'Open in editor',
    aliases: ['editor', 'edit'],
    keywords: ['code', 'ide', 'vscode', 'folder'],
    question: 'Open the folder of which session?',
    ...withWorktree,
    action: 'editor',
  },
  {
    id: 'fork',
    title: () => 'Fork session…',
    keywords: ['branch', 'copy', 'conversation'],
    question: 'Fork which session?',
    applies: (_, { canFork }) => canFork,
    dialog: ({ id }) => ({ kind: 'forkSession', sessionId: id }),
  },
  {
    id: 'like',
    title: () => 'New session like this…',
    aliases: ['duplicate'],
    keywords: ['copy', 'clone', 'again', 'same', 'settings', 'repeat'],
    question: 'Start a session with the settings of which session?',
    applies: () => true,
    dialog: ({ id }) => ({ kind: 'newLikeThis', sessionId: id }),
  },
  {
    id: 'rename',
    shortcut: 'rename-session',
    title: () => 'Rename session…',
    keywords: ['title'],
    question: 'Rename which session?',
    applies: () => true,
    dialog: ({ id }) => ({ kind: 'renameSession', sessionId: id }),
  },
  {
    id: 'labels',
    title: () => 'Change labels…',
    aliases: ['label', 'labels', 'tag', 'tags'],
    keywords: ['group', 'category'],
    question: 'Change the labels of which session?',
    ...notArchived,
    dialog: ({ id }) => ({ kind: 'labels', sessionIds: [id] }),
  },
  {
    id: 'pin',
    title: () => 'Pin session',
    keywords: ['top', 'favourite', 'favorite', 'star', 'keep'],
    question: 'Pin which session?',
    applies: (session, { isPinned }) => !actionsOf(session).isArchived && !isPinned,
    action: 'pin',
  },
  {
    id: 'unpin',
    title: () => 'Unpin session',
    keywords: ['top', 'favourite', 'favorite', 'star'],
    question: 'Unpin which session?',
    applies: (session, { isPinned }) => !actionsOf(session).isArchived && isPinned,
    action: 'unpin',
  },
  {
    id: 'archive',
    title: () => 'Archive session',
    keywords: ['hide', 'put', 'away'],
    question: 'Archive which session?',
    ...when(({ canArchive }) => canArchive),
    action: 'archive',
  },
  {
    id: 'unarchive',
    title: () => 'Unarchive session',
    keywords: ['restore', 'bring', 'back'],
    question: 'Unarchive which session?',
    ...when(({ isArchived }) => isArchived),
    action: 'unarchive',
  },
  {
    id: 'remove',
    title: () => 'Remove session…',
    keywords: ['delete', 'trash'],
    question: 'Remove which session?',
    applies: () => true,
    dialog: ({ id }) => ({ kind: 'removeSession', sessionId: id }),
  },
  {
    id: 'remove-worktree',
    title: () => 'Remove worktree…',
    keywords: ['delete', 'folder', 'clean', 'up'],
    question: 'Remove the worktree of which session?',
    ...withWorktree,
    dialog: ({ worktreeId }) => ({ kind: 'removeWorktree', worktreeId: worktreeId ?? '' }),
  },
];
