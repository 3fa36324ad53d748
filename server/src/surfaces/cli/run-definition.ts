import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConsoleError, ERRORS, fieldError } from '@agent-console/shared/errors';
import { SECOND } from '@agent-console/shared/limits/units';
import { isFinal, type OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { OrchestrationPlan } from '@agent-console/shared/models/orchestration-definition';
import { contractOf, type OutputOf, type RequestOf } from '@agent-console/shared/operations/table';
import { stripControls } from '@agent-console/shared/text';
import { type Command, Option } from 'commander';
import { type Names, withNames } from '../error-names.ts';
import { type ConsoleClient, createClient } from './client.ts';
import { askYesNo } from './confirm.ts';
import { secondsOf } from './contract-commands.ts';
import { helpWith } from './examples.ts';
import { type ConsoleAddress, findAddress } from './find-console.ts';
import { followOrchestration, progressLine } from './follow-orchestration.ts';
import { withFullIds, withIdsHere } from './ids.ts';
import { flagOf, namesOf } from './names.ts';
import { print, toJson } from './output.ts';
import { toFieldLines } from './printing/fields.ts';
import { toTable } from './printing/table.ts';

interface Options {
  param: Record<string, string | string[]>;
  repository?: string;
  repositoryId?: string;
  contentHash?: string;
  idempotencyKey?: string;
  yes?: true;
  dryRun?: true;
  watch?: true;
  wait: boolean;
  timeout?: number;
  json?: true;
  url?: string;
}

/** The options that error messages name instead of the fields of the operation. */
const NAMES: Names = {
  field: (name) =>
    name === 'repositoryId' || name === 'contentHash' || name === 'idempotencyKey' ? flagOf(name) : name,
  operation: namesOf(contractOf('orchestrations.run'), { command: 'orchestrations run' }).operation,
};

/** Longest delay, in milliseconds, that a timer supports. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Adds `orchestrations run`, which can read a definition from a local file and waits for the outcome. */
export function addRunDefinition(cli: Command): void {
  const group = cli.commands.find((command) => command.name() === 'orchestrations') ?? cli.command('orchestrations');
  const command = group.command('run');
  command
    .description(
      'Run an orchestration from a definition and wait until it ends; the exit status is 1 unless it completes',
    )
    .argument('<definition>', 'Name of a definition, a file (*.yaml), or "-" for stdin')
    .option('--param <name=value>', 'Value of a parameter; for a list, repeat the option for each item', collect, {})
    .option('--repository <repository>', 'Name or id of the repository (default: the one that contains this directory)')
    .addOption(new Option('--repository-id <repository>').hideHelp())
    .option('--dry-run', 'Show the plan of the orchestration, and create nothing')
    .option('--watch', 'Show each event of the orchestration on stderr')
    .option('--no-wait', 'Do not wait for the end of the orchestration')
    .option(
      '--timeout <seconds>',
      'Stop waiting after this time, with exit status 16; the orchestration continues (default: never)',
      secondsOf,
    )
    .option('--yes', 'Accept the plan without asking, even if the text of the definition is new in this repository')
    .option('--content-hash <hash>', 'Accept the plan only if the text of the definition has this hash')
    .option('--idempotency-key <key>', 'Start the orchestration only once for all calls with this key')
    .option('--json', 'Print JSON')
    .option('--url <url>', 'Console URL')
    .addHelpText(
      'after',
      helpWith([
        'orchestrations run review --param branch=faster-search',
        'orchestrations run ./release.yaml --dry-run',
      ]),
    )
    .action(async (definition: string, options: Options) => {
      const global = cli.opts<{ url?: string; json?: true }>();
      try {
        await run(definition, { ...global, ...options });
      } catch (error) {
        throw error instanceof ConsoleError ? withNames(error, NAMES) : error;
      }
    });
}

/** Collects the values of `--param name=value`. */
function collect(text: string, given: Options['param']): Options['param'] {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw fieldError('param', `"${text}" is not of the form name=value`);
  const before = Object.hasOwn(given, name) ? [given[name] ?? []].flat() : null;
  return Object.fromEntries([...Object.entries(given), [name, before === null ? value : [...before, value]]]);
}

async function run(definition: string, options: Options): Promise<void> {
  const { idempotencyKey, json } = options;
  const address = await findAddress(process.env, options.url);
  const client = createClient({ ...address, insideWorker: Boolean(process.env.AGENT_CONSOLE_WORKER_ID) });
  const contract = contractOf('orchestrations.run');
  const named = options.repository ?? options.repositoryId;
  const typed = named === undefined ? {} : { repositoryId: named };
  const located = process.env.AGENT_CONSOLE_WORKER_ID
    ? typed
    : await withIdsHere(client, contract, { here: ['repositoryId'] }, typed, process.cwd());
  const full = await withFullIds(client, contract, located, { needsTitles: false, cwd: process.cwd() });
  const { repositoryId } = full.input as { repositoryId?: string };
  const input: RequestOf<'orchestrations.run'> = {
    ...(await definitionInput(definition)),
    parameters: options.param,
    ...(repositoryId !== undefined && { repositoryId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(options.contentHash !== undefined && { contentHash: options.contentHash }),
  };
  if (options.dryRun) {
    const { plan } = await client.call('orchestrations.run', { ...input, dryRun: true });
    print(json || plan === null ? toJson(plan) : planText(plan));
    return;
  }
  const { orchestration } = await start(client, input, options);
  if (orchestration === null) throw new ConsoleError('INTERNAL', 'The console created no orchestration.');
  if (!options.wait) {
    show(orchestration, json);
    return;
  }
  const end = await waitForEnd(address, orchestration.id, options);
  show(end, json);
  if (end.state !== 'completed') process.exitCode = isFinal(end.state) ? 1 : ERRORS.TIMEOUT.exit;
}

/**
 * Runs the definition. If its text is not accepted for the repository yet, asks the person to accept it first. A call
 * that contains the hash of the text says that the person has accepted it. With an idempotency key, every call contains
 * the hash, even if the text was already accepted, because a repeated call must have the same input as the first one.
 */
async function start(
  client: ConsoleClient,
  input: RequestOf<'orchestrations.run'>,
  options: Options,
): Promise<OutputOf<'orchestrations.run'>> {
  const runText = (contentHash: string) => client.call('orchestrations.run', { ...input, contentHash });
  const { idempotencyKey, ...asked } = input;
  if (idempotencyKey !== undefined && asked.contentHash === undefined) {
    const { plan } = await client.call('orchestrations.run', { ...asked, dryRun: true });
    if (plan?.isAccepted) return runText(plan.contentHash);
    if (plan) return consented(plan, options, undefined, runText);
  }
  return client.call('orchestrations.run', input).catch((error: unknown) => {
    const plan = planOf(error);
    if (plan === undefined) throw error;
    return consented(plan, options, error, runText);
  });
}

/**
 * Waits for the end of the orchestration or for `--timeout`. Even without `--watch`, prints that a budget paused the
 * orchestration, because it does not continue until a person answers.
 */
async function waitForEnd(
  address: ConsoleAddress,
  orchestrationId: string,
  { watch, json, timeout }: Options,
): Promise<OrchestrationStatus> {
  const watches = watch || (process.stderr.isTTY && !json);
  const signal =
    timeout === undefined
      ? new AbortController().signal
      : AbortSignal.timeout(Math.min(timeout * SECOND, TIMER_MAX_MS));
  const end = await followOrchestration(
    address,
    orchestrationId,
    (event) => {
      const isPausedByBudget = event.eventType === 'session_paused' && event.data.pausedBy === 'budget';
      if (watches || isPausedByBudget) process.stderr.write(`${stripControls(progressLine(event))}\n`);
    },
    signal,
  );
  if (!isFinal(end.state)) {
    const why = end.pausedBy === 'budget' ? ', because its budget is used up' : '';
    process.stderr.write(
      `The orchestration has not ended within ${timeout} s: it is ${end.state}${why}. This command no longer waits; see agent-console orchestrations get ${orchestrationId}.\n`,
    );
  }
  return end;
}

/** Returns the input fields for the definition: the text of a file or of stdin, or the name of a stored definition. */
async function definitionInput(
  definition: string,
): Promise<Pick<RequestOf<'orchestrations.run'>, 'definition' | 'source' | 'sourceName'>> {
  if (definition === '-') return { source: await textOf(process.stdin), sourceName: 'stdin' };
  if (!definition.includes('/') && !/\.ya?ml$/.test(definition)) return { definition };
  const source = await readFile(definition, 'utf8').catch((error: Error) => {
    throw fieldError(
      'definition',
      `the file cannot be read (${error.message}). Name a readable file, or "-" for stdin.`,
    );
  });
  return { source, sourceName: basename(definition) };
}

async function textOf(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Returns the plan in the error of a run whose definition a person must accept first; undefined for any other error.
 */
function planOf(error: unknown): OrchestrationPlan | undefined {
  if (!(error instanceof ConsoleError) || error.code !== 'CONFLICT') return undefined;
  return error.details.plan as OrchestrationPlan | undefined;
}

/** Shows a plan, and runs its definition if the person agrees. @throws ConsoleError CONFLICT if the person does not. */
async function consented(
  plan: OrchestrationPlan,
  { yes, contentHash }: Options,
  refusal: unknown,
  runText: (contentHash: string) => Promise<OutputOf<'orchestrations.run'>>,
): Promise<OutputOf<'orchestrations.run'>> {
  process.stderr.write(`${planText(plan)}\n`);
  // If the person passed `--content-hash`, the console refused the call because the text has another hash. A text with
  // another hash must not run.
  if (contentHash === undefined && (yes || (await agrees()))) return runText(plan.contentHash);
  if (contentHash !== undefined) throw refusal;
  throw new ConsoleError(
    'CONFLICT',
    `This text of the definition ${plan.name} has not run in this repository yet. Check the plan above and repeat the command with --yes, or with --content-hash ${plan.contentHash}.`,
    { contentHash: plan.contentHash },
  );
}

async function agrees(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  return askYesNo('Run this orchestration?');
}

function show(orchestration: OrchestrationStatus, json: true | undefined): void {
  if (json) {
    print(toJson(orchestration));
    return;
  }
  const { id, state, errorMessage, agents } = orchestration;
  print(toFieldLines({ id, state, ...(errorMessage !== null && { errorMessage }) }));
  print(toTable(['agentId', 'state', 'branch', 'sessionId', 'summary'], agents));
}

/** Formats the plan of an orchestration as text for a person. */
function planText(plan: OrchestrationPlan): string {
  const { name, objective, strategy, base, isolation, worktrees, maxConcurrent, onFailure, budget, integrateInto } =
    plan;
  const stages = plan.stages.map((names, index) => `${index + 1}. ${names.join(', ')}`);
  const fields = {
    definition: name,
    contentHash: plan.contentHash,
    isAccepted: plan.isAccepted,
    objective: objective.trim().split('\n', 1)[0],
    strategy,
    base,
    isolation,
    worktrees,
    ...(maxConcurrent !== null && { maxConcurrent }),
    onFailure,
    ...(budget !== null && { budget }),
    ...(integrateInto !== null && { integrateInto }),
    stages: stages.join('; '),
  };
  const columns = ['agentId', 'agent', 'permissionMode', 'dependencies', 'task'];
  return [
    toFieldLines(fields),
    '',
    toTable(columns, plan.agents),
    ...plan.limits.map((limit) => `Limit: ${limit}`),
  ].join('\n');
}
