import { fieldError } from '@agent-console/shared/errors';
import type { CliForm, Contract, Noun } from '@agent-console/shared/operation';
import type { Names } from '../error-names.ts';
import { fieldsOf } from '../input.ts';

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Returns the name of a field on the command line. It is `repository` for `repositoryId`, because the command line
 * accepts names as well as ids.
 */
export function wordOf(field: string): string {
  return kebab(field.replace(/(?<=.)(?<!^new|^input)Ids?$/, ''));
}

/** Returns the flag of a field: `--repository` for `repositoryId`, `--base-branch` for `baseBranch`. */
export function flagOf(field: string): string {
  return `--${wordOf(field)}`;
}

/**
 * Returns the flag with the full name of a field, such as `--repository-id`. Commands also accept this flag, besides
 * the short form that `flagOf` returns.
 */
export function fullFlagOf(field: string): string {
  return `--${kebab(field)}`;
}

/** Returns the names that error messages of a command use: flags for its fields, and commands for other operations. */
export function namesOf({ input }: Contract, { positional = [], uploads }: CliForm): Names {
  const fields = fieldsOf(input);
  return {
    field(name) {
      if (!fields.has(name)) return name;
      if (name === uploads?.field) return `--${uploads.option}`;
      return positional.includes(name) ? `<${wordOf(name)}>` : flagOf(name);
    },
    operation: ({ cli }, known) => (cli === undefined ? undefined : `\`agent-console ${commandLine(cli, known)}\``),
  };
}

/** Returns a command line that contains the `known` values. Positional fields without a value become placeholders. */
function commandLine({ command, positional = [] }: CliForm, known: Readonly<Record<string, string>>): string {
  const options = Object.entries(known).filter(([field]) => !positional.includes(field));
  return [
    command,
    ...positional.map((field) => known[field] ?? `<${wordOf(field)}>`),
    ...options.flatMap(([field, value]) => [flagOf(field), value]),
  ].join(' ');
}

/** Environment variables with the ids of the session and repository to which an agent or terminal belongs. */
const OWN_ID = { session: 'AGENT_CONSOLE_SESSION_ID', repository: 'AGENT_CONSOLE_REPOSITORY_ID' } as const;

/**
 * Adds the id of the caller's own session or repository, from the environment, if the operation's path requires it and
 * the command line does not contain it.
 */
export function withOwnIds(
  contract: Contract,
  input: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const missing = missingInPath(contract, input);
  const noun = missing === undefined ? undefined : contract.ids?.[missing];
  const own = noun === 'session' || noun === 'repository' ? env[OWN_ID[noun]] : undefined;
  return missing !== undefined && own ? { ...input, [missing]: own } : input;
}

/**
 * Checks that the input has the id that the operation's path requires.
 * @throws VALIDATION if the id is missing because the current directory is not in such an entity, UNAUTHENTICATED if it
 * is missing because the command was not run in a session.
 */
export function requireIds(contract: Contract, form: CliForm, input: Record<string, unknown>): void {
  const missing = missingInPath(contract, input);
  if (missing === undefined) return;
  const noun = contract.ids?.[missing] ?? 'thing';
  if (form.here?.includes(missing)) {
    throw fieldError(
      missing,
      `this directory is not in a ${noun} of the console; pass the name or id of a ${noun}, or a path inside it`,
    );
  }
  throw fieldError(
    missing,
    `this command was not run in a session; pass the ${noun}, or run it in a session of the console`,
    {},
    'UNAUTHENTICATED',
  );
}

/**
 * Returns the first field of the operation's path that the input lacks and for which the command line has a default,
 * such as the current session.
 */
function missingInPath({ ids = {}, rest, input: schema, cli }: Contract, input: Record<string, unknown>) {
  const fields = fieldsOf(schema);
  const hasOwnDefault = (noun: Noun | undefined) => noun === 'session' || noun === 'repository';
  return rest.path
    .split('/')
    .map((part) => part.replace(/^:/, ''))
    .find(
      (field) =>
        input[field] === undefined &&
        ((hasOwnDefault(ids[field]) && fields.get(field)?.optional === true) || cli?.here?.includes(field)),
    );
}
