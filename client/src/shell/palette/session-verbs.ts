import type { Session } from '@agent-console/shared/models/session';
import { agentOf, isLive } from '../../features/sessions/badge.ts';
import type { DialogRequest } from '../dialogs.ts';
import type { Findable } from './rank.ts';

/** Effect of a verb on a session: opens a dialog, or runs an action through `useRunVerb`. */
type Effect = { dialog: (session: Session) => DialogRequest } | { action: SessionAction };

type SessionAction = 'answer' | 'check' | 'pause' | 'resume' | 'stop' | 'archive' | 'unarchive' | 'terminal';

/** Command of the palette that a person can run on a session. */
export type SessionVerb = Omit<Findable, 'title'> & {
  id: string;
  /** @param base branch into which the session's work is merged, if known */
  title(base: string | null): string;
  /** Question when no session is open: `Which session should pause?` */
  question: string;
  applies(session: Session): boolean;
} & Effect;

const hasWorktree = ({ worktreeId }: Session) => worktreeId !== null;
const onWorktree = (kind: 'merge' | 'commit' | 'push' | 'updateFromBase' | 'discard') => ({
  applies: hasWorktree,
  dialog: ({ worktreeId }: Session): DialogRequest => ({ kind, worktreeId: worktreeId ?? '' }),
});
const liveAgent = (session: Session) => {
  const agent = agentOf(session);
  return agent !== undefined && isLive(agent);
};
const isBusy = ({ workers }: Session) => workers.some((worker) => worker.type !== 'git-diff' && isLive(worker));
const isAsking = (session: Session) =>
  session.task?.waitingFor === 'answer' || (liveAgent(session) && agentOf(session)?.activityState === 'asking');
const isArchived = ({ archivedAt }: Session) => archivedAt !== null;
const into = (base: string | null, verb: string) => (base === null ? `${verb} the base branch…` : `${verb} ${base}…`);

/** In the order in which the palette shows them for the open session. */
export const SESSION_VERBS: readonly SessionVerb[] = [
  {
    id: 'answer',
    title: () => 'Answer the question',
    aliases: ['answer', 'reply'],
    keywords: 'yes no approve allow deny permission',
    question: 'Answer the question of which session?',
    applies: isAsking,
    action: 'answer',
  },
  {
    id: 'merge',
    title: (base) => into(base, 'Merge into'),
    keywords: 'integrate squash rebase finish land ship',
    question: 'Merge the work of which session?',
    ...onWorktree('merge'),
  },
  {
    id: 'commit',
    title: () => 'Commit changes…',
    keywords: 'save git',
    question: 'Commit the changes of which session?',
    ...onWorktree('commit'),
  },
  {
    id: 'check',
    title: () => 'Run the check command',
    aliases: ['check', 'run check', 'test', 'tests'],
    keywords: 'verify ci build lint',
    question: 'Check the work of which session?',
    applies: hasWorktree,
    action: 'check',
  },
  {
    id: 'push',
    title: () => 'Push, or create a pull request…',
    aliases: ['pr'],
    keywords: 'publish remote review',
    question: 'Push the branch of which session?',
    ...onWorktree('push'),
  },
  {
    id: 'update',
    title: (base) => into(base, 'Update from'),
    keywords: 'rebase sync pull catch up',
    question: 'Update the branch of which session?',
    ...onWorktree('updateFromBase'),
  },
  {
    id: 'discard',
    title: () => 'Discard changes…',
    keywords: 'revert reset undo throw away',
    question: 'Discard changes of which session?',
    ...onWorktree('discard'),
  },
  {
    id: 'overlaps',
    title: () => 'Show sessions that change the same files',
    aliases: ['overlaps'],
    keywords: 'conflicts',
    question: 'Show the overlaps of which session?',
    applies: hasWorktree,
    dialog: ({ repositoryId, worktreeId }) => ({
      kind: 'overlaps',
      repositoryId: repositoryId ?? '',
      worktreeId: worktreeId ?? '',
    }),
  },
  {
    id: 'pause',
    title: () => 'Pause session',
    keywords: 'suspend hold',
    question: 'Pause which session?',
    applies: liveAgent,
    action: 'pause',
  },
  {
    id: 'resume',
    title: () => 'Resume session',
    keywords: 'continue start unpause',
    question: 'Resume which session?',
    applies: (session) =>
      !isArchived(session) &&
      (session.status === 'paused' ||
        session.status === 'stopped' ||
        (agentOf(session) !== undefined && !liveAgent(session))),
    action: 'resume',
  },
  {
    id: 'stop',
    title: () => 'Stop session',
    keywords: 'kill end cancel terminate quit',
    question: 'Stop which session?',
    applies: isBusy,
    action: 'stop',
  },
  {
    id: 'terminal',
    title: () => 'New terminal',
    keywords: 'open shell',
    question: 'Open a terminal in which session?',
    applies: (session) => !isArchived(session),
    action: 'terminal',
  },
  {
    id: 'like',
    title: () => 'New session like this…',
    aliases: ['duplicate'],
    keywords: 'copy clone again same settings repeat',
    question: 'Start a session like which one?',
    applies: () => true,
    dialog: ({ id }) => ({ kind: 'newLikeThis', sessionId: id }),
  },
  {
    id: 'rename',
    title: () => 'Rename session…',
    keywords: 'title',
    question: 'Rename which session?',
    applies: () => true,
    dialog: ({ id }) => ({ kind: 'renameSession', sessionId: id }),
  },
  {
    id: 'labels',
    title: () => 'Change labels…',
    aliases: ['label', 'labels', 'tag', 'tags'],
    keywords: 'group category',
    question: 'Change the labels of which session?',
    applies: (session) => !isArchived(session),
    dialog: ({ id }) => ({ kind: 'labels', sessionIds: [id] }),
  },
  {
    id: 'archive',
    title: () => 'Archive session',
    keywords: 'hide put away',
    question: 'Archive which session?',
    applies: (session) => !isArchived(session) && !isBusy(session),
    action: 'archive',
  },
  {
    id: 'unarchive',
    title: () => 'Unarchive session',
    keywords: 'restore bring back',
    question: 'Unarchive which session?',
    applies: isArchived,
    action: 'unarchive',
  },
  {
    id: 'remove',
    title: () => 'Remove session…',
    keywords: 'delete trash',
    question: 'Remove which session?',
    applies: () => true,
    dialog: ({ id }) => ({ kind: 'removeSession', sessionId: id }),
  },
];
