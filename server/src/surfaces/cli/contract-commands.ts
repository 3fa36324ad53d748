import { ConsoleError } from '@agent-console/shared/errors';
import type { CliForm, Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { Argument, type Command, Option } from 'commander';
import { type FieldShape, fieldsOf, fromTexts } from '../input.ts';
import { print, toFacts, toJson, toTable, withoutControls } from './output.ts';
import { findConsole } from './place.ts';

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

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
      const group = groups.get(first) ?? program.command(first).description(`Work with ${first}`);
      groups.set(first, group);
      addCommand(group, second, contract, contract.cli);
    }
  }
}

function addCommand(parent: Command, name: string, contract: Contract, form: CliForm): void {
  const fields = fieldsOf(contract.input);
  const positional = form.positional ?? [];
  const command = parent.command(name).description(contract.summary);
  for (const field of positional) {
    const shape = fields.get(field);
    command.addArgument(new Argument(shape?.optional ? `[${field}]` : `<${field}>`, helpOf(shape)));
  }
  for (const [field, shape] of fields) if (!positional.includes(field)) addField(command, field, shape);
  if (!fields.has('json')) command.option('--json', 'print JSON');
  // Where an operation has a url of its own, the server's stands before the command.
  if (!fields.has('url')) command.option('--url <url>', 'address of the console');
  command.action(async (...given: unknown[]) => {
    const options = command.opts<Record<string, unknown>>();
    const texts = new Map<string, unknown>();
    positional.forEach((field, at) => {
      texts.set(field, given[at]);
    });
    for (const field of fields.keys()) if (!positional.includes(field)) texts.set(field, options[field]);
    const input = await inputOf(fields, texts);
    const global = program(command).opts<{ url?: string; json?: boolean }>();
    const url = fields.has('url') ? global.url : ((options.url as string | undefined) ?? global.url);
    const server = await findConsole(process.env, url);
    const output = await server.run(contract, input);
    show(output, form, options.json === true || global.json === true);
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
  return parts.filter((part) => part !== '').join(' ');
}

function addField(command: Command, field: string, shape: FieldShape): void {
  const flag = kebab(field);
  const help = helpOf(shape);
  if (shape.kind === 'boolean') {
    if (shape.default !== true) command.addOption(new Option(`--${flag}`, help));
    // Without a default, both answers differ from none.
    if (shape.default !== false)
      command.addOption(
        new Option(`--no-${flag}`, shape.default === true ? `turn off: ${help}` : `the opposite of --${flag}`).default(
          undefined,
        ),
      );
    return;
  }
  const option = new Option(
    `--${flag} <${shape.kind === 'json' ? 'json' : shape.kind === 'number' ? 'n' : 'text'}>`,
    help,
  );
  // Collected, so that an array is given by repeating the option and a single value given twice is refused.
  option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
  command.addOption(option);
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
      if (stdin !== undefined)
        throw new ConsoleError('VALIDATION', `${field}: stdin ("-") was read for another field already.`);
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
