import { ConsoleEvent } from '@agent-console/shared/models/event';
import { toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { describe, expect, it } from 'vitest';
import { inputSchema, type JsonSchema, outputSchema } from '../../src/surfaces/json-schema.ts';
import { TOOLS } from '../../src/surfaces/mcp/tools.ts';
import { openApiDocument } from '../../src/surfaces/rest/openapi.ts';

/** Returns every field of a schema at any depth, with its path. */
function fieldsIn(schema: unknown, path: string): [path: string, field: JsonSchema][] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((each) => fieldsIn(each, path));
  return Object.entries(schema).flatMap(([key, part]) => {
    if (key !== 'properties') return fieldsIn(part, path);
    return Object.entries(part as Record<string, JsonSchema>).flatMap(([name, field]) => [
      [`${path}.${name}`, field] as [string, JsonSchema],
      ...fieldsIn(field, `${path}.${name}`),
    ]);
  });
}

const undescribed = (fields: [string, JsonSchema][]) =>
  fields.filter(([, { description }]) => typeof description !== 'string' || description === '').map(([path]) => path);

describe('every field has a description', () => {
  it('in the inputs and outputs of operations', () => {
    const fields = CONTRACTS.flatMap(({ name, input, output }) => [
      ...fieldsIn(inputSchema(input), `${name} input`),
      ...fieldsIn(outputSchema(output), `${name} output`),
    ]);
    expect(fields.length).toBeGreaterThan(1_000);
    expect(undescribed(fields)).toEqual([]);
  });

  it('in the arguments of tools', () => {
    const inputs = CONTRACTS.flatMap((contract) =>
      toolsOf(contract).map(({ name, input = contract.input }) => [name, inputSchema(input)] as const),
    );
    expect(undescribed(inputs.flatMap(([name, schema]) => fieldsIn(schema, name)))).toEqual([]);
  });

  it('in the OpenAPI document, whose models are references', () => {
    expect(undescribed(fieldsIn(openApiDocument('1.0.0'), ''))).toEqual([]);
  });

  it('except in the results of tools, since every word costs tokens of the agents', () => {
    for (const { definition } of TOOLS) {
      const fields = fieldsIn(definition.outputSchema, definition.name);
      expect(undescribed(fields)).toEqual(fields.map(([path]) => path));
    }
  });

  it('or is detected as undescribed', () => {
    const { $schema: _, ...schema } = outputSchema(ConsoleEvent);
    expect(undescribed(fieldsIn({ properties: { event: schema, plain: { type: 'string' } } }, 'x'))).toEqual([
      'x.event',
      'x.plain',
    ]);
  });
});
