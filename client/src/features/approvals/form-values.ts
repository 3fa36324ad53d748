import type { FormField, FormValue } from '@agent-console/shared/models/approval';
import type { Refusal } from '../../ui/Problem.tsx';

/**
 * The values entered in a form so far, by field id: a text (also for a number), the state of a switch, or the chosen
 * values.
 */
export type FormDraft = Readonly<Record<string, string | boolean | string[]>>;

export function initialDraft(fields: readonly FormField[]): FormDraft {
  return Object.fromEntries(fields.map((field) => [field.id, initialValue(field)]));
}

function initialValue({ type, default: initial }: FormField): FormDraft[string] {
  if (type === 'boolean') return initial === true;
  if (type === 'choices') return Array.isArray(initial) ? initial : [];
  return initial === null || Array.isArray(initial) ? '' : String(initial);
}

/**
 * Returns the values to send. Fields with an empty text are left out. Text in a number field that is not a number is
 * sent unchanged, so that the console rejects it.
 */
export function valuesOf(fields: readonly FormField[], draft: FormDraft): Record<string, FormValue> {
  const entered = fields.flatMap(({ id, type }): [string, FormValue][] => {
    const value = draft[id];
    if (value === undefined || value === '') return [];
    const isNumber = (type === 'number' || type === 'integer') && typeof value === 'string';
    return [[id, isNumber && !Number.isNaN(Number(value)) ? Number(value) : value]];
  });
  return Object.fromEntries(entered);
}

const PATH = 'values.';

/** Returns the console's messages about the values of a form, by field id. */
export function valueProblems(error: Refusal | null): Readonly<Record<string, string>> {
  const issues = error?.details?.issues;
  if (!Array.isArray(issues)) return {};
  const named = issues as readonly { path: string; message: string }[];
  return Object.fromEntries(
    named.filter(({ path }) => path.startsWith(PATH)).map(({ path, message }) => [path.slice(PATH.length), message]),
  );
}
