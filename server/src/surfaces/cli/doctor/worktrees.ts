import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, note, ok, type Place, problem, some } from './finding.ts';
import { hasIdentity, readGit } from './git.ts';
import type { Records } from './records.ts';

/** Repositories looked at; each costs three short git commands. */
const REPOSITORIES_MAX = 200;

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Compares worktrees and branches as git, the folders and the database know them. Only tells: what looks left over to one
 * of them may hold somebody's work. Where git does not answer, nothing is said about that repository but this.
 */
export async function examineWorktrees({ env, home }: Place, records: Records): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const repository of records.repositories.slice(0, REPOSITORIES_MAX)) {
    const rows = records.worktrees.filter((row) => row.repositoryId === repository.id);
    found.push(...(await examineRepository(env, repository, rows)));
  }
  const more = records.repositories.length - REPOSITORIES_MAX;
  if (more > 0) found.push(note('worktrees', `${more} more repositories were not looked at`));
  if (found.length === 0 && records.repositories.length > 0) {
    const count = records.worktrees.filter(({ kind }) => kind === 'managed').length;
    found.push(ok('worktrees', `${count} below ${join(home, 'repositories')}; git and the console agree`));
  }
  return found;
}

async function examineRepository(
  env: Place['env'],
  { name, path, worktreesDir }: Records['repositories'][number],
  rows: Records['worktrees'],
): Promise<Finding[]> {
  const check = `repository ${name}`;
  if (!(await isThere(path))) {
    return [problem(check, `${path} is gone`, 'Move it back, or remove it: agent-console repositories remove <id>')];
  }
  let inGit: string[];
  let branches: Set<string>;
  try {
    const list = await readGit(env, ['worktree', 'list', '--porcelain'], path);
    inGit = [...list.matchAll(/^worktree (.*)$/gm)].map(([, folder]) => folder ?? '');
    const refs = await readGit(env, ['for-each-ref', '--format=%(refname:short)', 'refs/heads'], path);
    branches = new Set(refs.split('\n'));
  } catch (error) {
    const [line = 'no answer'] = String((error as { stderr?: string }).stderr ?? '').split('\n');
    return [problem(check, `git cannot read ${path}: ${line}`, `Try it: git -C ${path} worktree list`)];
  }
  const found: Finding[] = [];
  if (!(await hasIdentity(env, path))) {
    found.push(
      problem(
        check,
        'git knows no name and address for commits here, so agents that commit will fail',
        `git -C ${path} config user.name "…" && git -C ${path} config user.email … (or --global)`,
      ),
    );
  }
  const managed = rows.filter(({ kind, state }) => kind === 'managed' && state === 'ready');
  const known = new Set(rows.map((row) => row.path));

  const gone: string[] = [];
  const lost: string[] = [];
  for (const row of managed) {
    if (await isThere(row.path)) continue;
    if (row.branch !== null && !branches.has(row.branch)) lost.push(`${row.path} (${row.branch})`);
    else gone.push(row.path);
  }
  if (lost.length > 0) {
    found.push(
      problem(
        check,
        `worktrees whose folder and branch are both gone: ${some(lost)}`,
        `Look for the commits: git -C ${path} reflog; then remove the worktrees here.`,
      ),
    );
  }
  if (gone.length > 0) {
    found.push(
      note(
        check,
        `worktrees whose folder is gone: ${some(gone)}`,
        'Nothing: each is made again from its branch at its next turn. What was not committed there is lost.',
      ),
    );
  }
  const unknown = inGit.filter((folder) => folder.startsWith(`${worktreesDir}/`) && !known.has(folder));
  if (unknown.length > 0) {
    found.push(
      note(
        check,
        `worktrees of git below our folder that the console does not know: ${some(unknown)}`,
        `Look into them first; then: git -C ${path} worktree remove <folder>`,
      ),
    );
  }
  const folders = (await readdir(worktreesDir, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(worktreesDir, entry.name));
  const stray = folders.filter((folder) => !known.has(folder) && !inGit.includes(folder));
  if (stray.length > 0) {
    found.push(
      note(
        check,
        `folders that neither git nor the console knows as worktrees: ${some(stray)}`,
        'Look into them first; nothing needs them.',
      ),
    );
  }
  return found;
}
