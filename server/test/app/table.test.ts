import { ID_RULE } from '@agent-console/shared/ids';
import { type Contract, TOOLSETS, toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS, type OperationName } from '@agent-console/shared/operations/table';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../src/surfaces/input.ts';
import { inputSchema, outputSchema } from '../../src/surfaces/json-schema.ts';
import { toolNamed } from '../../src/surfaces/mcp/tools.ts';
import { samplesOf, toolSamplesOf } from '../e2e/support/samples.ts';
import { openWorld, type World } from '../e2e/support/table-world.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, type Refusal, refusal, runCommand, tokenOf } from '../support/calling.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

type Surface = 'rest' | 'mcp' | 'cli';

let world: World;
let c: InProcessApp;
let root: World['root'];
let rootWorktree: string;
let rootClient: World['rootClient'];
let rootTools: World['rootTools'];

beforeAll(async () => {
  c = await startTestApp();
  world = await openWorld(c);
  ({ root, rootWorktree, rootClient, rootTools } = world);
});
afterAll(async () => {
  await rootTools.close();
  await c.close();
});

function takes(schema: Contract['input'], field: string): boolean {
  return field in (inputSchema(schema).properties as object);
}

function surfacesOf(contract: Contract): Surface[] {
  return ['rest', ...(toolsOf(contract).length > 0 ? ['mcp' as const] : []), ...(contract.cli ? ['cli' as const] : [])];
}

/** Calls an operation with an invalid input. Resolves to the errors over REST, over MCP and on the command line. */
async function refusals(contract: Contract, input: Record<string, unknown>, worker = false) {
  const client = worker ? rootClient : c.client;
  const found: Partial<Record<Surface, Refusal>> = { rest: await refusal(client.run(contract, input)) };
  const { tool } = contract;
  if (tool !== undefined && Object.keys(input).every((field) => takes(tool.input ?? contract.input, field))) {
    found.mcp = await refusal(rootTools.call(tool.name, input));
  }
  if (contract.cli !== undefined) {
    found.cli = await refusal(runCommand(c, contract, input, worker ? tokenOf(c, root.workerId) : undefined));
  }
  return found;
}

describe('the operation table', () => {
  it('gives every operation its own name, route, tool and command', () => {
    const unrepeated = (of: (contract: Contract) => string | undefined) => {
      const names = CONTRACTS.map(of).filter((name) => name !== undefined);
      expect(names).toEqual([...new Set(names)]);
      return names;
    };
    for (const name of unrepeated(({ name }) => name)) expect(name).toMatch(/^[a-z][a-zA-Z]*\.[a-zA-Z]+$/);
    const routes = CONTRACTS.flatMap(({ rest: { method, path, also = {} } }) =>
      [path, ...Object.values(also)].map((each) => `${method} ${each.replace(/:\w+/g, ':')}`),
    );
    expect(routes).toEqual([...new Set(routes)]);
    unrepeated(({ cli }) => cli?.command);
    const tools = CONTRACTS.flatMap((contract) => toolsOf(contract).map(({ name }) => name));
    expect(tools).toEqual([...new Set(tools)]);
    for (const name of tools) expect(name).toMatch(/^[a-z0-9_]+$/);
  });

  it.each(CONTRACTS)('describes input and output of $name in JSON Schema', (contract) => {
    const forms = [contract, ...toolsOf(contract)];
    for (const { input = contract.input, output = contract.output } of forms) {
      expect(inputSchema(input)).toMatchObject({ type: 'object', additionalProperties: false });
      expect(Object.keys(outputSchema(output)).length).toBeGreaterThan(0);
    }
    for (const { output = contract.output } of toolsOf(contract)) expect(outputSchema(output).type).toBe('object');
  });

  it('describes every argument of every tool', () => {
    for (const contract of CONTRACTS)
      for (const { name, input = contract.input } of toolsOf(contract)) {
        const { properties } = inputSchema(input) as { properties: Record<string, { description?: string }> };
        const silent = Object.entries(properties).filter(([, property]) => !property.description);
        expect(silent.map(([field]) => `${name} ${field}`)).toEqual([]);
      }
  });

  it('is listed byte-identically for every client and call, in toolsets that together contain all tools', async () => {
    const list = async (query: string) => {
      const tools = await openTools(c, tokenOf(c, root.workerId), query);
      const bytes = [await tools.listTools(), await tools.listTools()].map((each) => JSON.stringify(each));
      await tools.close();
      expect(bytes[1]).toBe(bytes[0]);
      return bytes[0] ?? '';
    };
    const all = await list('?toolsets=all');
    expect(await list('?toolsets=all')).toBe(all);
    expect(await list(`?toolsets=${TOOLSETS.join()}`)).toBe(all);
    const known = CONTRACTS.flatMap((contract) => toolsOf(contract).map(({ name }) => name));
    const { tools } = JSON.parse(all) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name).sort()).toEqual(known.sort());
    for (const { name } of tools) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });
});

/** One instance for all tests, because every new instance first compiles the meta-schema. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe.each(CONTRACTS)('$name', (contract) => {
  const create = () => samplesOf(world)[contract.name as OperationName]();
  let created: ReturnType<typeof create> | undefined;
  /**
   * Returns an input of the operation. An operation that only reads always gets the same input. Other operations get a
   * new input in each call, because they may remove what their input names.
   */
  const sample = () => {
    if (contract.effect !== 'read') return create();
    created ??= create();
    return created;
  };

  it.each(surfacesOf(contract))('returns results over %s that match its output schema', async (surface) => {
    if (surface === 'mcp') {
      for (const tool of toolsOf(contract)) {
        const own = await toolSamplesOf(world)[tool.name]?.();
        const tools = own?.token === undefined ? rootTools : await openTools(c, own.token);
        const answer = await tools.call(tool.name, own?.args ?? ((await sample()) as Record<string, unknown>));
        expect(v.parse(tool.output ?? contract.output, answer)).toEqual(answer);
        const schema = toolNamed(tool.name)?.definition.outputSchema;
        const listed = ajv.compile(schema as Record<string, unknown>);
        expect(listed(answer) || listed.errors).toBe(true);
        if (tools !== rootTools) await tools.close();
      }
      return;
    }
    const input = (await sample()) as Record<string, unknown>;
    const answer = await (surface === 'cli' ? runCommand(c, contract, input) : c.client.run(contract, input));
    expect(v.parse(contract.output, answer)).toEqual(answer);
  });

  const ids = Object.entries(contract.ids ?? {}).filter(([field]) => field !== 'after');
  if (ids.length > 0)
    it('returns the same NOT_FOUND for an unknown id on every surface, and refuses an invalid id', async () => {
      for (const [field, noun] of ids) {
        const several = fieldsOf(contract.input).get(field)?.kind === 'array';
        const as = (id: string) => (several ? [id] : id);
        const word = noun === 'mcpServer' ? 'MCP server' : noun;
        const input = { ...(await filler(contract)), [field]: as(UNKNOWN) };
        const wanted = {
          code: 'NOT_FOUND',
          message: `${word[0]?.toUpperCase()}${word.slice(1)} ${UNKNOWN} not found`,
          details: { [`${noun}Id`]: UNKNOWN },
          retryable: false,
        };
        const missing = await refusals(contract, input);
        for (const [surface, error] of Object.entries(missing))
          expect({ surface, ...error }).toEqual({ surface, ...wanted });
        const short = await refusals(contract, { ...input, [field]: as('abc') });
        for (const [surface, error] of Object.entries(short)) {
          if (surface === 'cli') {
            // The command line also accepts names in place of ids, so it reports 'abc' as an unknown name and not as an
            // invalid id.
            expect(error).toMatchObject({
              code: 'NOT_FOUND',
              message: expect.stringContaining(`${word[0]?.toUpperCase()}${word.slice(1)} "abc" not found. `),
            });
            continue;
          }
          expect({ surface, ...error }).toMatchObject({
            surface,
            code: 'VALIDATION',
            message: `${several ? `${field}.0` : field}: ${word} ${ID_RULE}`,
          });
          expect(error).toEqual(short.rest);
        }
      }
    });

  const { tool } = contract;
  it('rejects an unknown field by name, on every surface', async () => {
    const input = { ...(await filler(contract)), bogusField: 'x' };
    const rest = await refusal(c.client.run(contract, input));
    expect(rest).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('bogusField') });
    if (tool !== undefined) {
      const schema = tool.input ?? contract.input;
      const args = Object.entries(input).filter(([field]) => field === 'bogusField' || takes(schema, field));
      const renamed = takes(schema, 'repoId') ? { repoId: c.repository.id } : {};
      expect(await refusal(rootTools.call(tool.name, { ...Object.fromEntries(args), ...renamed }))).toEqual(rest);
    }
    if (contract.cli !== undefined) {
      await expect(runCommand(c, contract, input)).rejects.toThrow(/unknown option '--bogus-field'/);
    }
  });

  const forPeople = contract.access === 'member' || contract.access === 'owner';
  if (forPeople)
    it('is rejected for agents', async () => {
      const found = await refusals(contract, await filler(contract), true);
      expect(Object.keys(found)).toEqual(surfacesOf(contract));
      for (const [surface, error] of Object.entries(found)) {
        expect({ surface, ...error }).toEqual({
          surface,
          code: 'PERMISSION_DENIED',
          message: 'Only people can do this; ask the person you work for.',
          details: { operation: contract.name },
          retryable: false,
        });
      }
    });
});

/** Returns the id of an existing row of this kind, or an unknown id if there is none. */
function knownId(noun: string): string {
  const known: Record<string, string> = {
    session: root.sessionId,
    worker: root.workerId,
    task: root.taskId,
    repository: c.repository.id,
    worktree: rootWorktree,
    delegation: root.delegationId,
  };
  return known[noun] ?? UNKNOWN;
}

/**
 * Returns values for the required fields of an operation: where possible the ids of existing rows, otherwise values of
 * the right type.
 */
async function filler(contract: Contract): Promise<Record<string, unknown>> {
  const { tool } = contract;
  const fill: Record<string, unknown> = {
    agentId: 'scripted',
    after: null,
    expectedVersion: 1,
    mode: 'continue',
    query: 'x',
    prompt: 'x',
    message: 'x',
    title: 'x',
    username: 'x',
    name: 'x',
    newName: 'x',
    branch: 'x',
    outcome: 'succeeded',
    summary: 'x',
    type: 'terminal',
    data: 'x',
    imageId: '0'.repeat(32),
    cols: 80,
    rows: 24,
    activityState: 'idle',
    optionId: 'x',
    value: 'x',
    id: 'nobody',
    command: ['sh'],
    code: 'x',
    path: '/nowhere',
    transport: 'http',
    url: 'https://nowhere.example',
    objective: 'x',
    agents: [{ role: 'x', task: 'x' }],
  };
  if (contract.name === 'worktrees.create') fill.mode = 'custom';
  const required = (schema: Contract['input']) => (inputSchema(schema).required as string[] | undefined) ?? [];
  const fields = new Set([...required(contract.input), ...(tool?.input ? required(tool.input) : [])]);
  for (const [, field = ''] of contract.rest.path.matchAll(/:(\w+)/g)) fields.add(field);
  // These operations check some required fields only in code, so their JSON Schema does not list them.
  if (contract.name === 'agents.create') for (const field of ['id', 'name', 'command']) fields.add(field);
  if (contract.name === 'sessions.update') fields.add('title');
  if (contract.name === 'users.update') fields.add('username');
  if (contract.name === 'mcpServers.create') fields.add('url');
  if (contract.name === 'inbox.mark') fields.add('sessionIds');
  if (contract.name === 'sessions.create') fields.add('worktreeId');
  if (contract.name === 'repositories.create') fields.add('path');
  const ids = Object.keys(contract.ids ?? {});
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const value = ids.includes(field) && field !== 'after' ? root.sessionId : fill[field];
    // `fill` has no value for a field that has another name in the tool.
    if (value !== undefined) input[field] = value;
  }
  for (const [field, noun] of Object.entries(contract.ids ?? {})) {
    if (!fields.has(field) || field === 'after') continue;
    const isList = fieldsOf(contract.input).get(field)?.kind === 'array';
    input[field] = isList ? [knownId(noun)] : knownId(noun);
  }
  return input;
}
