import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { CliForm, Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { Argument, type Command, Option } from 'commander';
import { withNames } from '../error-names.ts';
import { type FieldShape, fieldsOf, fromTexts } from '../input.ts';
import { TAGS } from '../tags.ts';
import { flagOf, namesOf, withOwn } from './names.ts';
import { print, toFacts, toJson, toTable, withoutControls } from './output.ts';
import { findConsole } from './place.ts';

/** A command for each contract that has one; what the contract says is all they know. */
export function addContractCommands(program: Command): void {
  const groups = new Map<string, Command>();
  for (const contract of CONTRACTS) {
    if (contract.cli === undefined) continue;
    for (const command of [contract.cli.command, ...(contract.cli.also ?? [])]) {
      const [first = '', second] = command.split(' ');
      if (second === undefined) {
        addCommand(program, first, contract, contract.cli);
        continue;
      }
      const group = groups.get(first) ?? program.command(first).description(groupHelp(first, contract));
      groups.set(first, group);
      addCommand(group, second, contract, contract.cli);
    }
  }
}

/** What the commands of a noun are about; those under another name of it say whose they are. */
function groupHelp(group: string, { name, cli }: Contract): string {
  const [noun = ''] = name.split('.');
  const [own = ''] = cli?.command.split(' ') ?? [];
  return own === group ? (TAGS[noun] ?? '') : `Other names of commands of ${own}`;
}

function addCommand(parent: Command, name: string, contract: Contract, form: CliForm): void {
  const fields = fieldsOf(contract.input);
  const positional = form.positional ?? [];
  const command = parent.command(name).description(contract.summary);
  for (const field of positional) {
    const shape = fields.get(field);
    command.addArgument(new Argument(shape?.optional ? `[${field}]` : `<${field}>`, helpOf(shape)));
  }
  for (const [field, shape] of fields) {
    if (!positional.includes(field)) addField(command, field, shape);
    else if (shape.optional) command.addOption(textOption(field, shape, '').hideHelp());
  }
  if (!fields.has('json')) command.option('--json', 'print JSON');
  // Where an operation has a url of its own, the server's stands before the command.
  if (!fields.has('url')) command.option('--url <url>', 'address of the console');
  command.action(async (...given: unknown[]) => {
    const options = command.opts<Record<string, unknown>>();
    const texts = new Map<string, unknown>(Object.entries(options));
    positional.forEach((field, at) => {
      if (given[at] !== undefined) texts.set(field, [given[at], ...((options[field] as string[] | undefined) ?? [])]);
    });
    const global = program(command).opts<{ url?: string; json?: boolean }>();
    const url = fields.has('url') ? global.url : ((options.url as string | undefined) ?? global.url);
    const names = namesOf(contract, form);
    try {
      const input = withOwn(contract, await inputOf(fields, texts), process.env);
      const server = await findConsole(process.env, url);
      const output = await server.run(contract, input);
      show(output, form, options.json === true || global.json === true);
    } catch (error) {
      throw error instanceof ConsoleError ? withNames(error, names) : error;
    }
  });
}

function program(command: Command): Command {
  return command.parent === null ? command : program(command.parent);
}

function helpOf(shape: FieldShape | undefined): string {
  const parts = [shape?.description ?? ''];
  if (shape?.choices !== undefined) parts.push(`(${shape.choices.join(' | ')})`);
  if (shape?.default !== undefined && shape.kind !== 'boolean')
    parts.push(`(default ${JSON.stringify(shape.default)})`);
  if (shape?.nullable) parts.push('("" for null)');
  return parts.filter((part) => part !== '').join(' ');
}

/** Collected, so that an array is given by repeating the option and a single value given twice is refused. */
function textOption(field: string, shape: FieldShape, help: string): Option {
  const value = shape.kind === 'json' ? 'json' : shape.kind === 'number' ? 'n' : 'text';
  const option = new Option(`${flagOf(field)} <${value}>`, help);
  return option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
}

function addField(command: Command, field: string, shape: FieldShape): void {
  const flag = flagOf(field);
  const help = helpOf(shape);
  if (shape.kind === 'boolean') {
    const { yes, no } = answersOf(help);
    if (shape.default !== true) command.addOption(new Option(flag, yes));
    // Without a default, both answers differ from none.
    if (shape.default !== false) command.addOption(new Option(flag.replace('--', '--no-'), no).default(undefined));
    return;
  }
  command.addOption(textOption(field, shape, help));
}

/** What the two answers of a field mean: descriptions say it as `true: …; false: …`, or `false: …` where true is the default. */
function answersOf(help: string): { yes: string; no: string } {
  const [, yes, no] = help.match(/^(?:true: (.*); )?false: (.*)$/) ?? [];
  return { yes: yes ?? help, no: no ?? help };
}

async function inputOf(
  fields: ReadonlyMap<string, FieldShape>,
  given: ReadonlyMap<string, unknown>,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  let stdin: string | undefined;
  for (const [field, shape] of fields) {
    const value = given.get(field);
    if (value === undefined) continue;
    if (typeof value === 'boolean') {
      input[field] = value;
      continue;
    }
    const texts = Array.isArray(value) ? (value as string[]) : [String(value)];
    if ((shape.kind === 'string' || shape.kind === 'json') && texts[0] === '-') {
      if (stdin !== undefined) throw fieldError(field, 'stdin ("-") was already read for another field');
      stdin = await readStdin();
      input[field] = fromTexts(field, shape, [stdin]);
      continue;
    }
    input[field] = fromTexts(field, shape, texts);
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

function show(output: unknown, form: CliForm, json: boolean): void {
  const page = output as { data?: unknown; total?: unknown };
  const text = form.prints === undefined ? undefined : (output as Record<string, unknown>)[form.prints];
  if (!json && typeof text === 'string') {
    if (text !== '') print(withoutControls(text.replace(/\n$/, '')));
    return;
  }
  if (!json && form.rows !== undefined) {
    const { [form.rows]: rows, ...rest } = output as Record<string, unknown>;
    print(toFacts(rest));
    print(toTable(form.columns ?? [], rows as unknown[], { wrap: true }));
    return;
  }
  if (json || form.columns === undefined || !Array.isArray(page.data)) {
    print(json ? toJson(output) : toFacts(output));
    return;
  }
  const rows: unknown[] = page.data;
  print(rows.length === 0 ? 'none' : toTable(form.columns, rows));
  if (typeof page.total === 'number' && page.total > rows.length) {
    print(`${rows.length} of ${page.total}; --skip and --limit show others`);
  }
}
