import type { Notice } from '@agent-console/shared/models/notice';
import { describeSource } from '../../ui/outcome-source.ts';

type Facts = Pick<Notice, 'kind' | 'status' | 'outcomeSource' | 'certain'>;

/** Describes what a notice is about: the status of a task and how it is known, or else the kind of the notice. */
export function describeNotice({ kind, status, outcomeSource, certain }: Facts): string {
  const known = outcomeSource === null ? '' : ` · ${describeSource(outcomeSource, certain)}`;
  return `${(status ?? kind).replaceAll('_', ' ')}${known}`;
}
