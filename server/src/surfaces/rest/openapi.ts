import { ERRORS, type ErrorCode } from '@agent-console/shared/errors';
import * as models from '@agent-console/shared/models/all';
import type { Access, Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import type { GenericSchema } from 'valibot';
import type { HttpEnv } from '../http/context.ts';
import { type Components, inputSchema, type JsonSchema, outputSchema } from '../json-schema.ts';
import { TAGS } from '../tags.ts';
import { exampleOf } from './examples.ts';
import { otherPaths } from './other-paths.ts';

/**
 * Collects every exported object schema of the models. Enumerations are not collected, because they are short enough to
 * be repeated in each schema.
 */
function collectModels(): Record<string, GenericSchema> {
  const named = Object.entries(models) as [string, { kind?: string; type?: string }][];
  const objects = named.filter(([, value]) => value.kind === 'schema' && value.type === 'object');
  return Object.fromEntries(objects.sort(([a], [b]) => (a < b ? -1 : 1))) as unknown as Record<string, GenericSchema>;
}

const refOf = (name: string) => `#/components/schemas/${name}`;
const json = (schema: JsonSchema, example?: JsonSchema) => ({
  content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
});
const MEANING = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted: the response contains the id of the running job; `GET /api/jobs/{jobId}` returns its progress',
} as const;

/**
 * Returns an OpenAPI response for each HTTP status of the error codes. Its description lists the error codes with this
 * status.
 */
function errorResponses(): Record<string, JsonSchema> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].http))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const description = codes.filter((code) => ERRORS[code].http === status).join(' or ');
      return [String(status), { description, ...json({ $ref: refOf('Error') }) }];
    }),
  );
}

/** Returns the OpenAPI document as an object. The same operations and version always result in the same document. */
export function openApiDocument(version: string): JsonSchema {
  const models = collectModels();
  const components: Components = { models, refOf };
  const schemas = Object.fromEntries(
    Object.entries(models).map(([name, model]) => {
      // Passes only the other models, because the schema of a model must not be a reference to itself.
      const { [name]: _, ...others } = models;
      return [name, outputSchema(model, { models: others, refOf })] as const;
    }),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of CONTRACTS) {
    const { method, path: own, also = {} } = contract.rest;
    for (const [id, path] of Object.entries({ [contract.name]: own, ...also })) {
      const key = `/api${path.replace(/:(\w+)/g, '{$1}')}`;
      const form = { ...contract, rest: { ...contract.rest, path } };
      paths[key] = { ...paths[key], [method.toLowerCase()]: operationOf(id, form, components, schemas) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Console',
      version,
      description: API_DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...otherPaths(ERROR_REFERENCES) },
    components: {
      schemas: { ...schemas, Error: ERROR_SCHEMA },
      responses: errorResponses(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Token of a user or a worker. By default, processes of the same Unix user on the same Linux machine are identified without one.',
        },
      },
    },
  };
}

const API_DESCRIPTION = `Runs coding agents in git worktrees, and lets people and other agents create, prompt and monitor them.

**Authentication.** Send \`Authorization: Bearer <token>\`. By default, a program of the same Unix user on the same Linux
machine is identified without a token; a browser never is. Tokens in URLs are refused.

**Ids** may be shortened to any unambiguous prefix of at least 8 characters.

**Lists** return \`{total, limit, skip, data}\`; request the next page with \`skip\`.

**Errors** all have the same body, \`{"error": {"code", "message", "details", "retryable"}}\`. The message says what to do next.
A call with an unknown field fails, and the message names the field.

**Idempotency.** Calls that create something accept an \`Idempotency-Key\`: within 24 hours the same key with the same body is executed
once and gets the same response. The same key with another body fails with CONFLICT.

**Live updates.** [/api/events/stream](#/events/events.stream) sends every event. Terminals and the dashboard use
WebSockets, \`/ws/session/{sessionId}/worker/{workerId}\` and \`/ws/app\`; agents speak MCP at \`/mcp\`.`;

export const WHO_MAY_CALL: Readonly<Record<Access, string>> = {
  public: 'anyone who can connect to the port',
  self: 'people, and a worker for its own session',
  subtree: 'people, and a worker for its own session and the sessions created from it',
  'workspace-read': 'people and any worker',
  member: 'people only',
  owner: 'the local owner only',
};

const FURTHER_SESSIONS = { parent: 'its parent session', peer: 'agents of the same orchestration' } as const;

export function whoMayCall({ access, alsoFor = [] }: Pick<Contract, 'access' | 'alsoFor'>): string {
  const further = alsoFor.map((relation) => FURTHER_SESSIONS[relation]);
  return `${WHO_MAY_CALL[access]}${further.length === 0 ? '' : `, and for ${further.join(' and ')}`}`;
}

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      description: 'Why the call failed',
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS), description: 'Error code' },
        message: { type: 'string', description: 'What happened, and what to do next' },
        details: { type: 'object', description: 'Machine-readable details; keys depend on the code' },
        retryable: { type: 'boolean', description: 'Whether the same call may succeed a little later' },
      },
      required: ['code', 'message', 'details', 'retryable'],
    },
  },
  required: ['error'],
};

const ERROR_REFERENCES = Object.fromEntries(
  Object.keys(errorResponses()).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
);

/**
 * Returns an example of an operation's whole input: the example in the contract, with fields of the path derived from
 * the schema. Without an example in the contract, all fields are derived from the schema.
 */
function exampleInput(
  { example, input }: Pick<Contract, 'example' | 'input'>,
  schema: JsonSchema = inputSchema(input),
  pathNames: readonly string[] = [],
  schemas: Readonly<Record<string, JsonSchema>> = {},
): Record<string, unknown> {
  const generated = exampleOf(schema, { schemas }) as Record<string, unknown>;
  if (example === undefined) return generated;
  const inPath = Object.entries(generated).filter(([name]) => pathNames.includes(name));
  return { ...Object.fromEntries(inPath), ...example };
}

const tagOf = (contract: Contract) => contract.name.split('.', 1)[0] ?? contract.name;

function operationOf(
  operationId: string,
  contract: Contract,
  components: Components,
  schemas: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { rest } = contract;
  const pathNames = [...rest.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const input = inputSchema(contract.input, components) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const fields = Object.entries(input.properties ?? {});
  const required = input.required ?? [];
  const inPath = fields.filter(([name]) => pathNames.includes(name));
  const others = fields.filter(([name]) => !pathNames.includes(name));
  const fromUrl = rest.method === 'GET' || rest.method === 'DELETE';
  const example = exampleInput(contract, input, pathNames, schemas);
  const parameters = [
    ...inPath.map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      ...described(schema),
      example: example[name],
    })),
    ...(fromUrl ? others : []).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...described(schema),
      ...(name in example ? { example: example[name] } : {}),
    })),
    ...(contract.idempotent === true ? [IDEMPOTENCY_HEADER] : []),
  ];
  const needed = required.filter((name) => !pathNames.includes(name));
  const body = {
    type: 'object',
    properties: Object.fromEntries(others),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  };
  const output = outputSchema(contract.output, components);
  const answer = json(output, exampleOf(output, { schemas, complete: true }) as JsonSchema);
  const inBody = Object.fromEntries(Object.entries(example).filter(([name]) => !pathNames.includes(name)));
  const statuses = [rest.status ?? 200, ...(rest.acceptedWith === undefined ? [] : [202 as const])];
  return {
    operationId,
    summary: contract.summary,
    description: `${contract.effect === 'read' ? 'Changes nothing. ' : ''}Who may call: ${whoMayCall(contract)}.`,
    tags: [tagOf(contract)],
    'x-access': contract.access,
    'x-effect': contract.effect,
    security: contract.access === 'public' ? [{}] : [{ bearer: [] }, {}],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(fromUrl || others.length === 0 ? {} : { requestBody: { required: needed.length > 0, ...json(body, inBody) } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, { description: MEANING[status], ...answer }])),
      ...ERROR_REFERENCES,
    },
  };
}

function described({ description, ...schema }: JsonSchema): JsonSchema {
  return { ...(description === undefined ? {} : { description }), schema };
}

const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Calls with the same key within 24 hours are executed once and get the same response',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

export function openApiText(version: string): string {
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

/** Mounts `GET /api/openapi.json`. The document is generated at first use. */
export function mountOpenApi(app: Hono<HttpEnv>, version: string): void {
  let text: string | undefined;
  app.get('/api/openapi.json', etag(), compress({ encoding: 'gzip' }), (c) => {
    text ??= openApiText(version);
    return c.body(text, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' });
  });
}
