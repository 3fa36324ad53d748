import { ConsoleError, type ErrorDetails } from '@agent-console/shared/errors';
import type { Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { textOfIssues } from '@agent-console/shared/validate';
import * as v from 'valibot';

/** The names that a surface (REST, MCP or CLI) uses for the fields of the called operation and for other operations. */
export interface Names {
  field(name: string): string;
  /**
   * Returns a text that says how to call an operation with `input`, or undefined if the surface does not have the
   * operation.
   */
  operation(contract: Contract, input: Readonly<Record<string, string>>): string | undefined;
}

const Issues = v.array(v.looseObject({ path: v.string(), message: v.string() }));
const See = v.object({ operation: v.string(), input: v.record(v.string(), v.string()), rest: v.string() });

/**
 * Replaces the names in an error with those of a surface (REST, MCP or CLI). Operations throw errors with REST names:
 * wrong fields are in `details.field` or `details.issues`, other fields that the message mentions are in backticks, and
 * the operation to call next is in `details.see`.
 */
export function withNames(error: ConsoleError, names: Names): ConsoleError {
  const { message, details } = [nameField, nameIssues, nameOperation, nameMentioned].reduce(
    (text, name) => name(text, names),
    {
      message: error.message,
      details: error.details,
    },
  );
  return new ConsoleError(error.code, message, details, { retryable: error.retryable, cause: error });
}

interface ErrorText {
  message: string;
  details: ErrorDetails;
}

/**
 * Replaces the field at the start of a path such as `contextFiles.0` with the name that the surface (REST, MCP or CLI)
 * uses.
 */
function namePath(path: string, names: Names): string {
  const [field = '', ...rest] = path.split('.');
  return field === '' ? path : [names.field(field), ...rest].join('.');
}

function replaceStart(text: string, start: string, by: string): string {
  return text.startsWith(start) ? `${by}${text.slice(start.length)}` : text;
}

function nameField({ message, details }: ErrorText, names: Names): ErrorText {
  if (typeof details.field !== 'string') return { message, details };
  const field = namePath(details.field, names);
  return { message: replaceStart(message, `${details.field}: `, `${field}: `), details: { ...details, field } };
}

function nameIssues({ message, details }: ErrorText, names: Names): ErrorText {
  const parsed = v.safeParse(Issues, details.issues);
  if (!parsed.success) return { message, details };
  const issues = parsed.output.map((issue) => ({ ...issue, path: namePath(issue.path, names) }));
  return {
    message: replaceStart(message, textOfIssues(parsed.output), textOfIssues(issues)),
    details: { ...details, issues },
  };
}

/** Replaces the fields that a message mentions in backticks, such as "retry with `force`". */
function nameMentioned({ message, details }: ErrorText, names: Names): ErrorText {
  return { message: message.replace(/(?<=`)[a-z]\w*(?=`)/g, (name) => names.field(name)), details };
}

function nameOperation({ message, details }: ErrorText, names: Names): ErrorText {
  const parsed = v.safeParse(See, details.see);
  if (!parsed.success) return { message, details };
  const { operation, input, rest } = parsed.output;
  const contract = CONTRACTS.find(({ name }) => name === operation);
  const named = contract === undefined ? undefined : names.operation(contract, input);
  return { message: named === undefined ? message : message.replace(rest, () => named), details };
}
