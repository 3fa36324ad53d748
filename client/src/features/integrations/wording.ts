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
  squash: 'Squashed and merged',
  rebase: 'Rebased and merged',
};

/** Describes a finished integration: `Squashed and merged into main`. */
export function describeIntegrated({ strategy, into }: { strategy: IntegrationStrategy; into: string }): string {
  return `${DONE[strategy]} into ${isolateText(into)}`;
}

/** Says why a form in which no file is chosen cannot be submitted. */
export function noneChosen(files: readonly unknown[]): string {
  return files.length === 0 ? 'There are no uncommitted changes.' : 'Choose at least one file.';
}

/** Texts about a conflict in a file, by git's name for the kind of conflict. */
const CONFLICTS: Readonly<Record<string, string>> = {
  content: 'Both branches changed the same lines',
  contents: 'Both branches changed the same lines',
  'add/add': 'Both branches added this file',
  'modify/delete': 'Changed in one branch, deleted in the other',
  'rename/delete': 'Renamed in one branch, deleted in the other',
  'rename/rename': 'The branches renamed this file differently',
  'rename/add': 'One branch renamed a file to this name, the other added this file',
  'file/directory': 'A file in one branch, a folder in the other',
  binary: 'Both branches changed this binary file',
  submodule: 'Both branches changed this submodule',
  'distinct modes': 'This file has a different type in each branch',
  'directory rename split': 'One branch added a file to a folder whose files the other branch moved to several folders',
  'file location': 'One branch added a file to a folder that the other branch moved',
};

export function describeConflict({ kind }: Pick<MergeConflict, 'kind'>): string {
  return CONFLICTS[kind] ?? `Conflict: ${isolateText(kind)}`;
}

/** Describes how one of the two branches changed the file, e.g. `modified`. */
export function describeSide(side: MergeConflict['ours']): string {
  return side ?? 'changed';
}
