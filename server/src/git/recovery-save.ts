import { readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GIT_REMOTE_LIMIT_MS, RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { toAsideName } from './aside-names.ts';
import { type CheckoutView, registeredGitDir, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { canonicalPath } from './files.ts';
import { headsOf, inProgress, readStep, type StepFiles } from './in-progress.ts';
import { isObjectId } from './names.ts';
import { absoluteBytes, type Entry, planRecovery } from './recovery-plan.ts';
import { recoveryMessage, recoveryRef } from './recovery-ref.ts';
import { type BytePath, displayPath, readStatus } from './status.ts';
import { listWorktrees } from './worktree-list.ts';

/** Author of the commits of recovery refs. Saving must work even if the user has not configured an identity. */
const IDENTITY = { name: 'Agent Console', email: 'agent-console@localhost' };

/** Maximum number of attempts to save a worktree. An attempt fails if files are deleted while they are read. */
const SAVE_ATTEMPTS = 3;

/**
 * Writes a recovery ref of a worktree: a commit of its files byte for byte (without line ending or other filters). The
 * commit's parents are HEAD, a commit of the index, a commit of nested repositories and ignored files (`planRecovery`),
 * and the commits of an operation in progress. git uses a copy of the index, so the worktree is only read. `leftOut`
 * lists the paths that are not saved, except ignored files: files and nested repositories that exceed the limits or
 * cannot be read, and submodules whose repository is in the worktree's git directory.
 */
export async function saveRecovery(
  context: GitContext,
  checkout: CheckoutLocation,
  name: string,
): Promise<{ ref: string; sha: string; leftOut: BytePath[] }> {
  const ref = recoveryRef(name, context.clock());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withView(context, checkout, async (view) => {
        const gitDir = await registeredGitDir(checkout);
        const saved = await createSave(context, view).save(name, gitDir);
        const mark = `agent-console: recovery of ${name}`;
        await view.run(['update-ref', '-m', mark, '--', ref, saved.sha, '']);
        return { ref, ...saved };
      });
    } catch (error) {
      if (attempt >= SAVE_ATTEMPTS) throw error;
      const { path: worktreePath } = checkout;
      context.log.warn(
        { err: error, worktreePath },
        'could not save the worktree in a recovery ref, perhaps because its files changed meanwhile; retrying',
      );
    }
  }
}

/**
 * Writes a recovery ref with only the HEAD commit of a worktree whose folder is gone. The ref keeps the commit
 * reachable after the worktree is unregistered. Returns the name of the ref; null if the worktree is on a branch or not
 * registered, or if the commit does not exist.
 */
export async function saveHead(
  context: GitContext,
  spec: { repositoryPath: string; path: string; name: string },
): Promise<string | null> {
  const { repositoryPath: cwd, name } = spec;
  const at = await canonicalPath(spec.path);
  const entry = (await listWorktrees(context, cwd)).find(({ path }) => path === at);
  if (entry === undefined || entry.branch !== null || !isObjectId(entry.head)) return null;
  const { head } = entry;
  const known = await context.run(['cat-file', '-e', `${head}^{commit}`], { cwd, okCodes: [0, 1, 128] });
  if (known.exitCode !== 0) return null;
  const ref = recoveryRef(name, context.clock());
  const facts = { head, branch: null, index: null, conflict: null, aside: null, step: null, cutOff: null };
  const input = recoveryMessage(name, facts);
  const args = ['commit-tree', '--no-gpg-sign', '-p', head, `${head}^{tree}`];
  const { stdout } = await context.run(args, { cwd, env: identity(context), input });
  const mark = `agent-console: recovery of ${name}`;
  await context.run(['update-ref', '-m', mark, '--', ref, stdout.toString().trim(), ''], { cwd });
  return ref;
}

function identity({ clock }: GitContext): Record<string, string> {
  const date = `${Math.floor(clock() / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
    GIT_COMMITTER_DATE: date,
  };
}

function createSave(context: GitContext, view: CheckoutView) {
  const env = identity(context);
  const run = async (args: readonly string[], input?: Buffer | string) => {
    // `core.splitIndex` is off. Otherwise git would split this index and write its shared part into the repository.
    const settings = ['core.splitIndex=false'];
    const options = { env, settings, timeoutMs: GIT_REMOTE_LIMIT_MS };
    const { stdout } = await view.run(args, input === undefined ? options : { ...options, input });
    return stdout.toString('latin1').trimEnd();
  };
  const commit = (tree: string, parents: readonly string[], message: string) =>
    run(['commit-tree', '--no-gpg-sign', ...parents.flatMap((parent) => ['-p', parent]), tree], message);

  async function save(name: string, gitDir: string): Promise<{ sha: string; leftOut: BytePath[] }> {
    const status = await readStatus(view);
    const parents = status.head === null ? [] : [status.head];
    const none = '0'.repeat(status.head?.length ?? 40);
    const conflicts = status.changes.some((change) => change.unmerged);
    const stages = conflicts ? await run(['ls-files', '--stage', '-z']) : null;
    const index = conflicts ? null : await commit(await writeTree(), parents, `Index of worktree ${name}\n`);
    const plan = await planRecovery(view.path, status);
    await update(plan.entries, none, ({ path }) => path);
    const tree = await writeTree();
    const conflict = stages === null ? null : await commitStages(stages, name);
    const aside = plan.aside.length === 0 ? null : await commitAside(plan.aside, none, name);
    const operation = await inProgress(gitDir);
    const step = operation?.saved === true ? await validStep(gitDir) : null;
    const heads = step === null ? [] : headsOf(step);
    const cutOff = step === null ? (operation?.operation ?? null) : null;
    const facts = { head: status.head, branch: status.branch, index, conflict, aside, step, cutOff };
    const all = [...parents, ...[index, conflict, aside].filter((sha) => sha !== null), ...heads];
    const sha = await commit(tree, [...new Set(all)], recoveryMessage(name, facts));
    return { sha, leftOut: plan.leftOut };
  }

  const writeTree = () => run(['write-tree', '--missing-ok']);

  /** Returns the files of the operation in progress; null if there is none, or if they name a missing commit. */
  async function validStep(gitDir: string): Promise<StepFiles | null> {
    const step = await readStep(gitDir);
    for (const sha of step === null ? [] : headsOf(step)) {
      const { exitCode } = await view.run(['cat-file', '-e', `${sha}^{commit}`], { okCodes: [0, 1, 128] });
      if (exitCode !== 0) return null;
    }
    return step;
  }

  /**
   * Commits each stage of an index with conflicts as a folder whose name is the stage's number, because a git tree
   * cannot contain conflicts.
   */
  async function commitStages(stages: string, name: string): Promise<string> {
    const lines = stages.split('\0').filter(Boolean);
    const moved = lines.map((line) => line.replace(/^(\d+ [0-9a-f]+) (\d)\t/, '$1\t$2/'));
    await run(['read-tree', '--empty']);
    await run(['update-index', '-z', '--index-info'], Buffer.from(moved.map((line) => `${line}\0`).join(''), 'latin1'));
    return commit(await writeTree(), [], `Index of worktree ${name} with its conflicts\n`);
  }

  async function commitAside(entries: readonly Entry[], none: string, name: string): Promise<string> {
    await run(['read-tree', '--empty']);
    await update(entries, none, ({ path, mode }) => toAsideName(path, mode === 'emptyFolder'));
    return commit(await writeTree(), [], `Nested repositories and ignored files of worktree ${name}\n`);
  }

  async function update(entries: readonly Entry[], none: string, nameOf: (entry: Entry) => BytePath): Promise<void> {
    if (entries.length === 0) return;
    const present = await Promise.all(
      entries.filter((entry) => entry.present).map(async (entry, at) => ({ entry, source: await sourceOf(entry, at) })),
    );
    const list = present.map(({ source }) => `${quoted(source)}\n`).join('');
    const hashed = await run(['hash-object', '-w', '--no-filters', '--stdin-paths'], Buffer.from(list, 'latin1'));
    const shas = list === '' ? [] : hashed.split('\n');
    // All removals are passed to git before the additions, because a file can replace a folder only after the folder's
    // removal. A removal also deletes all stages of a conflict.
    const removals = entries.map((entry) => `0 ${none}\t${nameOf(entry)}\0`);
    const additions = present.map(({ entry }, at) => {
      const mode = entry.mode === 'emptyFolder' ? '100644' : entry.mode;
      return `${mode} ${shas[at]}\t${nameOf(entry)}\0`;
    });
    const lines = Buffer.from([...removals, ...additions].join(''), 'latin1');
    await run(['update-index', '-z', '--index-info'], lines);
  }

  /**
   * Returns the path from which git reads an entry:
   * - for a file, the file itself;
   * - for a link, which git would follow, a temporary file with the link's target;
   * - for an empty folder, an empty temporary file.
   */
  async function sourceOf({ path: from, mode }: Entry, number: number): Promise<string> {
    if (mode !== '120000' && mode !== 'emptyFolder') return from;
    const file = path.join(view.folder, `source-${number}`);
    await writeFile(file, mode === 'emptyFolder' ? '' : await readlink(absoluteBytes(view.path, from), 'buffer'));
    return Buffer.from(file).toString('latin1');
  }

  return { save };
}

/** Quotes a path as a line of input for `git hash-object --stdin-paths`. */
function quoted(file: BytePath): string {
  if (!/^"|[\r\n]/.test(file)) return file;
  const escaped = file.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
  return `"${escaped}"`;
}

/** Formats the paths that were not saved: at most RISK_LIST_MAX, then the number of the others. */
export function listLeftOut(leftOut: readonly BytePath[]): string[] {
  const listed = leftOut.slice(0, RISK_LIST_MAX).map(displayPath);
  return leftOut.length <= RISK_LIST_MAX ? listed : [...listed, `… and ${leftOut.length - RISK_LIST_MAX} more`];
}
