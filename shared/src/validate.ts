import * as v from 'valibot';
import { ConsoleError } from './errors.ts';

/** One thing wrong with an input. */
export interface InputIssue {
  /** Where, as a dotted path; empty for the input as a whole. */
  path: string;
  message: string;
}

/** Issues named in a message; the details have more of them. */
const NAMED_ISSUES = 3;
/** Issues in the details: a long array of wrong items has one for each of them. */
const SHOWN_ISSUES = 20;

/**
 * Checks an input at the door. VALIDATION names each field and what is expected there, with `details.issues`; what the
 * caller sent is never repeated, since it may be a secret.
 */
export function validate<S extends v.GenericSchema<unknown, unknown>>(schema: S, input: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const issues = result.issues.slice(0, SHOWN_ISSUES).map(describeIssue);
  const named = issues
    .slice(0, NAMED_ISSUES)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const rest = result.issues.length > NAMED_ISSUES ? ` (and ${result.issues.length - NAMED_ISSUES} more)` : '';
  throw new ConsoleError('VALIDATION', `${named.join('; ')}${rest}`, { issues });
}

function describeIssue(issue: v.BaseIssue<unknown>): InputIssue {
  const path = v.getDotPath(issue) ?? '';
  if (issue.expected === 'never') return { path, message: 'unknown field' };
  if (issue.received === 'undefined') return { path, message: 'is required' };
  // Only valibot's own words repeat what was received; ours are written for the caller.
  const own = !issue.message.startsWith('Invalid ');
  return { path, message: own ? issue.message : `expected ${expectation(issue)}` };
}

/** What each kind of check takes that valibot has no words for, or none that a caller would understand. */
const TAKES: Readonly<Record<string, (issue: v.BaseIssue<unknown>) => string>> = {
  safe_integer: () => 'a whole number',
  iso_timestamp: () => 'a moment as ISO 8601, such as 2026-11-21T22:30:00.000Z',
  email: () => 'an e-mail address, such as me@example.com',
  url: () => 'a whole address, such as https://example.com',
  non_empty: () => 'at least one character',
  min_length: (issue) => `at least ${lengthOf(issue)}`,
  max_length: (issue) => `at most ${lengthOf(issue)}`,
  max_bytes: ({ requirement }) => `at most ${requirement} bytes`,
  max_entries: ({ requirement }) => `at most ${requirement} entries`,
  min_value: ({ requirement }) => `at least ${requirement}`,
  max_value: ({ requirement }) => `at most ${requirement}`,
};

function lengthOf({ input, requirement }: v.BaseIssue<unknown>): string {
  const unit = Array.isArray(input) ? 'item' : 'character';
  return `${requirement} ${unit}${requirement === 1 ? '' : 's'}`;
}

function expectation(issue: v.BaseIssue<unknown>): string {
  const takes = TAKES[issue.type];
  if (takes !== undefined) return takes(issue);
  // Every kind has a name in valibot's own words: "Invalid <name>: Received ...".
  if (issue.expected === null) return `a valid ${issue.message.slice('Invalid '.length).split(':', 1)[0]}`;
  return issue.expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ');
}
