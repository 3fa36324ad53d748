import type { ReactNode } from 'react';
import { UntrustedText } from './UntrustedText.tsx';

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

/** An error response of the console. Its details may contain validation issues. */
export interface Refusal {
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

/**
 * A message about one field of a call. `path` is the field's name, or the path of a part of it, such as `command.0`.
 */
interface Issue {
  path: string;
  message: string;
}

/**
 * Returns the messages that an error contains about single fields. They come from input validation or from the
 * operation.
 */
export function fieldIssues(error: Refusal | null | undefined): readonly Issue[] {
  const { issues, field } = error?.details ?? {};
  if (Array.isArray(issues)) return issues as readonly Issue[];
  if (error == null || typeof field !== 'string') return [];
  const prefix = `${field}: `;
  const message = error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
  return [{ path: field, message }];
}

/** Returns the messages of an error by field name. Of several messages about a field, only the first is returned. */
export function issuesOf(error: Refusal | null | undefined): Readonly<Record<string, string>> {
  const issues = fieldIssues(error).toReversed();
  return Object.fromEntries(issues.map(({ path, message }) => [path.split('.')[0] ?? '', sentence(message)]));
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/**
 * Shows the error of a form. Shows nothing if all messages of the error are about `fields`, because the form shows
 * those messages beside its fields.
 */
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
