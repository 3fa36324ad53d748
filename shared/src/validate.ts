import * as v from 'valibot';
import { ConsoleError } from './errors.ts';

export interface InputIssue {
  /** Dotted path of the field; empty for the input as a whole. */
  path: string;
  message: string;
}

/** Maximum issues in the message of an error; the error's details contain more. */
const NAMED_ISSUES = 3;
/** Maximum issues in the details of an error; a long array of wrong items has one issue per item. */
const SHOWN_ISSUES = 20;

/**
 * Parses an input.
 * @throws VALIDATION with the invalid fields and the expected values: the first NAMED_ISSUES in the message, the first
 * SHOWN_ISSUES in `details.issues`. The error never contains the received values, because they may be secret.
 */
export function validate<S extends v.GenericSchema<unknown, unknown>>(schema: S, input: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const issues = result.issues.slice(0, SHOWN_ISSUES).map(describeIssue);
  const more = moreProblems(result.issues.length - NAMED_ISSUES);
  throw new ConsoleError('VALIDATION', `${textOfIssues(issues)}${more}`, { issues });
}

/** Returns the end of an error message that does not name `count` of the problems; empty if it names all. */
export function moreProblems(count: number): string {
  return count > 0 ? ` (and ${count} more ${count === 1 ? 'problem' : 'problems'})` : '';
}

/** Returns the text of the first NAMED_ISSUES of `issues`, with which an error message begins. */
export function textOfIssues(issues: readonly InputIssue[]): string {
  return issues
    .slice(0, NAMED_ISSUES)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
}

/** An issue whose path is also given as a list of keys. */
export interface LocatedIssue extends InputIssue {
  keys: readonly (string | number)[];
  isUnknownField: boolean;
}

/** Returns the issues of an input, with the location of each; empty if the input is valid. */
export function issuesOf(schema: v.GenericSchema<unknown, unknown>, input: unknown): LocatedIssue[] {
  const { issues = [] } = v.safeParse(schema, input);
  return issues.map((issue) => ({
    ...describeIssue(issue),
    keys: (issue.path ?? []).map(({ key }) => key as string | number),
    isUnknownField: issue.expected === 'never',
  }));
}

function describeIssue(issue: v.BaseIssue<unknown>): InputIssue {
  const path = v.getDotPath(issue) ?? '';
  if (issue.expected === 'never') return { path, message: 'unknown field' };
  if (issue.received === 'undefined') return { path, message: 'is required' };
  // Messages that begin with "Invalid" are valibot's defaults, which repeat the received value. Our schemas never set a
  // message that begins with this word.
  const isOurs = !issue.message.startsWith('Invalid ');
  return { path, message: isOurs ? issue.message : `expected ${expectation(issue)}` };
}

/**
 * Descriptions of the expected value in error messages, by valibot's name of the check. They replace texts of valibot
 * that are too technical for callers.
 */
const EXPECTED: Readonly<Record<string, (issue: v.BaseIssue<unknown>) => string>> = {
  safe_integer: () => 'a whole number',
  iso_timestamp: () => 'an ISO 8601 timestamp, such as 2026-11-21T22:30:00.000Z',
  email: () => 'an e-mail address, such as me@example.com',
  url: () => 'an absolute URL, such as https://example.com',
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
  const expected = EXPECTED[issue.type];
  if (expected !== undefined) return expected(issue);
  // If `expected` is null, the message of valibot is "Invalid <name>: Received ...". It becomes "a valid <name>".
  if (issue.expected === null) return `a valid ${issue.message.slice('Invalid '.length).split(':', 1)[0]}`;
  return issue.expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ');
}
