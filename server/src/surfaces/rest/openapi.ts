import { ERRORS, type ErrorCode } from '@agent-console/shared/errors';
import * as agent from '@agent-console/shared/models/agent';
import * as delegation from '@agent-console/shared/models/delegation';
import * as event from '@agent-console/shared/models/event';
import * as job from '@agent-console/shared/models/job';
import * as message from '@agent-console/shared/models/message';
import * as notice from '@agent-console/shared/models/notice';
import * as repository from '@agent-console/shared/models/repository';
import * as session from '@agent-console/shared/models/session';
import * as settings from '@agent-console/shared/models/settings';
import * as task from '@agent-console/shared/models/task';
import * as token from '@agent-console/shared/models/token';
import * as worker from '@agent-console/shared/models/worker';
import * as worktree from '@agent-console/shared/models/worktree';
import type { Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { Hono } from 'hono';
import type { GenericSchema } from 'valibot';
import type { HttpEnv } from '../http/context.ts';
import { type Components, inputSchema, type JsonSchema, outputSchema } from '../json-schema.ts';

const modules = [
  agent,
  delegation,
  event,
  job,
  message,
  notice,
  repository,
  session,
  settings,
  task,
  token,
  worker,
  worktree,
];

/** Every exported object schema of the models; enumerations are short enough to be repeated. */
function collectModels(): Record<string, GenericSchema> {
  const named = modules.flatMap((module) => Object.entries(module)) as [string, { kind?: string; type?: string }][];
  const models = named.filter(([, value]) => value.kind === 'schema' && value.type === 'object');
  return Object.fromEntries(models.sort(([a], [b]) => (a < b ? -1 : 1))) as unknown as Record<string, GenericSchema>;
}

const refOf = (name: string) => `#/components/schemas/${name}`;
const json = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } });

/** One response for each status of the closed list of errors, with the codes it stands for. */
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

/** The document as an object; the same table gives the same bytes. */
export function openApiDocument(version: string): JsonSchema {
  const models = collectModels();
  const components: Components = { models, refOf };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of CONTRACTS) {
    const path = `/api${contract.rest.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [contract.rest.method.toLowerCase()]: operationOf(contract, components) };
  }
  const schemas = Object.entries(models).map(([name, model]) => {
    // A model is not a reference to itself.
    const { [name]: _, ...others } = models;
    return [name, outputSchema(model, { models: others, refOf })] as const;
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Console',
      version,
      description:
        'Runs coding agents in git worktrees. Ids may be shortened to any unambiguous prefix of at least 8 characters.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, {}],
    tags: [...new Set(CONTRACTS.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...Object.fromEntries(schemas), Error: ERROR_SCHEMA },
      responses: errorResponses(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of a user or of a worker. On the same machine processes of the same Unix user are recognised without one.',
        },
      },
    },
  };
}

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS) },
        message: { type: 'string', description: 'Says what to do next' },
        details: { type: 'object' },
        retryable: { type: 'boolean' },
      },
      required: ['code', 'message', 'details', 'retryable'],
    },
  },
  required: ['error'],
};

const ERROR_REFERENCES = Object.fromEntries(
  Object.keys(errorResponses()).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
);

const tagOf = (contract: Contract) => contract.name.split('.', 1)[0] ?? contract.name;

function operationOf(contract: Contract, components: Components): JsonSchema {
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
  const parameters = [
    ...inPath.map(([name, schema]) => ({ name, in: 'path', required: true, ...described(schema) })),
    ...(fromUrl ? others : []).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...described(schema),
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
  const success = { description: contract.summary, ...json(outputSchema(contract.output, components)) };
  const statuses = [String(rest.status ?? 200), ...(rest.acceptedWith === undefined ? [] : ['202'])];
  return {
    operationId: contract.name,
    summary: contract.summary,
    tags: [tagOf(contract)],
    'x-access': contract.access,
    'x-effect': contract.effect,
    ...(contract.access === 'public' ? { security: [{}] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(fromUrl || others.length === 0 ? {} : { requestBody: { required: needed.length > 0, ...json(body) } }),
    responses: { ...Object.fromEntries(statuses.map((status) => [status, success])), ...ERROR_REFERENCES },
  };
}

function described({ description, ...schema }: JsonSchema): JsonSchema {
  return { ...(description === undefined ? {} : { description }), schema };
}

const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeat with the same key within 24 hours is done once and answered the same',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

/** The document as text, as served and as written into the reference. */
export function openApiText(version: string): string {
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

/** `GET /api/openapi.json`, made at its first use. */
export function mountOpenApi(app: Hono<HttpEnv>, version: string): void {
  let text: string | undefined;
  app.get('/api/openapi.json', (c) => {
    text ??= openApiText(version);
    return c.body(text, 200, { 'Content-Type': 'application/json' });
  });
}
