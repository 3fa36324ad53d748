import { DefinitionFile, definitionHead } from '@agent-console/shared/definition-file';
import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import type { HttpEnv } from '../http/context.ts';
import { inputSchema, type JsonSchema } from '../json-schema.ts';

/**
 * Schema of a text with placeholders for parameters, such as `${{ name }}`. Most fields accept this text instead of a
 * value of their own type.
 */
const INSERTED: JsonSchema = { type: 'string', pattern: '\\$\\{\\{.*\\}\\}' };
const EXAMPLE = `\${{ name }}`;

/** Returns the JSON Schema of definition files of orchestrations, with which editors complete and check them. */
function definitionSchema(): JsonSchema {
  const { properties, ...schema } = inputSchema(DefinitionFile) as { properties: Record<string, JsonSchema> };
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    name in definitionHead ? field : open(field),
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Orchestration definition of Agent Console',
    ...schema,
    properties: Object.fromEntries(fields),
    $defs: { inserted: INSERTED },
  };
}

/** Extends the schema of a field, so that it also accepts a text with placeholders. */
function open(schema: JsonSchema): JsonSchema {
  const { description, default: byDefault, ...value } = schema;
  const about = {
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
  if (value.type === 'object') return { ...about, ...value, ...openFields(value) };
  if (acceptsText(value)) return schema;
  const items = typeof value.items === 'object' ? { items: open(value.items as JsonSchema) } : {};
  const options = Array.isArray(value.anyOf) ? (value.anyOf as JsonSchema[]) : [{ ...value, ...items }];
  return { ...about, anyOf: [...options, { $ref: '#/$defs/inserted' }] };
}

function openFields({ properties, additionalProperties }: JsonSchema): JsonSchema {
  const openAll = (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, open(field)]));
  return {
    ...(typeof properties === 'object' && properties !== null && { properties: openAll(properties) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: open(additionalProperties as JsonSchema),
    }),
  };
}

/** Whether a schema already accepts a text with a placeholder. */
function acceptsText(schema: JsonSchema): boolean {
  if (Object.keys(schema).length === 0) return true;
  const { type, enum: values, pattern } = schema;
  if (type !== 'string' || values !== undefined) return false;
  return typeof pattern !== 'string' || new RegExp(pattern).test(EXAMPLE);
}

export function definitionSchemaText(): string {
  return `${JSON.stringify(definitionSchema(), null, 2)}\n`;
}

export function mountDefinitionSchema(app: Hono<HttpEnv>): void {
  let text: string | undefined;
  app.get('/api/orchestration.schema.json', etag(), (c) => {
    text ??= definitionSchemaText();
    return c.body(text, 200, { 'Content-Type': 'application/schema+json', 'Cache-Control': 'no-cache' });
  });
}
