import { contractOf, type OperationName } from './operations/table.ts';

/** `details.see` of an error: the operation that helps. Its message contains `rest`, which other surfaces replace. */
export interface See {
  operation: string;
  /** The fields of that operation that are known. */
  input: Readonly<Record<string, string>>;
  /** The operation as a REST call, such as `DELETE /api/workers/0193a1b2`. */
  rest: string;
}

/** Points to the operation that helps. Path fields that are not known remain as `:field`. */
export function see(operation: OperationName, input: Readonly<Record<string, string>> = {}): See {
  const { method, path } = contractOf(operation).rest;
  const filled = path
    .split('/')
    .map((part) => (part.startsWith(':') ? (input[part.slice(1)] ?? part) : part))
    .join('/');
  return { operation, input, rest: `${method} /api${filled}` };
}
