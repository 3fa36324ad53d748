import { ConsoleError, type ErrorDetails } from '@agent-console/shared/errors';
import type { Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import * as v from 'valibot';

/** How one surface calls the fields of the operation that is called, and the other operations. */
export interface Spelling {
  /** What the caller knows a field by; undefined where it is not a field of the operation. */
  field(name: string): string | undefined;
  /** How the caller asks for what answers at a REST path; undefined where it cannot. */
  operation(contract: Contract, path: Readonly<Record<string, string>>): string | undefined;
}

const QUOTED = /("(?:[^"\\]|\\.)*")/;
const ROUTE = /\b(?<method>GET|POST|PATCH|DELETE) \/api(?<path>\/[^\s,;)]*[^\s,;).])/;
/** `field: what is wrong`, also of several fields, at the beginning and behind each `; `. */
const HEAD = /(?<=^|; )[A-Za-z]\w*(?:\.\w+)*(?:, [A-Za-z]\w*)*(?=: )/;
/** Words that are nothing else than the name of a field. */
const CAMEL = /(?<![\w-])[a-z]+(?:[A-Z][a-z0-9]*)+(?!\w)/;
/** In one pass, so that nothing is spelled twice. */
const NAMES = new RegExp([ROUTE, HEAD, CAMEL].map(({ source }) => source).join('|'), 'g');

const Issues = v.array(v.looseObject({ path: v.string(), message: v.string() }));

/**
 * An error of an operation in the words of who called it: the application layer says fields and paths as REST does.
 * What stands in double quotes was the caller's already.
 */
export function respell(error: ConsoleError, spelling: Spelling): ConsoleError {
  const name = (field: string) => spelling.field(field) ?? field;
  const nameOfPath = (path: string) => path.replace(/^\w+/, name);
  const spelled = (part: string) =>
    part.replace(NAMES, (...found) => {
      const [whole, { method, path }] = [String(found[0]), found.at(-1) as Record<string, string | undefined>];
      if (method === undefined || path === undefined) return whole.split(', ').map(nameOfPath).join(', ');
      const asked = operationAt(method, path);
      return (asked && spelling.operation(...asked)) ?? whole;
    });
  const message = (whole: string) =>
    whole
      .split(QUOTED)
      .map((part) => (part.startsWith('"') ? part : spelled(part)))
      .join('');
  return new ConsoleError(error.code, message(error.message), detailsBy(error.details, nameOfPath, message), {
    retryable: error.retryable,
    cause: error,
  });
}

function detailsBy(
  details: ErrorDetails,
  nameOfPath: (path: string) => string,
  message: (text: string) => string,
): ErrorDetails {
  const { field, issues } = details;
  const parsed = v.safeParse(Issues, issues);
  return {
    ...details,
    ...(typeof field === 'string' ? { field: nameOfPath(field) } : {}),
    ...(parsed.success
      ? {
          issues: parsed.output.map((issue) => ({
            ...issue,
            path: nameOfPath(issue.path),
            message: message(issue.message),
          })),
        }
      : {}),
  };
}

/** The operation that answers there, with the fields that stand in its path. */
function operationAt(method: string, path: string): [Contract, Record<string, string>] | undefined {
  for (const contract of CONTRACTS) {
    if (contract.rest.method !== method) continue;
    const pattern = new RegExp(`^${contract.rest.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const found = pattern.exec(path);
    if (found !== null) return [contract, { ...found.groups }];
  }
  return undefined;
}
