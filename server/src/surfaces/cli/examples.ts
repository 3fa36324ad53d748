import type { CliForm, Contract, Noun } from '@agent-console/shared/operation';
import { fieldsOf } from '../input.ts';
import { flagOf } from './names.ts';
import { withNpx } from './output.ts';

const ID = '0193a1b2-c3d4';

/** Values for ids in examples, by noun: a name if such entities have names, otherwise the beginning of an id. */
const NAMES: Readonly<Record<Noun, string>> = {
  repository: 'shop',
  worktree: 'faster-search',
  board: 'This week',
  zone: ID,
  session: 'Fix the login',
  worker: ID,
  task: ID,
  delegation: ID,
  job: ID,
  notice: ID,
  approval: ID,
  token: ID,
  user: 'Ann',
  mcpServer: 'tickets',
  integration: ID,
  orchestration: ID,
};

/** Returns the examples section of a command's help. `lines` are command lines without the name of the program. */
export function helpWith(lines: readonly string[]): string {
  return withNpx(`\nExamples:\n${lines.map((line) => `  agent-console ${line}`).join('\n')}`);
}

/**
 * Returns example command lines of an operation: those in its `form`, or one with the values of its contract's example.
 */
export function examplesOf(contract: Contract, form: CliForm, name: string): readonly string[] {
  if (form.examples !== undefined) return form.examples.map((line) => line.replace(form.command, name));
  const { ids = {}, example = {} } = contract;
  const { positional = [] } = form;
  const fields = fieldsOf(contract.input);
  const values = (field: string): unknown[] => {
    const noun = ids[field];
    const value = noun === undefined ? example[field] : NAMES[noun];
    return value === undefined ? [] : [value].flat();
  };
  const options = Object.keys({ ...requiredOf(fields), ...example }).filter((field) => !positional.includes(field));
  return [
    [
      name,
      ...positional.flatMap((field) => values(field).map(quoted)),
      ...options.flatMap((field) =>
        values(field).map((value) => (value === true ? flagOf(field) : `${flagOf(field)} ${quoted(value)}`)),
      ),
    ].join(' '),
  ];
}

const requiredOf = (fields: ReturnType<typeof fieldsOf>) =>
  Object.fromEntries([...fields].filter(([, { optional }]) => !optional));

/** Quotes a value for a POSIX shell. A carriage return needs the `$'…'` syntax of bash and zsh. */
function quoted(value: unknown): string {
  if (value === null) return '""';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (/^[\w./@:=-]+$/.test(text)) return text;
  if (/\r/.test(text)) return `$'${text.replaceAll('\r', '\\r')}'`;
  return /^[\w ,.?;:@/-]+$/.test(text) ? `"${text}"` : `'${text}'`;
}
