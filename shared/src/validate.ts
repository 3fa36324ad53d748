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
  if (!issue.message.startsWith('Invalid ')) return { path, message: issue.message };
  return { path, message: issue.expected === null ? 'is not allowed' : `expected ${expectation(issue)}` };
}

function expectation(issue: v.BaseIssue<unknown>): string {
  const { type, requirement, expected } = issue;
  if (type === 'min_length') return `at least ${requirement} long`;
  if (type === 'max_length') return `at most ${requirement} long`;
  if (type === 'max_bytes') return `at most ${requirement} bytes`;
  if (type === 'min_value') return `at least ${requirement}`;
  if (type === 'max_value') return `at most ${requirement}`;
  return String(expected)
    .replace(/^\((.*)\)$/, '$1')
    .replaceAll(' | ', ' or ');
}
