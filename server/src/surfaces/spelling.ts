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
/** `field: what is wrong`, also of several fields, at the beginning and behind each `; `. */
const HEAD = /(?<=^|; )[A-Za-z]\w*(?:\.\w+)*(?:, [A-Za-z]\w*)*(?=: )/g;
/** Words that are nothing else than the name of a field. */
const CAMEL = /(?<![\w-])[a-z]+(?:[A-Z][a-z0-9]*)+(?!\w)/g;
const ROUTE = /\b(GET|POST|PATCH|DELETE) \/api(\/[^\s,;)]*[^\s,;).])/g;

const Issues = v.array(v.looseObject({ path: v.string(), message: v.string() }));

/**
 * An error of an operation in the words of who called it: the application layer says fields and paths as REST does.
 * What stands in double quotes was the caller's already.
 */
export function respell(error: ConsoleError, spelling: Spelling): ConsoleError {
  const name = (field: string) => spelling.field(field) ?? field;
  const nameOfPath = (path: string) => path.replace(/^\w+/, name);
  const text = (part: string, first: boolean) => {
    const headed = first ? part.replace(HEAD, (head) => head.split(', ').map(nameOfPath).join(', ')) : part;
    return headed.replace(CAMEL, name).replace(ROUTE, (whole, method: string, path: string) => {
      const found = operationAt(method, path);
      return (found && spelling.operation(...found)) ?? whole;
    });
  };
  const message = (whole: string) =>
    whole
      .split(QUOTED)
      .map((part, at) => (part.startsWith('"') ? part : text(part, at === 0)))
      .join('');
  return new ConsoleError(error.code, message(error.message), detailsBy(error.details, nameOfPath, message), {
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
