import { contractOf, type OperationName } from './operations/table.ts';

/**
 * `details.see` of an error: the operation to call next. If the error's message contains the text of `rest`, each
 * surface replaces this text with its own form of the call, such as a command line.
 */
export interface See {
  operation: string;
  /** Known values of the input fields of `operation`. */
  input: Readonly<Record<string, string>>;
  /** The operation as a REST call, such as `DELETE /api/workers/0193a1b2`. */
  rest: string;
}

/** Creates a reference to the operation to call next. Path fields without a value remain as `:field`. */
export function see(operation: OperationName, input: Readonly<Record<string, string>> = {}): See {
  const { method, path } = contractOf(operation).rest;
  const filled = path
    .split('/')
    .map((part) => (part.startsWith(':') ? (input[part.slice(1)] ?? part) : part))
    .join('/');
  return { operation, input, rest: `${method} /api${filled}` };
}
