import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { occupant, readLine } from './files.ts';
import { isObjectId } from './names.ts';

const OPERATIONS = ['merge', 'cherry-pick', 'revert', 'rebase', 'bisect'] as const;

/** What a person, or an agent, has begun in a checkout and not brought to an end. */
export interface InProgress {
  operation: (typeof OPERATIONS)[number];
  /** Whether a recovery holds it: it does, unless it is a series of several steps. */
  saved: boolean;
}

/** The files in a git directory that say all of an operation of one step: the commits it takes in, and its words. */
const HEADS = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'] as const;
const WORDS = ['MERGE_MSG', 'MERGE_MODE'] as const;

/** The content of those files, by name. */
export type StepFiles = Partial<Record<(typeof HEADS)[number] | (typeof WORDS)[number], string>>;

const has = async (gitDir: string, name: string) => (await occupant(path.join(gitDir, name))) !== 'nothing';

/** What is in progress in the checkout of this git directory, or null. */
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

/** The files of an operation of one step, for a recovery; null when they do not say which commits it takes in. */
export async function readStep(gitDir: string): Promise<StepFiles | null> {
  const files: StepFiles = {};
  for (const name of [...HEADS, ...WORDS]) {
    const text = await readLine(path.join(gitDir, name));
    if (text !== null) files[name] = text;
  }
  const heads = headsOf(files);
  return heads.length > 0 && heads.every(isObjectId) ? files : null;
}

/** The name of an operation as a recovery says it; null for anything else. */
export function parseOperation(value: unknown): InProgress['operation'] | null {
  return OPERATIONS.find((operation) => operation === value) ?? null;
}

/** The files as a recovery says them, whoever wrote it; null for anything else. */
export function parseStep(value: unknown): StepFiles | null {
  if (typeof value !== 'object' || value === null) return null;
  const files: StepFiles = {};
  for (const name of [...HEADS, ...WORDS]) {
    const text = (value as Record<string, unknown>)[name];
    if (typeof text === 'string') files[name] = text;
  }
  return headsOf(files).every(isObjectId) ? files : null;
}

/** The commits that an operation takes in. */
export function headsOf(files: StepFiles): string[] {
  return HEADS.flatMap((name) => files[name]?.split('\n') ?? []);
}

/** Says to git that the operation goes on. */
export async function writeStep(gitDir: string, files: StepFiles): Promise<void> {
  for (const name of [...HEADS, ...WORDS]) {
    const text = files[name];
    // git compares the mode as a whole, line break and all.
    const end = name === 'MERGE_MODE' ? '' : '\n';
    if (typeof text === 'string') await writeFile(path.join(gitDir, name), `${text}${end}`, { flag: 'wx' });
  }
}
