import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { listNames } from '@agent-console/shared/words';
import { runGit } from '../git.ts';
import { type Finding, type Installation, note, ok, problem } from './finding.ts';
import { hasIdentity } from './git.ts';
import type { Records } from './records.ts';

/** Maximum number of repositories to check. Each check runs at most four short git commands. */
const REPOSITORIES_MAX = 200;

/**
 * Compares the worktrees and branches in git, the file system and the database. Differences are only reported, because
 * an unknown worktree or branch may contain a person's work. If git fails, the failure is the only finding about the
 * repository.
 */
export async function checkWorktrees({ env, home }: Installation, records: Records): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const repository of records.repositories.slice(0, REPOSITORIES_MAX)) {
    const rows = records.worktrees.filter((row) => row.repositoryId === repository.id);
    found.push(...(await checkRepository(env, repository, rows)));
  }
  const more = records.repositories.length - REPOSITORIES_MAX;
  if (more > 0)
    found.push(note('worktrees', `only the first ${REPOSITORIES_MAX} repositories were checked, ${more} were not`));
  if (found.length === 0 && records.repositories.length > 0) {
    const count = records.worktrees.filter(({ kind }) => kind === 'managed').length;
    found.push(
      ok('worktrees', `${count} in ${join(home, 'repositories')}; git and the console list the same worktrees`),
    );
  }
  return found;
}

async function checkRepository(
  env: Installation['env'],
  { name, path, worktreesDir }: Records['repositories'][number],
  rows: Records['worktrees'],
): Promise<Finding[]> {
  const check = `repository ${name}`;
  if (!existsSync(path)) {
    const commands = rows.some(({ kind }) => kind === 'managed')
      ? 'agent-console worktrees remove <id> --force for each of its worktrees (their folders are kept), then agent-console repositories remove <id>'
      : 'agent-console repositories remove <id>';
    const mend = `Move the folder back, or remove the repository from the console: ${commands}`;
    return [problem(check, `${path} is missing`, mend)];
  }
  let inGit: string[];
  let branches: Set<string>;
  try {
    const list = await runGit(env, ['worktree', 'list', '--porcelain'], path);
    inGit = [...list.matchAll(/^worktree (.*)$/gm)].map(([, folder]) => folder ?? '');
    const refs = await runGit(env, ['for-each-ref', '--format=%(refname:short)', 'refs/heads'], path);
    branches = new Set(refs.split('\n'));
  } catch (error) {
    const [line = 'no answer'] = String((error as { stderr?: string }).stderr ?? '').split('\n');
    return [problem(check, `git cannot read ${path}: ${line}`, `Try: git -C ${path} worktree list`)];
  }
  const found: Finding[] = [];
  const add = (kind: typeof note | typeof problem, folders: readonly string[], what: string, mend: string) => {
    if (folders.length > 0) found.push(kind(check, `${what}: ${listNames(folders)}`, mend));
  };
  if (!(await hasIdentity(env, path))) {
    found.push(
      problem(
        check,
        'git has no name and email address for commits in this repository, so agents cannot commit',
        `git -C ${path} config user.name "…" && git -C ${path} config user.email … (for all repositories, add --global)`,
      ),
    );
  }
  const managed = rows.filter(({ kind, state }) => kind === 'managed' && state === 'ready');
  const known = new Set(rows.map((row) => row.path));

  const withoutDirectory: string[] = [];
  const withoutBranch: string[] = [];
  for (const row of managed) {
    if (existsSync(row.path)) continue;
    if (row.branch !== null && !branches.has(row.branch)) withoutBranch.push(`${row.path} (${row.branch})`);
    else withoutDirectory.push(row.path);
  }
  add(
    problem,
    withoutBranch,
    'worktrees whose directory and branch are both gone',
    `Look for commits to keep: git -C ${path} log --reflog --oneline. Then remove the worktrees in the console.`,
  );
  add(
    note,
    withoutDirectory,
    'worktrees whose directory is gone',
    'No action needed: the console checks out the branch again before the next turn in the worktree. Uncommitted changes were lost with the directory.',
  );
  const realDir = await realpath(worktreesDir).catch(() => worktreesDir);
  const unknown = inGit.filter((folder) => folder.startsWith(`${realDir}/`) && !known.has(folder));
  add(
    note,
    unknown,
    'git worktrees in the data directory that the console does not know',
    `Inspect these worktrees, then: git -C ${path} worktree remove <folder>`,
  );
  const folders = (await readdir(realDir, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(realDir, entry.name));
  const unknownFolders = folders.filter((folder) => !known.has(folder) && !inGit.includes(folder));
  add(
    note,
    unknownFolders,
    'directories that neither git nor the console knows as worktrees',
    'Inspect these directories, then delete them.',
  );
  return found;
}
