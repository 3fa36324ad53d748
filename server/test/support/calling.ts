import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConsoleError, type ErrorBody } from '@agent-console/shared/errors';
import type { Job } from '@agent-console/shared/models/job';
import type { Contract } from '@agent-console/shared/operation';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Command } from 'commander';
import { outputValidators } from '../../src/scripted-agent/output-validators.ts';
import { type ConsoleClient, createClient } from '../../src/surfaces/cli/client.ts';
import { addContractCommands } from '../../src/surfaces/cli/contract-commands.ts';
import type { TestApp } from './test-app.ts';

export type Refusal = ErrorBody['error'];

/** Returns the error of a call that must be refused. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  if (answer instanceof ConsoleError) return answer.toBody().error;
  if (answer instanceof Error) throw answer;
  throw new Error(`was not refused, but answered ${JSON.stringify(answer)}`);
}

/**
 * Resolves to the result of the job that a call with `wait` started. Rejects with the error of the job if it failed.
 */
export async function resultOf<Result = Record<string, unknown>>(
  answer: Promise<{ job?: Job | undefined }>,
): Promise<Result> {
  const { job } = await answer;
  if (job?.error !== undefined) throw ConsoleError.fromBody({ error: job.error });
  return job?.result as Result;
}

export function refusalsOf(calls: readonly Promise<unknown>[]): Promise<Refusal[]> {
  return Promise.all(calls.map(refusal));
}

/** Returns the token that a worker got at its start. */
export function tokenOf(c: TestApp, workerId: string): string {
  return readFileSync(join(c.home, 'workers', workerId, 'process', 'token'), 'utf8').trim();
}

export function asWorker(c: TestApp, workerId: string): ConsoleClient {
  return createClient({ baseUrl: c.baseUrl, token: tokenOf(c, workerId), insideWorker: true });
}

export interface ToolClient {
  /** Returns the structured result of a tool. Rejects with the ConsoleError if the tool returns one. */
  call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  listTools: Client['listTools'];
  close(): Promise<void>;
}

/** Connects to MCP with a token, like an agent of the console. `query` is appended to the address. */
export async function openTools(c: TestApp, token: string, query = ''): Promise<ToolClient> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: outputValidators },
  );
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${c.baseUrl}/mcp${query}`), { requestInit }));
  return {
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args });
      const [first] = result.content as { type: string; text: string }[];
      const text = first?.text ?? '';
      if (result.isError !== true) {
        if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(result.structuredContent))
          throw new Error(`text and structured content differ: ${text}`);
        return result.structuredContent as Record<string, unknown>;
      }
      const [head = '', ...body] = text.split('\n');
      const error = ConsoleError.fromBody(JSON.parse(body.join('\n')));
      if (error === undefined || head !== `${error.code}: ${error.message}`) throw new Error(`no error body: ${text}`);
      throw error;
    },
    listTools: (...args) => client.listTools(...args),
    close: () => client.close(),
  };
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the arguments of the command line that runs the command of a contract with this input. */
function commandLine(contract: Contract, input: Record<string, unknown>): string[] {
  const { command = '', positional = [] } = contract.cli ?? {};
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const options = Object.entries(input)
    .filter(([name]) => !positional.includes(name))
    .flatMap(([name, value]) => {
      if (value === true) return [`--${kebab(name)}`];
      if (value === false) return [`--no-${kebab(name)}`];
      return (Array.isArray(value) ? value : [value]).flatMap((each) => [`--${kebab(name)}`, text(each)]);
    });
  const given = positional
    .filter((name) => input[name] !== undefined)
    .flatMap((name) => [input[name]].flat().map(text));
  // Without `--no-wait`, a command that starts a job waits for the end of the job.
  const start = contract.cli?.job === undefined ? [] : ['--no-wait'];
  const consent = contract.effect === 'destroy' ? ['--yes'] : [];
  return [...command.split(' '), '--json', ...consent, ...start, ...options, '--', ...given];
}

let program: Command | undefined;

/**
 * Returns the program `agent-console` with the commands of all contracts. It is built once, because it can parse any
 * number of command lines.
 */
function commands(): Command {
  if (program === undefined) {
    program = new Command('agent-console').option('--url <url>').option('--json').enablePositionalOptions();
    program.exitOverride().configureOutput({ writeErr: () => undefined });
    addContractCommands(program);
  }
  return program;
}

/**
 * Runs the command of a contract in this process and returns the JSON that it prints. Must not run concurrently, since
 * it replaces stdout and sets `AGENT_CONSOLE_TOKEN`.
 */
export async function runCommand(
  c: TestApp,
  contract: Contract,
  input: Record<string, unknown>,
  token?: string,
): Promise<unknown> {
  const { write } = process.stdout;
  let printed = '';
  process.stdout.write = ((text: string) => {
    printed += text;
    return true;
  }) as typeof write;
  if (token !== undefined) process.env.AGENT_CONSOLE_TOKEN = token;
  try {
    await commands().parseAsync(['--url', c.baseUrl, ...commandLine(contract, input)], { from: 'user' });
  } finally {
    process.stdout.write = write;
    delete process.env.AGENT_CONSOLE_TOKEN;
  }
  return JSON.parse(printed);
}

/** Sends a REST request, which may be one that the console's own client never sends. Returns the whole response. */
export async function send(
  c: TestApp,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${c.baseUrl}/api${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: wireForm(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body: answer, headers: response.headers };
}

/** Returns text and bytes unchanged, and other values as JSON. */
function wireForm(body: unknown): string | ArrayBuffer {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body).buffer : JSON.stringify(body);
}
