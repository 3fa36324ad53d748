import { ConsoleError } from '@agent-console/shared/errors';
import { type AnySchema, type Contract, TOOLSETS, type ToolForm, toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS, type OperationName } from '@agent-console/shared/operations/table';
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import { inputSchema, outputSchema, withoutKeyword } from '../json-schema.ts';

export interface Tool {
  operation: OperationName;
  contract: Contract;
  form: ToolForm;
  /** Schema of the tool's arguments. */
  input: AnySchema;
  readonly definition: ToolDefinition;
}

export const DEFAULT_TOOLSETS: readonly string[] = ['delegation', 'sessions'];
/**
 * Name of the set of tools that are listed without `?toolsets=`: every tool with `byDefault: true`, and every tool in
 * DEFAULT_TOOLSETS without `byDefault: false`.
 */
export const BY_DEFAULT = 'default';

function isListed({ toolset, byDefault }: ToolForm, toolsets: ReadonlySet<string>): boolean {
  if (toolsets.has(BY_DEFAULT) && (byDefault ?? DEFAULT_TOOLSETS.includes(toolset))) return true;
  return toolsets.has('all') || toolsets.has(toolset);
}

/** Returns a readable title: `agor_sessions_get_current` becomes "Sessions: get current". */
function titleOf(name: string): string {
  const [first = '', ...rest] = name.replace(/^agor_/, '').split('_');
  const noun = `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
  return `${noun}${name.startsWith('agor_') ? ':' : ''} ${rest.join(' ')}`;
}

function define(contract: Contract, form: ToolForm): Tool {
  const input = form.input ?? contract.input;
  let definition: ToolDefinition | undefined;
  return {
    operation: contract.name as OperationName,
    contract,
    form,
    input,
    // Created at first use, because the JSON Schemas of all tools take 14 ms, which would delay the start.
    get definition() {
      definition ??= definitionOf(contract, form, input);
      return definition;
    },
  };
}

function definitionOf(contract: Contract, form: ToolForm, input: AnySchema): ToolDefinition {
  return {
    name: form.name,
    title: titleOf(form.name),
    description: form.description ?? `${contract.summary}.`,
    // Regular expressions are removed, because some model providers reject syntax that they do not support. Minimum
    // lengths are removed to save tokens: the descriptions of fields mention every minimum above 1.
    inputSchema: ['pattern', 'minLength'].reduce(withoutKeyword, inputSchema(input)),
    // Keywords that a caller does not need are removed, because agents read every tool definition and each word costs
    // tokens.
    outputSchema: ['pattern', 'description', 'format', 'required'].reduce(
      withoutKeyword,
      outputSchema(form.output ?? contract.output),
    ),
    annotations: {
      readOnlyHint: contract.effect === 'read',
      destructiveHint: form.destructive ?? contract.effect === 'destroy',
      idempotentHint: contract.effect === 'read' || contract.idempotent !== true,
      openWorldHint: false,
    },
  } as ToolDefinition;
}

/** All tools, sorted by tool set and then by their order in the operation table. */
export const TOOLS: readonly Tool[] = CONTRACTS.flatMap((contract) =>
  toolsOf(contract).map((form) => define(contract, form)),
).sort((a, b) => TOOLSETS.indexOf(a.form.toolset) - TOOLSETS.indexOf(b.form.toolset));

const byName = new Map(TOOLS.map((tool) => [tool.form.name, tool]));

export function toolNamed(name: string): Tool | undefined {
  return byName.get(name);
}

/**
 * Returns the reason why a caller gets no tools, or undefined. Unidentified callers and users identified only by their
 * process get no tools: a user's own shell is not an agent, and an agent started outside the console must not act as
 * that user.
 */
export function noToolsReason(caller: Caller): string | undefined {
  if (caller.kind === 'nobody')
    return `The console could not identify the caller, so it offers no tools. ${caller.reason}`;
  if (caller.kind === 'user' && caller.via === 'peer') {
    return 'Agent Console did not start this agent and offers it no tools. Start the agent in a session of the console (dashboard, or `agent-console sessions create`), or give it a token: `agent-console tokens create <name>`, sent as "Authorization: Bearer <token>".';
  }
  return undefined;
}

/** @throws UNAUTHENTICATED for callers who get no tools. Such callers may not use resources and prompts either. */
export function requireToolCaller(caller: Caller): void {
  const refused = noToolsReason(caller);
  if (refused !== undefined) throw new ConsoleError('UNAUTHENTICATED', refused);
}

/**
 * Returns the tools of these sets, which are the same for every caller who gets tools. The console may still reject a
 * call of a returned tool.
 */
export function toolsFor(caller: Caller, toolsets: ReadonlySet<string>): ToolDefinition[] {
  if (noToolsReason(caller) !== undefined) return [];
  return TOOLS.filter(({ form }) => isListed(form, toolsets)).map(({ definition }) => definition);
}
