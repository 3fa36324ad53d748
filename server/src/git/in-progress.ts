import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RemovalRisk } from '../ports/git.ts';
import { kindOfEntry, readLine } from './files.ts';
import { isObjectId } from './names.ts';

/**
 * A git operation that was started but not finished. A recovery ref saves the state of a merge, and of a cherry-pick or
 * revert of a single commit, so that the operation can be continued after a restore. The state of any other operation
 * is lost.
 */
export type InProgress = NonNullable<RemovalRisk['inProgress']>;

const OPERATIONS: InProgress['operation'][] = ['merge', 'cherry-pick', 'revert', 'rebase', 'bisect'];

/**
 * Files in a git directory that name the commits which a merge, cherry-pick or revert applies. `STEP_FILES` also lists
 * the files with the message and the mode of such an operation.
 */
const OPERATION_HEADS = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'] as const;
const STEP_FILES = [...OPERATION_HEADS, 'MERGE_MSG', 'MERGE_MODE'] as const;

/** Contents of those `STEP_FILES` that exist, by file name. */
export type StepFiles = Partial<Record<(typeof STEP_FILES)[number], string>>;

const has = async (gitDir: string, name: string) => (await kindOfEntry(path.join(gitDir, name))) !== 'nothing';

/** Returns the operation in progress in the checkout of this git directory, or null. */
export async function inProgress(gitDir: string): Promise<InProgress | null> {
  if ((await has(gitDir, 'rebase-merge')) || (await has(gitDir, 'rebase-apply'))) {
    return { operation: 'rebase', saved: false };
  }
  const saved = !(await has(gitDir, 'sequencer'));
  if (await has(gitDir, 'MERGE_HEAD')) return { operation: 'merge', saved };
  if (await has(gitDir, 'CHERRY_PICK_HEAD')) return { operation: 'cherry-pick', saved };
  if (await has(gitDir, 'REVERT_HEAD')) return { operation: 'revert', saved };
  if (await has(gitDir, 'BISECT_LOG')) return { operation: 'bisect', saved: false };
  return null;
}

/**
 * Returns the branch that a rebase in this git directory will move when it ends, or null. HEAD is detached until then.
 */
export async function rebasedBranch(gitDir: string): Promise<string | null> {
  for (const folder of ['rebase-merge', 'rebase-apply']) {
    const name = await readLine(path.join(gitDir, folder, 'head-name'));
    if (name?.startsWith('refs/heads/')) return name.slice('refs/heads/'.length);
  }
  return null;
}

/**
 * Reads the files that describe a merge, cherry-pick or revert, to store them in a recovery ref. Returns null if the
 * files do not name commits.
 */
export async function readStep(gitDir: string): Promise<StepFiles | null> {
  const files: StepFiles = {};
  for (const name of STEP_FILES) {
    const text = await readLine(path.join(gitDir, name));
    if (text !== null) files[name] = text;
  }
  const heads = headsOf(files);
  return heads.length > 0 && heads.every(isObjectId) ? files : null;
}

/** Parses the name of an operation that is stored in a recovery ref. Returns null if the name is invalid. */
export function parseOperation(value: unknown): InProgress['operation'] | null {
  return OPERATIONS.find((operation) => operation === value) ?? null;
}

/**
 * Parses the files of an operation that are stored in a recovery ref. Returns null if they are invalid, because anyone
 * with access to the repository may have written them.
 */
export function parseStep(value: unknown): StepFiles | null {
  if (typeof value !== 'object' || value === null) return null;
  const files: StepFiles = {};
  for (const name of STEP_FILES) {
    const text = (value as Record<string, unknown>)[name];
    if (typeof text === 'string') files[name] = text;
  }
  return headsOf(files).every(isObjectId) ? files : null;
}

/** Returns the commits that an operation merges or applies. */
export function headsOf(files: StepFiles): string[] {
  return OPERATION_HEADS.flatMap((name) => files[name]?.split('\n') ?? []);
}

/** Writes the files of an operation into a git directory, so that the operation is in progress again. */
export async function writeStep(gitDir: string, files: StepFiles): Promise<void> {
  for (const name of STEP_FILES) {
    const text = files[name];
    // git compares the whole content of MERGE_MODE, so a line break would change its meaning.
    const end = name === 'MERGE_MODE' ? '' : '\n';
    if (typeof text === 'string') await writeFile(path.join(gitDir, name), `${text}${end}`, { flag: 'wx' });
  }
}
