import { createRequire } from 'node:module';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { validate } from '@agent-console/shared/validate';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { openApiDocument, openApiText } from '../../../src/surfaces/rest/openapi.ts';
import { TAGS } from '../../../src/surfaces/tags.ts';

interface SchemaChecker {
  addSchema(schema: object): void;
  compile(schema: object): (value: unknown) => boolean;
}
interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  type?: string | string[];
  anyOf?: Schema[];
  [keyword: string]: unknown;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: object;
    example?: unknown;
  }[];
  requestBody?: { content: { 'application/json': { schema: Schema; example?: object } } };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, { schema: Schema }> }>;
}
const document = openApiDocument('1.0.0') as unknown as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Schema>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

it('is valid OpenAPI 3.1', async () => {
  const checker = new Validator();
  const result = await checker.validate(JSON.parse(openApiText('1.0.0')));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(checker.version).toBe('3.1');
  // Proves that the checker reports mistakes at all.
  const broken = JSON.parse(openApiText('1.0.0')) as { paths: Record<string, { get: { responses: unknown } }> };
  const [first] = Object.values(broken.paths);
  if (first !== undefined) first.get.responses = 'none';
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

it('contains only valid JSON Schemas 2020-12, and those of bodies accept the examples but no unknown fields', () => {
  // Loads the schema validator from the dependencies of the document validator.
  const require = createRequire(createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator'));
  const { default: Ajv } = require('ajv/dist/2020.js') as { default: new (options: object) => SchemaChecker };
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'https://console.example/document', ...document });
  const pointer = (...parts: string[]) =>
    `https://console.example/document#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  const compile = (...parts: string[]) => ajv.compile({ $ref: pointer(...parts) });
  for (const name of Object.keys(document.components.schemas ?? {})) compile('components', 'schemas', name);
  for (const { path, method, operation } of operations) {
    const at = ['paths', path, method];
    (operation.parameters ?? []).forEach((_, index) => {
      compile(...at, 'parameters', String(index), 'schema');
    });
    if (operation.requestBody !== undefined) {
      const takes = compile(...at, 'requestBody', 'content', 'application/json', 'schema');
      const { example } = operation.requestBody?.content['application/json'] ?? {};
      expect(takes(example), operation.operationId).toBe(true);
      expect(takes({ ...example, nobodyKnowsThis: 1 }), operation.operationId).toBe(false);
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const type of Object.keys(content)) compile(...at, 'responses', status, 'content', type, 'schema');
    }
  }
});

it('has one operation for each contract, with a unique id, and the paths without a contract', () => {
  expect(document.openapi).toBe('3.1.0');
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  const others = ['events.stream', 'orchestrations.eventStream', 'health'];
  const further = CONTRACTS.flatMap(({ rest }) => Object.keys(rest.also ?? {}));
  expect(names.sort()).toEqual([...CONTRACTS.map((contract) => contract.name), ...further, ...others].sort());
});

it('contains the summary, tags, security and errors of each operation', () => {
  for (const { operation } of operations) {
    const { operationId, summary, tags, security, responses } = operation;
    expect(summary, operationId).toMatch(/^\S.{5,}/);
    expect(
      tags.every((tag) => tag in TAGS),
      operationId,
    ).toBe(true);
    expect(security.length, operationId).toBeGreaterThan(0);
    const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    expect(failures.length, operationId).toBeGreaterThan(5);
    for (const [, { $ref = '' }] of failures) {
      const shared = document.components.responses?.[$ref.split('/').at(-1) ?? ''] as Operation['responses'][string];
      expect(shared.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' });
    }
  }
});

/** Returns every field of the component schemas and of the responses, with the name of its schema or operation. */
function answered(): [at: string, field: string, schema: Schema][] {
  const found: [string, string, Schema][] = [];
  const walk = (at: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) walk(at, each);
      return;
    }
    for (const [key, part] of Object.entries(value)) {
      if (key !== 'properties') walk(at, part);
      else
        for (const [field, schema] of Object.entries(part as Record<string, Schema>)) {
          found.push([at, field, schema]);
          walk(at, schema);
        }
    }
  };
  for (const [name, model] of Object.entries(document.components.schemas ?? {})) walk(name, model);
  for (const { operation } of operations) {
    for (const { content } of Object.values(operation.responses)) walk(operation.operationId, content);
  }
  return found;
}

it('describes a field as possibly null only if its schema allows null', () => {
  const mayBeNull = ({ type, anyOf = [] }: Schema): boolean =>
    type === 'null' || (Array.isArray(type) && type.includes('null')) || anyOf.some(mayBeNull);
  const wrong = answered()
    .filter(
      ([, , schema]) => /\b(or|else|is) null\b|; null |^null/i.test(schema.description ?? '') && !mayBeNull(schema),
    )
    .map(([at, field, { description }]) => `${at}.${field}: ${description}`);
  expect(wrong).toEqual([]);
});

it('mentions expectedVersion only in models whose changes accept it', () => {
  const versions = answered().filter(
    ([, field, { description = '' }]) => field === 'version' && /expectedVersion/.test(description),
  );
  expect(versions.map(([at]) => at)).toEqual(['Task']);
});

it('has no description of a filter that is meant for a field on creation', () => {
  const wrong = operations.flatMap(({ operation: { operationId, parameters = [] } }) =>
    parameters
      .filter((one) => one.in === 'query' && /default: the caller/.test(one.description ?? ''))
      .map((one) => `${operationId} ${one.name}`),
  );
  expect(wrong).toEqual([]);
});

it.each(CONTRACTS)('has a valid example input for $name, and an example answer', (contract) => {
  const found = operations.find(({ operation }) => operation.operationId === contract.name)?.operation;
  const parameters = (found?.parameters ?? []).flatMap(({ name, in: where, example }) =>
    example === undefined || where === 'header' ? [] : [[name, example]],
  );
  const body = found?.requestBody?.content['application/json'].example;
  const input = { ...body, ...Object.fromEntries(parameters) };
  expect(() => validate(contract.input, input)).not.toThrow();
  expect(found?.responses['200'] ?? found?.responses['201'] ?? found?.responses['202']).toMatchObject({
    content: { 'application/json': { example: expect.anything() } },
  });
});

it('declares every path parameter, and no field of an operation twice', () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = operation.parameters ?? [];
    expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath);
    expect(parameters.filter((one) => one.in === 'path').every((one) => one.required)).toBe(true);
    const names = parameters.map((one) => one.name);
    const body = Object.keys(operation.requestBody?.content['application/json'].schema.properties ?? {});
    expect(new Set([...names, ...body]).size).toBe(names.length + body.length);
  }
});

it('resolves every reference', () => {
  const references: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') references.push(value);
    return value;
  });
  expect(references.length).toBeGreaterThan(100);
  for (const reference of new Set(references)) {
    const [, , kind = '', name = ''] = reference.split('/');
    expect(document.components[kind]?.[name], reference).toBeDefined();
  }
});

it('lists the statuses of an operation that can start a job, with those of errors', () => {
  const create = document.paths['/api/repositories']?.post;
  expect(Object.keys(create?.responses ?? {})).toEqual(
    ['200', '201', '202', '400', '401', '403', '404', '409', '413', '422', '424', '429', '500', '503', '504'].filter(
      (status) => status !== '200',
    ),
  );
});

it('is identical each time', () => {
  expect(openApiText('1.0.0')).toBe(openApiText('1.0.0'));
  expect(openApiText('1.0.0')).not.toContain('undefined');
});
