import { CONTRACTS } from '@agent-console/shared/operations/table';
import { expect, it } from 'vitest';
import { openApiDocument, openApiText } from '../../../src/surfaces/rest/openapi.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: { 'application/json': { schema: { properties: object; required?: string[] } } } };
  responses: Record<string, object>;
}
const document = openApiDocument('1.0.0') as unknown as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

it('has one operation for each contract, each named once', () => {
  expect(document.openapi).toBe('3.1.0');
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(names.sort()).toEqual(CONTRACTS.map((contract) => contract.name).sort());
});

it('declares each parameter of each path, and no field twice', () => {
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

it('says that a job is accepted, and which errors there are', () => {
  const create = document.paths['/api/repositories']?.post;
  expect(Object.keys(create?.responses ?? {})).toEqual(
    ['200', '201', '202', '400', '401', '403', '404', '409', '413', '422', '424', '429', '500', '503', '504'].filter(
      (status) => status !== '200',
    ),
  );
});

it('is the same bytes each time', () => {
  expect(openApiText('1.0.0')).toBe(openApiText('1.0.0'));
  expect(openApiText('1.0.0')).not.toContain('undefined');
});
