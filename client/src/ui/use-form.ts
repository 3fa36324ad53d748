import { useState } from 'react';
import { issuesOf, type Refusal } from './Problem.tsx';

/**
 * State of a form's text fields: the stored values, overwritten by the user's changes. Validation messages in `error`
 * are assigned to their fields.
 */
export function useForm<V extends Readonly<Record<string, string>>>(stored: V, error: Refusal | null) {
  const [changes, setChanges] = useState<Partial<V>>({});
  const values: V = { ...stored, ...changes };
  const issues = issuesOf(error);
  return {
    values,
    changes,
    issues,
    names: Object.keys(stored),
    isChanged: Object.keys(changes).some((name) => values[name] !== stored[name]),
    set: (change: Partial<V>) => setChanges((before) => ({ ...before, ...change })),
    discard: () => setChanges({}),
    /** Returns the props of a field. `required` is the error message for an empty field. */
    field: (name: keyof V & string, required?: string) => ({
      value: values[name] as string,
      error: issues[name],
      onChange: (text: string) => setChanges((before) => ({ ...before, [name]: text })),
      ...(required !== undefined && values[name]?.trim() === '' ? { missing: required } : {}),
    }),
  };
}
