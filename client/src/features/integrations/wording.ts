import type { IntegrationStrategy, MergeConflict } from '@agent-console/shared/models/integration';
import { isolateText } from '../../ui/hidden-characters.ts';

/** Ways to integrate a branch into another branch, each with its effect on the history. */
export const STRATEGIES = [
  { value: 'merge', label: 'Merge', hint: 'Keeps every commit and adds a merge commit.' },
  { value: 'squash', label: 'Squash', hint: 'Adds one commit with all changes.' },
  { value: 'rebase', label: 'Rebase', hint: 'Reapplies every commit on top of the target, without a merge commit.' },
] as const satisfies readonly { value: IntegrationStrategy; label: string; hint: string }[];

const DONE: Readonly<Record<IntegrationStrategy, string>> = {
  merge: 'Merged',
  squash: 'Squashed',
  rebase: 'Rebased',
};

/** Describes a finished integration: `Squashed into main`. */
export function describeIntegrated({ strategy, into }: { strategy: IntegrationStrategy; into: string }): string {
  return `${DONE[strategy]} into ${isolateText(into)}`;
}

/** Formats a number with its noun: `1 file`, `1,200 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** Says why a form in which no file is chosen cannot be submitted. */
export function noneChosen(files: readonly unknown[]): string {
  return files.length === 0 ? 'There are no uncommitted changes.' : 'Choose at least one file.';
}

/** Reason why git cannot combine the changes of a file, by git's name for the conflict. */
const CONFLICTS: Readonly<Record<string, string>> = {
  content: 'Both changed the same lines',
  contents: 'Both changed the same lines',
  'add/add': 'Both added this file',
  'modify/delete': 'Changed on one side, deleted on the other',
  'rename/delete': 'Renamed on one side, deleted on the other',
  'rename/rename': 'Renamed differently',
  'rename/add': 'A renamed file and a new file have this name',
  'file/directory': 'A file on one side, a folder on the other',
  binary: 'Both changed this binary file',
  submodule: 'Both changed this submodule',
  'distinct modes': 'Different file types',
  'directory rename split': 'One side added a file to a folder whose files the other side moved to several folders',
  'file location': 'One side added a file to a folder that the other side moved',
};

export function describeConflict({ kind }: Pick<MergeConflict, 'kind'>): string {
  return CONFLICTS[kind] ?? `Conflict: ${isolateText(kind)}`;
}

/** Describes how a branch changed a file, e.g. `modified`. */
export function describeSide(side: MergeConflict['ours']): string {
  return side ?? 'changed';
}
