import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fieldError } from '@agent-console/shared/errors';
import type { CliForm, Contract } from '@agent-console/shared/operation';
import { Argument, type Command, Option } from 'commander';
import { type FieldShape, fieldsOf, fromTexts } from '../input.ts';
import { flagOf, fullFlagOf, wordOf } from './names.ts';

/** Adds the arguments and flags of an operation's input fields to a command. */
export function addInputs(command: Command, contract: Contract, form: CliForm): void {
  const fields = fieldsOf(contract.input);
  const positional = form.positional ?? [];
  for (const field of positional) {
    const shape = fields.get(field);
    const name = shape?.kind === 'array' ? `${wordOf(field)}...` : wordOf(field);
    const isOptional = shape?.optional === true || form.here?.includes(field) === true;
    command.addArgument(new Argument(isOptional ? `[${name}]` : `<${name}>`, helpOf(contract, form, field, shape)));
  }
  for (const [field, shape] of fields) {
    // A command that follows its job has the flag `--no-wait` in place of a flag for the field `wait`.
    if ((form.job !== undefined && field === 'wait') || field === form.uploads?.field) continue;
    // The field `form.waits.field` limits the time of one call. Its flag is accepted but not shown, because `--timeout`
    // limits the time of the whole command.
    if (field === form.waits?.field)
      command.addOption(textOption(flagOf(field), contract, field, shape, '').hideHelp());
    else if (!positional.includes(field)) addField(command, contract, form, field, shape);
    else if (shape.optional || form.here?.includes(field)) {
      for (const flag of new Set([flagOf(field), fullFlagOf(field)]))
        command.addOption(textOption(flag, contract, field, shape, '').hideHelp());
    }
  }
  if (form.file !== undefined) {
    const help = helpOf(contract, form, form.file, fields.get(form.file));
    command.addOption(new Option('--from <file>', `${help}: read from this JSON file, or from stdin with "-"`));
  }
}

/**
 * Returns the input that a command line contains, with paths resolved against the current directory. The console, not
 * the command, validates this input.
 */
export async function inputOf(
  contract: Contract,
  form: CliForm,
  args: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const fields = fieldsOf(contract.input);
  const positional = form.positional ?? [];
  const texts = new Map<string, unknown>();
  for (const field of fields.keys()) {
    if (form.job !== undefined && field === 'wait') continue;
    const values = [...new Set([flagOf(field), fullFlagOf(field)])].map((flag) => options[attributeOf(flag)]);
    const given = [args[positional.indexOf(field)], ...values].filter((value) => value !== undefined);
    if (given.length > 0) texts.set(field, given.length === 1 ? given[0] : given.flat());
  }
  if (form.file !== undefined && typeof options.from === 'string') {
    texts.set(form.file, [options.from === '-' ? '-' : await readFile(options.from, 'utf8').catch(unreadable)]);
  }
  return { ...form.defaults, ...(await fromValues(fields, texts)) };
}

/** Returns the name under which commander stores the value of a flag. */
const attributeOf = (flag: string) =>
  flag.replace(/^--/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function unreadable(error: Error): never {
  throw fieldError('from', `the file cannot be read (${error.message}). Name a readable file, or "-" for stdin.`);
}

function helpOf(
  { ids = {} }: Contract,
  { here, defaults }: CliForm,
  field: string,
  shape: FieldShape | undefined,
): string {
  const noun = ids[field];
  // The descriptions in the schemas mention only ids, but the command line also accepts names.
  const anyOf = (shape?.description ?? '').replace(/, by id or prefix| by id or prefix/, '');
  const described = shape?.isPath ? anyOf.replace(/^Absolute path/, 'Path') : anyOf;
  const withDefault = here?.includes(field) ? described.replace(/; default: .*/, '') : described;
  // On the command line, an empty text stands for null, so the help shows `""` instead of `null`.
  const text = shape?.nullable ? withDefault.replace(/\bnull\b/g, '""') : withDefault;
  const isPlain = /^Ids? of the .*, or a unique prefix/.test(text);
  const parts = [isPlain && noun !== undefined ? `Name, title or id of the ${wordOf(noun).replace('-', ' ')}` : text];
  if (shape?.choices !== undefined) parts.push(`(${shape.choices.join(' | ')})`);
  if (here?.includes(field)) parts.push('(default: the one that contains this directory)');
  const byDefault = defaults?.[field] ?? shape?.default;
  if (byDefault !== undefined && shape?.kind !== 'boolean') parts.push(`(default ${JSON.stringify(byDefault)})`);
  if (shape?.nullable && !text.includes('""')) parts.push('(pass "" for no value)');
  return parts.filter((part) => part !== '').join(' ');
}

/** Returns the placeholder for a flag's value in the help, for example `session`, `seconds` or `branch`. */
function valueNameOf({ ids = {} }: Contract, field: string, shape: FieldShape): string {
  const noun = ids[field];
  if (noun !== undefined) return wordOf(noun);
  if (shape.kind === 'json' || shape.item?.kind === 'json') return 'json';
  const last = wordOf(field).split('-').at(-1) ?? field;
  if (shape.kind === 'number') return ['seconds', 'bytes', 'days', 'offset'].includes(last) ? last : 'n';
  if (last === 'at') return 'time';
  return shape.kind === 'array' ? last.replace(/s$/, '') : last;
}

/**
 * Creates an option that may be repeated and collects all values. If the field is not an array, `fromTexts` rejects
 * several values.
 */
function textOption(flag: string, contract: Contract, field: string, shape: FieldShape, help: string): Option {
  const option = new Option(`${flag} <${valueNameOf(contract, field, shape)}>`, help);
  return option.argParser((text: string, previous: string[] | undefined) => [...(previous ?? []), text]);
}

function addField(command: Command, contract: Contract, form: CliForm, field: string, shape: FieldShape): void {
  const flag = flagOf(field);
  const help = helpOf(contract, form, field, shape);
  if (shape.kind === 'boolean') {
    const { yes, no } = switchHelp(help);
    if (shape.default !== true) command.addOption(new Option(flag, yes));
    // A field whose default is already false needs no flag `--no-…`.
    if (shape.default !== false) command.addOption(new Option(flag.replace('--', '--no-'), no).default(undefined));
    return;
  }
  command.addOption(textOption(flag, contract, field, shape, help));
  const full = fullFlagOf(field);
  if (full !== flag) command.addOption(textOption(full, contract, field, shape, '').hideHelp());
}

/**
 * Returns the help of `--flag` and `--no-flag`. A description may explain one or both values, as `true: …; false: …`.
 * Any other description explains the value true, and is negated for `--no-flag`.
 */
function switchHelp(description: string): { yes: string; no: string } {
  const text = description.replace(/ \(default (?:true|false)\)$/, '');
  const [, yes, no] = text.match(/^(?:true: (.*?))?(?:(?:^|; )false: (.*))?$/) ?? [];
  return { yes: yes ?? text, no: no ?? `Do not ${text.charAt(0).toLowerCase()}${text.slice(1)}` };
}

/** Matches a URL, and an address of ssh such as `git@github.com:me/shop`. */
const URL_OR_ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.]+@[\w.-]+:)/i;

async function fromValues(
  fields: ReadonlyMap<string, FieldShape>,
  values: ReadonlyMap<string, unknown>,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  let stdin: string | undefined;
  for (const [field, shape] of fields) {
    const value = values.get(field);
    if (value === undefined) continue;
    if (typeof value === 'boolean') {
      input[field] = value;
      continue;
    }
    const texts = Array.isArray(value) ? (value as string[]) : [String(value)];
    if ((shape.kind === 'string' || shape.kind === 'json') && texts[0] === '-') {
      if (stdin !== undefined) throw fieldError(field, 'only one field can be read from stdin ("-")');
      stdin = await readStdin();
      texts[0] = stdin;
    }
    const parsed = fromTexts(field, shape, texts);
    const isPath = shape.isPath && typeof parsed === 'string' && parsed !== '';
    if (isPath && fields.has('url') && URL_OR_ADDRESS.test(parsed)) {
      throw fieldError(field, `is a URL; pass it with ${flagOf('url')}`);
    }
    input[field] = isPath ? resolve(parsed) : parsed;
  }
  return input;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
