import { ConsoleError } from '@agent-console/shared/errors';
import { PAGE_DEFAULT, PAGE_MAX } from '@agent-console/shared/limits/answers';
import { COMPLETIONS_MAX } from '@agent-console/shared/limits/mcp';
import type { Contract, ResourceForm, ResourceOffers } from '@agent-console/shared/operation';
import { CONTRACTS, type OperationName } from '@agent-console/shared/operations/table';
import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { Call } from '../../domain/call.ts';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../../domain/nearest.ts';
import type { Gate } from '../../operations/operation.ts';
import { fromQuery } from '../input.ts';
import { auditRefusals } from './call.ts';
import { noToolsReason, requireToolCaller } from './tools.ts';
import type { Watch, Watchers } from './watching.ts';

const JSON_TYPE = 'application/json';

interface KnownResource {
  operation: OperationName;
  contract: Contract;
  form: ResourceForm;
  pattern: RegExp;
}

const RESOURCES: readonly KnownResource[] = CONTRACTS.flatMap((contract) => {
  const { resource: form } = contract;
  if (form === undefined) return [];
  const pattern = new RegExp(`^${form.uri.replace('{id}', '([^/?#{}]+)')}(?:\\?([^#]*))?$`);
  return [{ operation: contract.name as OperationName, contract, form, pattern }];
});

/**
 * Returns the operation that reads the resource at a URI, and the operation's input. @throws NOT_FOUND with the known
 * URI templates, VALIDATION for an invalid query.
 */
function resourceAt(uri: string): { resource: KnownResource; input: Record<string, unknown> } {
  for (const resource of RESOURCES) {
    const [, id, query = ''] = resource.pattern.exec(uri) ?? [];
    if (id === undefined) continue;
    const { contract, form } = resource;
    const fields = fromQuery(contract, new URLSearchParams(query));
    if (form.id in fields)
      throw new ConsoleError('VALIDATION', `${form.id}: is already in the path of the URI. Omit it from the query.`);
    return { resource, input: { ...fields, [form.id]: id } };
  }
  const templates = RESOURCES.map(({ form }) => form.uri);
  throw new ConsoleError('NOT_FOUND', `No resource has this URI. The templates are ${templates.join(', ')}.`, {
    nearest: nearest(uri, templates),
  });
}

/**
 * Returns what `resourceAt` returns. Rejects callers who get no tools; the audit log records the rejection under the
 * MCP method `method`.
 */
function resourceFor(call: Call, uri: string, method: string, gate: Gate) {
  return auditRefusals(gate, method, call, () => {
    requireToolCaller(call.caller);
    return resourceAt(uri);
  });
}

/** Reads a resource as JSON, if the caller may read it. */
export async function readResource(uri: string, call: Call, gate: Gate): Promise<ReadResourceResult> {
  const { resource, input } = await resourceFor(call, uri, 'resources/read', gate);
  const output = await gate.run(resource.operation, input, call);
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(output) }] };
}

/**
 * Creates the function that watches a resource for callers who may read it. Every event whose subject or session has
 * the resource's id counts as a change of the resource.
 */
export function watchResources(gate: Gate, watchers: Watchers): Watch {
  return async (uri, caller, notify) => {
    const call: Call = { caller, surface: 'mcp', signal: new AbortController().signal };
    const { resource, input } = await resourceFor(call, uri, 'resources/subscribe', gate);
    const whole = await gate.check(resource.operation, input, call);
    return watchers.add(String(whole[resource.form.id]), caller, notify);
  };
}

export function templatesFor(caller: Caller, gate: Gate): ResourceTemplateType[] {
  return visible(caller, gate).map(({ contract, form }) => ({
    uriTemplate: form.uri,
    name: form.name,
    title: contract.summary,
    description: form.description,
    mimeType: JSON_TYPE,
  }));
}

/**
 * Returns a page of the resources that the caller can read: up to PAGE_DEFAULT of each type, newest first. The cursor
 * is the number of rows of each type before the page.
 */
export async function listResources(
  cursor: string | undefined,
  call: Call,
  gate: Gate,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const skip = cursor === undefined ? 0 : /^\d{1,9}$/.test(cursor) ? Number(cursor) : undefined;
  if (skip === undefined) throw new ConsoleError('VALIDATION', 'cursor: use the nextCursor of the previous page.');
  const resources: Resource[] = [];
  let more = false;
  for (const { form } of visible(call.caller, gate)) {
    const { title, id } = form.offers;
    if (title === undefined) continue;
    const page = await rowsOf(form.offers, { skip, limit: PAGE_DEFAULT }, call, gate);
    more ||= page.total > skip + PAGE_DEFAULT;
    for (const row of page.data) {
      const found = id(row);
      if (found === null) continue;
      const uri = form.uri.replace('{id}', found);
      resources.push({ uri, name: `${form.name} ${found}`, title: title(row), mimeType: JSON_TYPE });
    }
  }
  return more ? { resources, nextCursor: String(skip + PAGE_DEFAULT) } : { resources };
}

/** Returns the ids that are suggested for the variable of a URI template. */
export async function completeUri(template: string, typed: string, call: Call, gate: Gate): Promise<string[]> {
  const resource = RESOURCES.find(({ form }) => form.uri === template);
  if (resource === undefined || noToolsReason(call.caller) !== undefined) return [];
  return completeId(resource.form.offers, typed, call, gate);
}

/**
 * Returns up to COMPLETIONS_MAX + 1 ids that begin with the typed text, among the first PAGE_MAX rows. One more than
 * COMPLETIONS_MAX means that the list is incomplete.
 */
export async function completeId(offers: ResourceOffers, typed: string, call: Call, gate: Gate): Promise<string[]> {
  const page = await rowsOf(offers, { limit: PAGE_MAX, skip: 0 }, call, gate);
  const ids = page.data.map((row) => offers.id(row)).filter((id) => id !== null);
  const matching = [...new Set(ids)].filter((id) => id.startsWith(typed.trim().toLowerCase()));
  return matching.slice(0, COMPLETIONS_MAX + 1);
}

/**
 * Returns how to list the ids of a resource. Clients suggest these ids as values, for example of a prompt's argument.
 */
export function offersOf(name: string): ResourceOffers {
  const resource = RESOURCES.find(({ form }) => form.name === name);
  if (resource === undefined) throw new Error(`no resource ${name}`);
  return resource.form.offers;
}

function visible(caller: Caller, gate: Gate): readonly KnownResource[] {
  if (noToolsReason(caller) !== undefined) return [];
  return RESOURCES.filter(({ operation }) => gate.mayCall(operation, caller));
}

async function rowsOf(offers: ResourceOffers, page: { limit: number; skip: number }, call: Call, gate: Gate) {
  const output = await gate.run(offers.from as OperationName, page, call);
  return output as unknown as { total: number; data: never[] };
}
