import type { Caller } from '../../domain/caller.ts';
import type { SessionRow, WorktreeRow } from '../../ports/rows.ts';
import type { Author, Readers, Transaction } from '../../ports/storage.ts';
import type { AgentCatalogue, ChosenAgent } from '../agents/catalogue.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { insertSession } from '../sessions/new-session.ts';
import type { SettingsReader } from '../settings.ts';

export interface CommandSessionDeps extends ChangeDeps {
  catalogue: Pick<AgentCatalogue, 'choose'>;
  settings: Pick<SettingsReader, 'current'>;
}

/** Returns the agent for a session that is created only to run commands. No agent process is started. */
export async function agentForCommands({ catalogue, settings }: CommandSessionDeps): Promise<ChosenAgent> {
  const { defaultAgentId } = await settings.current();
  return catalogue.choose(defaultAgentId).catch(() => catalogue.choose('scripted'));
}

/**
 * Returns the session in whose terminals the commands of a worktree run. Only sessions at the root of the worktree are
 * considered: the requesting session or, without it, the newest session that the author can see. If there is none,
 * creates a session without a running agent.
 */
export async function commandSession(
  tx: Transaction,
  deps: CommandSessionDeps,
  author: Author,
  worktree: WorktreeRow,
  agent: ChosenAgent,
): Promise<SessionRow> {
  const found = await existingSession(tx, author, worktree);
  if (found !== undefined) return found;
  const caller = callerOf(author);
  const creator = caller.kind === 'worker' ? await tx.sessions.get(caller.sessionId) : undefined;
  return insertSession(
    tx,
    deps,
    { caller },
    {
      worktree: { id: worktree.id, repositoryId: worktree.repositoryId },
      cwd: worktree.path,
      agent,
      title: `Commands of ${worktree.name}`,
      parent: null,
      depth: creator === undefined ? 0 : creator.depth + 1,
      queueHeld: false,
    },
  );
}

async function existingSession(
  { sessions }: Pick<Readers, 'sessions'>,
  author: Author,
  { id: worktreeId, path }: WorktreeRow,
): Promise<SessionRow | undefined> {
  const open = await sessions.find({ worktreeId, archivedAt: null, removedAt: null }, { order: ['-id'] });
  const atRoot = open.filter(({ cwd }) => cwd === path);
  const own = atRoot.find(({ id }) => id === author.viaSessionId);
  if (own !== undefined) return own;
  const requester = author.viaSessionId === undefined ? undefined : await sessions.get(author.viaSessionId);
  const userId = userOf(author) ?? requester?.createdByUserId ?? null;
  return atRoot.find(({ visibility, createdByUserId }) => visibility !== 'private' || createdByUserId === userId);
}

function callerOf(author: Author): Caller {
  const userId = userOf(author);
  if (userId !== null) return { kind: 'user', userId, scopes: [], via: 'token' };
  if (author.viaSessionId === undefined) return { kind: 'nobody', reason: '' };
  return { kind: 'worker', workerId: '', sessionId: author.viaSessionId, via: 'token' };
}

function userOf({ actor }: Author): string | null {
  return /^user:(.+)$/.exec(actor)?.[1] ?? null;
}
