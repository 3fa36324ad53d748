import { ConsoleError } from '@agent-console/shared/errors';
import type { CliForm, Contract, Noun } from '@agent-console/shared/operation';
import { fieldsOf } from '../input.ts';
import type { Spelling } from '../spelling.ts';

/** The option of a field, e.g. `--repository-id`. */
export function flagOf(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** How a command calls fields and other operations. */
export function spellingOf({ input }: Contract, { positional = [] }: CliForm): Spelling {
  const fields = fieldsOf(input);
  return {
    field(name) {
      if (!fields.has(name)) return undefined;
      return positional.includes(name) ? `<${name}>` : flagOf(name);
    },
    operation: ({ cli }, path) => (cli === undefined ? undefined : `\`agent-console ${commandLine(cli, path)}\``),
  };
}

/** A command with the fields that are known; `:field` in a path of ours stands for any. */
function commandLine({ command, positional = [] }: CliForm, known: Readonly<Record<string, string>>): string {
  const given = positional.flatMap((field) => known[field] ?? []);
  const named = Object.keys(known).filter((field) => !positional.includes(field));
  const shown = (field: string, value: string | undefined) => (value?.startsWith(':') ? `<${field}>` : value);
  return [
    command,
    ...positional.slice(0, given.length).map((field) => shown(field, known[field])),
    ...named.flatMap((field) => [flagOf(field), shown(field, known[field])]),
  ].join(' ');
}

/** Variables in which agents and terminals find what they are in. */
const OWN = { session: 'AGENT_CONSOLE_SESSION_ID', repository: 'AGENT_CONSOLE_REPOSITORY_ID' } as const;

/**
 * The input with the caller's own session or repository where the operation's path wants one and none was named: agents
 * find it in their environment.
 * @throws UNAUTHENTICATED outside of a session, with how to name one.
 */
export function withOwn(
  { ids = {}, rest, input: schema }: Contract,
  input: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const fields = fieldsOf(schema);
  const inPath = rest.path.split('/').map((part) => part.replace(/^:/, ''));
  const left = inPath.find((field) => ownNoun(ids[field]) && fields.get(field)?.optional === true);
  if (left === undefined || input[left] !== undefined) return input;
  const noun = ids[left];
  const own = ownNoun(noun) ? env[OWN[noun]] : undefined;
  if (own) return { ...input, [left]: own };
  throw new ConsoleError(
    'UNAUTHENTICATED',
    `This command runs in no session. Name ${noun === 'session' ? 'one' : `the ${noun}`} as ${left}, or run it in a session of the console.`,
    { field: left },
  );
}

function ownNoun(noun: Noun | undefined): noun is keyof typeof OWN {
  return noun === 'session' || noun === 'repository';
}
