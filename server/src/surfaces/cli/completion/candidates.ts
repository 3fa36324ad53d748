import { shortId } from '@agent-console/shared/ids';
import type { Noun } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { stripControls } from '@agent-console/shared/text';
import type { Command, Option } from 'commander';
import { fieldsOf } from '../../input.ts';
import type { ConsoleClient } from '../client.ts';
import { flagOf, fullFlagOf } from '../names.ts';

/** A value that could complete the last word of a command line. */
export interface Candidate {
  value: string;
  description: string;
}

/** The kind of value that completes a word: one of fixed choices, the title of an entity, or an agent id. */
type Value = { choices: readonly string[] } | { noun: Noun } | { agent: true };

/** Values that complete the first argument of commands that run no operation, by command. */
const OTHER_ARGUMENTS: Readonly<Record<string, Value>> = {
  logs: { noun: 'session' },
  attach: { noun: 'session' },
  completion: { choices: ['bash', 'zsh', 'fish'] },
};

/** Returns the candidates for the last word, which may be empty. `connect` returns a client of the console. */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  connect: () => Promise<ConsoleClient>,
): Promise<Candidate[]> {
  const last = unquoted(words.at(-1) ?? '');
  const { command, path, position, option } = walk(program, words.slice(0, -1));
  const matchesLastWord = ({ value }: Candidate) => value.startsWith(last);
  if (option !== undefined) {
    const value = option.argChoices === undefined ? valueOfFlag(path, option) : { choices: option.argChoices };
    return value === undefined ? [] : (await valuesOf(value, last, connect)).filter(isOf(last));
  }
  if (last.startsWith('-')) return flagsOf(command).filter(matchesLastWord);
  const subcommands = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }));
  if (command.commands.length > 0) return position > 0 ? [] : subcommands.filter(matchesLastWord);
  const value = valueOfArgument(command, path, position);
  return value === undefined ? [] : (await valuesOf(value, last, connect)).filter(isOf(last));
}

const isOf =
  (beginning: string) =>
  ({ value }: Candidate) =>
    value.toLowerCase().startsWith(beginning.toLowerCase());

/** Removes the opening quote and the backslashes with which a word is quoted in a shell. */
function unquoted(word: string): string {
  return word.replace(/^["']/, '').replace(/\\(.)/g, '$1');
}

interface ParsedWords {
  command: Command;
  /** Names of the command's groups and of the command, separated by spaces. */
  path: string;
  /** Number of positional arguments before the word to complete. */
  position: number;
  /** The option that takes the last word as its value, if any. */
  option: Option | undefined;
}

function walk(program: Command, words: readonly string[]): ParsedWords {
  let command = program;
  const path: string[] = [];
  let position = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const found = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);
      if (found?.required || found?.optional) option = found;
      continue;
    }
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) position += 1;
    else {
      command = next;
      path.push(word);
    }
  }
  return { command, path: path.join(' '), position, option };
}

function flagsOf(command: Command): Candidate[] {
  return command.options
    .filter(({ hidden, long }) => !hidden && long !== undefined)
    .map(({ long, description }) => ({ value: long ?? '', description }));
}

function contractOfPath(path: string) {
  return CONTRACTS.find(({ cli }) => cli?.command === path || cli?.also?.includes(path));
}

function valueOfField(path: string, field: string | undefined): Value | undefined {
  const contract = contractOfPath(path);
  if (contract === undefined || field === undefined) return undefined;
  const noun = contract.ids?.[field];
  if (noun !== undefined) return { noun };
  if (field === 'agentId' || (field === 'id' && contract.name.startsWith('agents.'))) return { agent: true };
  const choices = fieldsOf(contract.input).get(field)?.choices;
  return choices === undefined ? undefined : { choices };
}

function valueOfFlag(path: string, { long }: Option): Value | undefined {
  if (long === '--repository' || long === '--repository-id') return { noun: 'repository' };
  const contract = contractOfPath(path);
  const fields = contract === undefined ? [] : [...fieldsOf(contract.input).keys()];
  return valueOfField(
    path,
    fields.find((field) => flagOf(field) === long || fullFlagOf(field) === long),
  );
}

function valueOfArgument(command: Command, path: string, position: number): Value | undefined {
  const other = OTHER_ARGUMENTS[path];
  if (other !== undefined) return position === 0 ? other : undefined;
  const positional = contractOfPath(path)?.cli?.positional ?? [];
  // If the last argument may have several values, all further words are values of this argument.
  const isVariadic = command.registeredArguments.at(-1)?.variadic === true;
  return valueOfField(path, positional[isVariadic ? Math.min(position, positional.length - 1) : position]);
}

async function valuesOf(value: Value, beginning: string, connect: () => Promise<ConsoleClient>): Promise<Candidate[]> {
  if ('choices' in value) return value.choices.map((choice) => ({ value: choice, description: '' }));
  const client = await connect();
  if ('agent' in value) {
    const { data } = await client.call('agents.list', { limit: 500 });
    return data.map(({ id, name }) => ({ value: id, description: name }));
  }
  const { names } = await client.call('names.list', { noun: value.noun, startsWith: beginning, limit: 100 });
  const titles = names.map(({ title }) => stripControls(title).replace(/\s+/g, ' '));
  return names.flatMap(({ id }, at) => {
    const title = titles[at] ?? '';
    const isUnique = titles.filter((other) => other.toLowerCase() === title.toLowerCase()).length === 1;
    return isUnique ? [{ value: title, description: shortId(id) }] : [];
  });
}
