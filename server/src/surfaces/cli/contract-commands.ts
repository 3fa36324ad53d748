import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { WAIT_MAX_SECONDS } from '@agent-console/shared/limits/calls';
import type { CliForm, Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withNames } from '../error-names.ts';
import { fieldsOf } from '../input.ts';
import { TAGS } from '../tags.ts';
import { type ConsoleClient, createClient } from './client.ts';
import { confirm, isDestructive } from './confirm.ts';
import { examplesOf, helpWith } from './examples.ts';
import { type ConsoleAddress, findAddress } from './find-console.ts';
import { followJob } from './follow-job.ts';
import { followTask } from './follow-task.ts';
import { withFullIds, withIdsHere } from './ids.ts';
import { addInputs, inputOf } from './inputs.ts';
import { namesOf, requireIds, withOwnIds } from './names.ts';
import { page, pageIfLong } from './printing/pager.ts';
import { FORMATS, type Format, render } from './printing/render.ts';
import { addUploadOption, runWithFiles } from './uploads.ts';
import { watch } from './watch.ts';

/** Command options that are not fields of the operation. */
interface Options {
  url?: string;
  json?: true;
  output?: Format;
  yes?: true;
  watch?: true;
  wait?: boolean;
  follow?: true;
  pager?: boolean;
  timeout?: number;
}

/** A parsed command line, and the console to call. */
interface Run {
  contract: Contract;
  form: CliForm;
  options: Options;
  format: Format;
  address: ConsoleAddress;
  client: ConsoleClient;
}

/**
 * Adds a command for every operation whose contract defines a command. Arguments, flags and help are derived from the
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
      const isAlias = contract.cli.command.split(' ')[0] !== first;
      const group =
        groups.get(first) ?? program.command(first, { hidden: isAlias }).description(groupHelp(first, contract));
      groups.set(first, group);
      addCommand(group, second, contract, contract.cli);
    }
  }
}

/**
 * Returns the help of a command group: a description of the entities that its commands manage. For a group of aliases,
 * names the group whose commands they repeat.
 */
function groupHelp(group: string, { cli, name }: Contract): string {
  const [own = ''] = cli?.command.split(' ') ?? [];
  if (own !== group) return `Aliases of \`${own}\` commands`;
  return (TAGS[name.split('.')[0] ?? ''] ?? '').replace(/\..*$|\.$/, '');
}

function addCommand(parent: Command, name: string, contract: Contract, form: CliForm): void {
  const path = parent.parent === null ? name : `${parent.name()} ${name}`;
  const fields = fieldsOf(contract.input);
  const command = parent.command(name).description(form.summary ?? contract.summary);
  addInputs(command, contract, form);
  addOptions(command, contract, form);
  addUploadOption(command, form);
  command.addHelpText('after', () => helpWith(examplesOf(contract, form, path)));
  command.action(async (...args: unknown[]) => {
    const given = command.opts<Record<string, unknown>>();
    const own = given as Options;
    const global = rootOf(command).opts<Options>();
    const url = fields.has('url') ? global.url : (own.url ?? global.url);
    const isJson = (own.json === true && !fields.has('json')) || global.json === true;
    const format = isJson ? 'json' : (own.output ?? global.output ?? 'table');
    const names = namesOf(contract, form);
    try {
      const typed = withOwnIds(contract, await inputOf(contract, form, args, given), process.env);
      const address = await findAddress(process.env, url);
      const insideWorker = Boolean(process.env.AGENT_CONSOLE_WORKER_ID);
      const client = createClient({ ...address, insideWorker, waits: isWaiting(form, own) });
      await run({ contract, form, options: own, format, address, client }, typed);
    } catch (error) {
      throw error instanceof ConsoleError ? withNames(error, names) : error;
    }
  });
}

/** Whether the command waits for a job, a task or another condition, or prints its output again after each change. */
function isWaiting(form: CliForm, { wait, follow, watch }: Options): boolean {
  const waitsForJob = form.job !== undefined && wait !== false;
  return form.waits !== undefined || waitsForJob || wait === true || follow === true || watch === true;
}

/** Adds the options for output, confirmation and waiting, unless the operation has a field with the same name. */
function addOptions(command: Command, contract: Contract, form: CliForm): void {
  const fields = fieldsOf(contract.input);
  const add = (field: string, option: Option) => {
    if (!fields.has(field)) command.addOption(option);
  };
  if (form.job !== undefined) command.option('--no-wait', 'Do not wait for the end of the job');
  if (form.follows !== undefined) {
    add('wait', new Option('--wait', 'Wait for the end of the task; the exit status is 0 only if it completes'));
    add('follow', new Option('--follow', 'Like --wait, and print the output of the agent on stderr'));
  }
  if (form.waits !== undefined) {
    const timeout = new Option(
      '--timeout <seconds>',
      'Stop waiting after this time, with exit status 16 (default: never)',
    );
    add('timeout', timeout.argParser(secondsOf));
  }
  if (contract.effect === 'destroy') add('yes', new Option('-y, --yes', 'Do not ask for confirmation'));
  const isTable = form.prints === undefined && form.patch === undefined;
  if (contract.effect === 'read' && isTable && form.waits === undefined)
    add('watch', new Option('-w, --watch', 'Print the output again after each change, until Ctrl-C'));
  if (isPaged(contract, form)) add('pager', new Option('--no-pager', 'Print without a pager'));
  add('output', new Option('-o, --output <format>', 'Output format').choices(FORMATS));
  add('json', new Option('--json', 'Print JSON, same as -o json'));
  // An operation with a field `url` uses `--url` for that field, so the console URL can only be passed with the global
  // `--url`, before the command name.
  add('url', new Option('--url <url>', 'Console URL'));
}

export function secondsOf(text: string): number {
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a number of seconds.');
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

async function run(parsed: Run, typed: Record<string, unknown>): Promise<void> {
  const { contract, form, options, format, address, client } = parsed;
  const isForScripts = format === 'json' || format === 'yaml';
  const isAgents = Boolean(process.env.AGENT_CONSOLE_WORKER_ID);
  const isInPath = form.here?.some((field) => contract.rest.path.includes(`:${field}`)) === true;
  // If an agent omits the repository, the console uses the repository of the agent's session. So for an agent's
  // command, the working directory determines ids only if the URL path of the operation needs them.
  const isHere = !(isAgents && !isInPath) && !(form.everywhere !== undefined && typed[form.everywhere] === true);
  const located = isHere ? await withIdsHere(client, contract, form, typed, process.cwd()) : typed;
  requireIds(contract, form, located);
  const needsConfirmation = isDestructive(contract, located);
  const needsTitles = needsConfirmation && !(options.yes === true && isForScripts);
  const { input, named } = await withFullIds(client, contract, located, { needsTitles, cwd: process.cwd() });
  const consent = { yes: options.yes === true, asksNobody: isForScripts };
  if (needsConfirmation && !(await confirm(contract, named, consent))) {
    process.stderr.write('Nothing was changed.\n');
    process.exitCode = 1;
    return;
  }
  if (options.watch === true && contract.effect === 'read') {
    await watchOperation(parsed, input);
    return;
  }
  const output = await (form.waits === undefined
    ? runWithFiles(client, contract, form, { ...options }, input)
    : runUntilDone(parsed, input));
  if (form.job !== undefined && options.wait !== false) {
    await followJob(client, output as { jobId: string }, form.job, format);
    return;
  }
  const fields = fieldsOf(contract.input);
  const follows = (options.follow === true && !fields.has('follow')) || (options.wait === true && !fields.has('wait'));
  if (form.follows !== undefined && follows) {
    await followTask({ address, client, follow: options.follow === true, format }, output as never);
    return;
  }
  await show(parsed, output);
}

/**
 * Repeats a call until `isDone` accepts its output, or until `--timeout` has passed. Calls only once if the input
 * contains the operation's own time limit. If `isDone` accepts no output, sets the exit status of TIMEOUT.
 */
async function runUntilDone({ client, contract, form, options }: Run, input: Record<string, unknown>) {
  const { isDone = () => true, field = '' } = form.waits ?? {};
  const until = performance.now() + (options.timeout ?? Number.POSITIVE_INFINITY) * 1_000;
  for (;;) {
    const remaining = Math.min(WAIT_MAX_SECONDS, Math.max(0, (until - performance.now()) / 1_000));
    const isLimited = field !== '' && input[field] === undefined;
    const output = await client.run(contract, isLimited ? { ...input, [field]: remaining } : input);
    const isOver = performance.now() >= until || (field !== '' && !isLimited);
    if (isDone(output as Record<string, unknown>)) return output;
    if (!isOver) continue;
    process.exitCode = ERRORS.TIMEOUT.exit;
    return output;
  }
}

/** Whether a command prints a text, a list or a patch, which may be longer than the terminal. */
function isPaged({ effect, input }: Contract, { patch, prints, columns, waits }: CliForm): boolean {
  if (fieldsOf(input).has('pager') || waits !== undefined || effect !== 'read') return false;
  return patch !== undefined || prints !== undefined || columns !== undefined;
}

async function show({ client, contract, form, options, format }: Run, output: unknown): Promise<void> {
  const text = await render(client, contract, output, format);
  const isForPeople = format === 'table' || format === 'wide';
  const pager = options.pager !== false && isForPeople && isPaged(contract, form);
  // A patch is always opened in the pager, however short, because the pager may be a program that formats patches.
  if (pager && form.patch !== undefined) await page(text);
  else await pageIfLong(text, { pager });
  if (form.isSuccess?.(output as Record<string, unknown>) === false) process.exitCode = 1;
}

async function watchOperation({ client, contract, format, address }: Run, input: Record<string, unknown>) {
  const ended = new AbortController();
  const end = () => ended.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await watch(address, async () => render(client, contract, await client.run(contract, input), format), {
      isTerminal: process.stdout.isTTY === true && (format === 'table' || format === 'wide'),
      signal: ended.signal,
      write: (text) => process.stdout.write(text),
    });
  } finally {
    end();
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}
