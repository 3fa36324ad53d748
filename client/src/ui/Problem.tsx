import type { ReactNode } from 'react';
import { UntrustedText } from './UntrustedText.tsx';

/** Error message with optional actions. */
export function Problem({ error, children }: { error: { message: string } | null | undefined; children?: ReactNode }) {
  if (error === null || error === undefined) return null;
  return (
    <div className="flex items-start gap-3 rounded-md bg-failed-bg px-3 py-2 text-failed" role="alert">
      <p className="min-w-0 flex-1 break-words">
        <UntrustedText text={error.message} />
      </p>
      {children}
    </div>
  );
}

/** An error response of the console, with validation issues in its details. */
export interface Refusal {
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

/** Returns the validation messages of an error by field name. */
export function issuesOf(error: Refusal | null | undefined): Readonly<Record<string, string>> {
  const issues = error?.details?.issues;
  if (!Array.isArray(issues)) return {};
  const named = issues as readonly { path: string; message: string }[];
  return Object.fromEntries(named.toReversed().map(({ path, message }) => [path.split('.')[0] ?? '', message]));
}

/** Shows the error of a form, unless the messages at its `fields` already contain the whole error. */
export function FormProblem(props: {
  error: Refusal | null | undefined;
  fields: readonly string[];
  children?: ReactNode;
}) {
  const { error, fields, children } = props;
  const paths = Object.keys(issuesOf(error));
  if (paths.length > 0 && paths.every((path) => fields.includes(path))) return null;
  return <Problem error={error}>{children}</Problem>;
}
