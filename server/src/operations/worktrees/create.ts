import { ConsoleError } from '@agent-console/shared/errors';
import { COMMAND_LIMIT_MS } from '@agent-console/shared/limits';
import type { InputOf } from '@agent-console/shared/operations/table';
import type { ChosenAgent } from '../agents/catalogue.ts';
import { authorOf, SYSTEM, sourceOf } from '../author.ts';
import type { Call, Implementation } from '../call.ts';
import { repositoryRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import type { Storage } from '../ports/storage.ts';
import { insertSession, titleFrom } from '../sessions/new-session.ts';
import { queuePrompt } from '../task-changes.ts';

type Needs = Pick<Kit, 'storage' | 'git' | 'jobs' | 'maker' | 'catalogue' | 'naming' | 'settings' | 'now' | 'newId'>;
type Input = InputOf<'worktrees.create'>;

/** What the mode asks for, before anything is touched. */
function checkMode(input: Input): void {
  const need = (field: 'prompt' | 'branch') => {
    if (input[field] === undefined)
      throw new ConsoleError('VALIDATION', `${field}: is required with mode ${input.mode}`, { field });
  };
  if (input.mode === 'prompt') need('prompt');
  else need('branch');
  if (input.mode === 'existing' && (input.baseBranch !== undefined || input.useRemote)) {
    throw new ConsoleError(
      'VALIDATION',
      'baseBranch and useRemote do not go with mode existing: the branch is taken as it is',
      {},
    );
  }
}

async function existingBranch(needs: Needs, repository: RepositoryRow, branch: string): Promise<string> {
  if (!(await needs.git.branchExists(repository.path, branch))) {
    throw new ConsoleError(
      'NOT_FOUND',
      `There is no branch ${branch} in ${repository.name}. Use mode custom to make it.`,
      { branch },
    );
  }
  const holder = (await needs.git.listWorktrees(repository.path)).find((entry) => entry.branch === branch);
  if (holder !== undefined) {
    throw new ConsoleError('CONFLICT', `Branch ${branch} is checked out already at ${holder.path}.`, {
      branch,
      path: holder.path,
    });
  }
  return branch;
}

async function reserve(
  needs: Needs,
  call: Call,
  input: Input,
  repository: RepositoryRow,
  agentId: string,
): Promise<{ job: JobRow; worktree: WorktreeRow; warnings: string[] }> {
  const base = input.baseBranch ?? repository.defaultBranch;
  const isNew = input.mode !== 'existing';
  const baseSha = isNew && !input.useRemote ? (await needs.git.resolveBase(repository.path, base, false)).sha : null;
  const { name: suggestion, warning } = await suggestBranch(needs, input, agentId);
  return needs.maker.alone(repository.id, async () => {
    const branch = isNew
      ? await needs.maker.chooseBranch(repository, { branch: input.branch, prompt: input.prompt, suggestion })
      : await existingBranch(needs, repository, input.branch ?? '');
    const author = authorOf(call);
    return needs.storage.write(author, async (tx) => {
      const plan = { id: needs.newId(), branch, branchCreated: isNew, base, useRemote: input.useRemote, baseSha };
      const worktree = await needs.maker.reserve(tx, repository, plan);
      const job = await needs.jobs.create(tx, author, 'worktree-creation', { worktreeId: worktree.id });
      await tx.remember({ jobId: job.id });
      return { job, worktree, warnings: warning === null ? [] : [warning] };
    });
  });
}

/** Undoes a worktree whose creation failed or was cut off, and says so. */
export async function abandonWorktree(
  { storage, maker }: Pick<Kit, 'maker'> & { storage: Storage },
  worktreeId: string,
  error: { code: string; message: string },
): Promise<void> {
  await maker.discard(worktreeId);
  await storage.write(SYSTEM, async (tx) => {
    await tx.worktrees.update(worktreeId, { state: 'failed' });
    await tx.record({
      type: 'worktree.failed',
      subject: { kind: 'worktree', id: worktreeId },
      data: { worktreeId, error },
    });
  });
}

async function build(
  needs: Needs,
  call: Call,
  input: Input,
  worktree: WorktreeRow,
  agent: ChosenAgent | null,
  namingWarnings: readonly string[],
): Promise<Record<string, unknown>> {
  const base = { base: worktree.baseRef ?? '', useRemote: input.useRemote };
  try {
    const { warnings } = await needs.maker.build(worktree.id, base, needs.now().getTime() + COMMAND_LIMIT_MS);
    const { branch, path: worktreePath } = worktree;
    const place = { worktreeId: worktree.id, branch, worktreePath, warnings: [...namingWarnings, ...warnings] };
    return agent === null ? place : { ...place, ...(await startSession(needs, call, input, worktree, agent)) };
  } catch (error) {
    const known =
      error instanceof ConsoleError ? error : new ConsoleError('INTERNAL', 'The worktree could not be made.');
    await abandonWorktree(needs, worktree.id, { code: known.code, message: known.message });
    throw error;
  }
}

function startSession(needs: Needs, call: Call, input: Input, worktree: WorktreeRow, agent: ChosenAgent) {
  const { idempotency, ...author } = authorOf(call);
  return needs.storage.write(author, async (tx) => {
    const session = await insertSession(tx, needs, call, {
      worktree: { id: worktree.id, repositoryId: worktree.repositoryId },
      cwd: worktree.path,
      agent,
      title: input.title ?? titleFrom(input.prompt ?? worktree.branch ?? undefined),
      description: '',
      parent: null,
      depth: 0,
      mode: undefined,
      ceiling: undefined,
      queueHeld: false,
    });
    if (input.prompt === undefined) return { sessionId: session.id };
    const prompt = { sessionId: session.id, prompt: input.prompt, ...sourceOf(call), notifyOnCompletion: true };
    const { task } = await queuePrompt(tx, needs, prompt);
    return { sessionId: session.id, taskId: task.id };
  });
}

export function createWorktree(needs: Needs): Implementation<'worktrees.create'> {
  return async (input, call) => {
    checkMode(input);
    const repository = await repositoryRow(needs.storage.read.repositories, input.repositoryId);
    const { defaultAgentId } = await needs.settings.current();
    const agent = input.autoStartSession ? await needs.catalogue.choose(input.agentId, defaultAgentId) : null;
    const { job, worktree, warnings } = await reserve(needs, call, input, repository, input.agentId ?? defaultAgentId);
    void needs.jobs.run(job, async (progress) => {
      progress(0, 'checking out');
      return build(needs, call, input, worktree, agent, warnings);
    });
    return { jobId: job.id };
  };
}

/** What the agent calls the branch where it is asked: with mode prompt, if it is here. */
async function suggestBranch({ catalogue, naming }: Needs, input: Input, agentId: string) {
  const definition = input.mode === 'prompt' && input.branch === undefined ? await catalogue.find(agentId) : undefined;
  if (definition === undefined || !(await catalogue.installed(definition))) return { name: null, warning: null };
  return naming.suggest(definition, input.prompt ?? '');
}
