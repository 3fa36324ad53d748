import { readFile } from 'node:fs/promises';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { CliForm, Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { stripControls } from '@agent-console/shared/text';
import { Argument, type Command, Option } from 'commander';
import { withNames } from '../error-names.ts';
import { type FieldShape, fieldsOf, fromTexts } from '../input.ts';
import { findConsole } from './find-console.ts';
import { followJob } from './follow-job.ts';
import { flagOf, namesOf, withOwnIds } from './names.ts';
import { print, toJson } from './output.ts';
import { toFieldLines, toTable } from './table.ts';

/**
 * Adds a command for every operation whose contract defines one. Arguments, flags and help are derived from the
 * contract.
 */
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

/** Names of command groups in help texts, where they differ from the command. */
const NOUNS: Readonly<Record<string, string>> = { audit: 'the audit log', 'mcp-servers': 'MCP servers' };

/** Returns the help of a command group: `Manage sessions`, or `Show events` if no command changes anything. */
function groupHelp(group: string, { cli }: Contract): string {
  const [own = ''] = cli?.command.split(' ') ?? [];
  if (own !== group) return `Aliases of \`${own}\` commands`;
  const isReadOnly = CONTRACTS.every(
    (each) => each.effect === 'read' || each.cli === undefined || !each.cli.command.startsWith(`${group} `),
  );
  return `${isReadOnly ? 'Show' : 'Manage'} ${NOUNS[group] ?? group}`;
}

function addCommand(parent: Command, name: string, contract: Contract, form: CliForm): void {
  const fields = fieldsOf(contract.input);
  const positional = form.positional ?? [];
  const command = parent.command(name).description(contract.summary);
  for (const field of positional) {
    const shape = fields.get(field);
    const name = shape?.kind === 'array' ? `${field}...` : field;
    command.addArgument(new Argument(shape?.optional ? `[${name}]` : `<${name}>`, helpOf(shape)));
  }
  for (const [field, shape] of fields) {
    // A command that follows its job has `--no-wait` instead.
    if (form.job !== undefined && field === 'wait') continue;
    if (!positional.includes(field)) addField(command, contract, field, shape);
    else if (shape.optional) command.addOption(textOption(contract, field, shape, '').hideHelp());
  }
  if (form.job !== undefined) command.option('--no-wait', 'Do not wait for the end of the job');
  if (form.file !== undefined) {
    const help = helpOf(fields.get(form.file));
    command.addOption(new Option('--from <file>', `${help}: read from this JSON file, or from stdin with "-"`));
  }
  if (!fields.has('json')) command.option('--json', 'Print JSON');
  // An operation with a field `url` uses `--url` for that field. The console URL can then only be passed with the
  // global `--url`, before the command name.
  if (!fields.has('url')) command.option('--url <url>', 'Console URL');
  command.action(async (...args: unknown[]) => {
    const options = command.opts<Record<string, unknown>>();
    const { wait: _wait, ...given } = options;
    const texts = new Map<string, unknown>(Object.entries(form.job === undefined ? options : given));
    positional.forEach((field, at) => {
      if (args[at] !== undefined) texts.set(field, [args[at], (options[field] as string[] | undefined) ?? []].flat());
    });
    if (form.file !== undefined && typeof options.from === 'string') {
      texts.set(form.file, [options.from === '-' ? '-' : await readFile(options.from, 'utf8').catch(unreadable)]);
    }
    const global = rootOf(command).opts<{ url?: string; json?: boolean }>();
    const url = fields.has('url') ? global.url : ((options.url as string | undefined) ?? global.url);
    const names = namesOf(contract, form);
    try {
      const input = withOwnIds(contract, await inputOf(fields, texts), process.env);
      const client = await findConsole(process.env, url);
      const json = options.json === true || global.json === true;
      if (form.job === undefined || options.wait === false) {
        const output = await client.run(contract, input);
        show(output, form, json);
        if (form.isSuccess?.(output as Record<string, unknown>) === false) process.exitCode = 1;
      } else await followJob(client, (await client.run(contract, input)) as { jobId: string }, form.job, json);
    } catch (error) {
      throw error instanceof ConsoleError ? withNames(error, names) : error;
    }
  });
}

function unreadable(error: Error): never {
  throw fieldError('from', `the file cannot be read (${error.message}). Name a readable file, or "-" for stdin.`);
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function helpOf(shape: FieldShape | undefined): string {
  const parts = [shape?.description ?? ''];
  if (shape?.choices !== undefined) parts.push(`(${shape.choices.join(' | ')})`);
  if (shape?.default !== undefined && shape.kind !== 'boolean')
    parts.push(`(default ${JSON.stringify(shape.default)})`);
  if (shape?.nullable) parts.push('(use "" for null)');
  return parts.filter((part) => part !== '').join(' ');
}

/**
 * Creates an option that may be repeated and collects all values. If the field is not an array, `fromTexts` rejects
 * several values.
 */
function textOption({ ids = {} }: Contract, field: string, shape: FieldShape, help: string): Option {
  const value = shape.kind === 'json' ? 'json' : shape.kind === 'number' ? 'n' : field in ids ? 'id' : 'text';
  const option = new Option(`${flagOf(field)} <${value}>`, help);
  return option.argParser((text: string, previous: string[] | undefined) => [...(previous ?? []), text]);
}

function addField(command: Command, contract: Contract, field: string, shape: FieldShape): void {
  const flag = flagOf(field);
  const help = helpOf(shape);
  if (shape.kind === 'boolean') {
    const { yes, no } = switchHelp(help);
    if (shape.default !== true) command.addOption(new Option(flag, yes));
    // A field without a default has three states: true, false and absent.
    if (shape.default !== false) command.addOption(new Option(flag.replace('--', '--no-'), no).default(undefined));
    return;
  }
  command.addOption(textOption(contract, field, shape, help));
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

async function inputOf(
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
    if (text !== '') print(stripControls(text.replace(/\n$/, '')));
    return;
  }
  if (!json && form.text !== undefined) {
    process.stdout.write(stripControls(form.text(output as never)));
    return;
  }
  if (!json && form.rows !== undefined) {
    const { [form.rows]: rows, ...rest } = output as Record<string, unknown>;
    print(toFieldLines(rest));
    print(toTable(form.columns ?? [], rows as unknown[], { wrap: true }));
    return;
  }
  if (json || form.columns === undefined || !Array.isArray(page.data)) {
    print(json ? toJson(output) : toFieldLines(output));
    return;
  }
  const rows: unknown[] = page.data;
  print(rows.length === 0 ? 'No results.' : toTable(form.columns, rows));
  if (typeof page.total === 'number' && page.total > rows.length) {
    print(`Showing ${rows.length} of ${page.total} results. Use --skip and --limit for more.`);
  }
}
