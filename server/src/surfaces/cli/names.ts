import { fieldError } from '@agent-console/shared/errors';
import type { CliForm, Contract, Noun } from '@agent-console/shared/operation';
import type { Names } from '../error-names.ts';
import { fieldsOf } from '../input.ts';

/** Returns the flag of a field: `--repository-id` for `repositoryId`. */
export function flagOf(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the names that error messages of a command use: flags for its fields, and commands for other operations. */
export function namesOf({ input }: Contract, { positional = [] }: CliForm): Names {
  const fields = fieldsOf(input);
  return {
    field(name) {
      if (!fields.has(name)) return name;
      return positional.includes(name) ? `<${name}>` : flagOf(name);
    },
    operation: ({ cli }, known) => (cli === undefined ? undefined : `\`agent-console ${commandLine(cli, known)}\``),
  };
}

/** Returns a command line with these values. Positional fields without a value become placeholders. */
function commandLine({ command, positional = [] }: CliForm, known: Readonly<Record<string, string>>): string {
  const options = Object.entries(known).filter(([field]) => !positional.includes(field));
  return [
    command,
    ...positional.map((field) => known[field] ?? `<${field}>`),
    ...options.flatMap(([field, value]) => [flagOf(field), value]),
  ].join(' ');
}

/** Environment variables that name the session and repository of an agent or terminal. */
const OWN_ID = { session: 'AGENT_CONSOLE_SESSION_ID', repository: 'AGENT_CONSOLE_REPOSITORY_ID' } as const;

/**
 * Adds the id of the caller's own session or repository, from the environment, if the operation's path requires it and
 * the command line does not contain it.
 * @throws UNAUTHENTICATED outside a session, with an explanation of how to name one.
 */
export function withOwnIds(
  { ids = {}, rest, input: schema }: Contract,
  input: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const fields = fieldsOf(schema);
  const inPath = rest.path.split('/').map((part) => part.replace(/^:/, ''));
  const missing = inPath.find((field) => ownNoun(ids[field]) && fields.get(field)?.optional === true);
  if (missing === undefined || input[missing] !== undefined) return input;
  const noun = ids[missing];
  const own = ownNoun(noun) ? env[OWN_ID[noun]] : undefined;
  if (own) return { ...input, [missing]: own };
  throw fieldError(
    missing,
    `this command was not run in a session; pass the ${noun}, or run it in a session of the console`,
    {},
    'UNAUTHENTICATED',
  );
}

function ownNoun(noun: Noun | undefined): noun is keyof typeof OWN_ID {
  return noun === 'session' || noun === 'repository';
}
