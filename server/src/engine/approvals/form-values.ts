import { createContext, Script } from 'node:vm';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  FORM_PATTERN_ATTEMPTS_MAX,
  FORM_PATTERN_MS,
  FORM_TEXT_MAX_CHARS,
} from '@agent-console/shared/limits/approvals';
import type { FormField, FormValue } from '@agent-console/shared/models/approval';
import { textOfIssues } from '@agent-console/shared/validate';
import type { FormValues } from '../../domain/protocol.ts';

/**
 * Returns the given values of a form, with defaults for fields that were left out. Empty texts and lists count as left
 * out.
 * @throws VALIDATION with the problem of each field. The error never contains a value.
 */
export function checkedValues(fields: readonly FormField[], given: Readonly<Record<string, FormValue>>): FormValues {
  const known = new Set(fields.map(({ id }) => id));
  const issues = Object.keys(given)
    .filter((id) => !known.has(id))
    .map((id) => issue(id, `is not a field of this form; its fields are ${[...known].join(', ')}`));
  const values: [string, FormValue][] = [];
  for (const field of fields) {
    const value = isEmpty(given[field.id]) ? field.default : given[field.id];
    const problem = value == null || isEmpty(value) ? missing(field) : problemOf(field, value);
    if (problem !== null) issues.push(issue(field.id, problem));
    else if (value != null && !isEmpty(value)) values.push([field.id, value]);
  }
  if (issues.length > 0) throw new ConsoleError('VALIDATION', textOfIssues(issues), { issues });
  return Object.fromEntries(values);
}

const issue = (id: string, message: string) => ({ path: `values.${id}`, message });

const isEmpty = (value: FormValue | null | undefined) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const missing = ({ required, type, min }: FormField) => {
  // An optional field may be left out, even a list that requires a minimum number of choices. A required list may be
  // left out only if its minimum is 0.
  if (!required || (type === 'choices' && min === 0)) return null;
  return type === 'choice' || type === 'choices' ? 'choose a value' : 'enter a value';
};

const FORMATS: Readonly<Record<NonNullable<FormField['format']>, { matches(text: string): boolean; as: string }>> = {
  email: { matches: (text) => /^[^\s@]+@[^\s@]+$/.test(text), as: 'an e-mail address' },
  uri: { matches: (text) => URL.canParse(text), as: 'an address such as https://example.com/' },
  date: { matches: isDate, as: 'a date such as 2026-01-31' },
  'date-time': {
    matches: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) &&
      isDate(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    as: 'a time such as 2026-01-31T12:00:00Z',
  },
};

/** Whether the day exists. `Date` alone does not check this: it converts 2026-02-30 to a day in March. */
function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function problemOf(field: FormField, value: FormValue): string | null {
  const { type, choices, min, max } = field;
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
      if (type === 'integer' && !Number.isSafeInteger(value)) return 'must be a whole number';
      return bounds(value, min, max, '');
    case 'choice':
      if (choices.some((choice) => choice.value === value)) return null;
      return `must be one of ${choices.map((choice) => choice.value).join(', ')}`;
    case 'choices': {
      if (!Array.isArray(value)) return 'must be a list';
      const offered = new Set(choices.map((choice) => choice.value));
      if (value.some((each) => !offered.has(each))) return `must contain only ${[...offered].join(', ')}`;
      if (new Set(value).size < value.length) return 'must not contain a value twice';
      return bounds(value.length, min, max, ' values');
    }
    case 'text':
      return typeof value === 'string' ? problemOfText(field, value) : 'must be text';
  }
}

function problemOfText({ min, max, format, pattern }: FormField, text: string): string | null {
  const problem = bounds(
    [...text].length,
    min,
    Math.min(max ?? FORM_TEXT_MAX_CHARS, FORM_TEXT_MAX_CHARS),
    ' characters',
  );
  if (problem !== null) return problem;
  if (format !== null && !FORMATS[format].matches(text)) return `must be ${FORMATS[format].as}`;
  return pattern === null || matches(pattern, text) ? null : `must match ${pattern}`;
}

function bounds(value: number, min: number | null, max: number | null, unit: string): string | null {
  const must = unit === '' ? 'must be' : 'must have';
  if (min !== null && value < min) return `${must} at least ${min}${unit}`;
  return max !== null && value > max ? `${must} at most ${max}${unit}` : null;
}

const MATCH = new Script('new RegExp(pattern, "u").test(text)');

/**
 * Whether the text matches an agent's regular expression. The check has a time limit, because some expressions take
 * hours for short texts. After the limit, the text is accepted and only the agent checks it. On a busy machine, the time
 * can pass before the check has used the CPU, so such a check is repeated.
 */
function matches(pattern: string, text: string): boolean {
  for (let attempt = 1; ; attempt += 1) {
    const before = process.cpuUsage();
    try {
      return MATCH.runInContext(createContext({ pattern, text }), { timeout: FORM_PATTERN_MS }) === true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.cpuUsage(before);
      const usedMs = (user + system) / 1_000;
      if (usedMs >= FORM_PATTERN_MS / 2 || attempt >= FORM_PATTERN_ATTEMPTS_MAX) return true;
    }
  }
}
