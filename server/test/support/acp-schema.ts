import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = { $defs: Record<string, { 'x-method'?: string }> };
const require = createRequire(import.meta.url);
/**
 * The published JSON Schemas of the Agent Client Protocol, version 1. The second one describes requests that are not
 * stable yet, such as `session/fork`.
 */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  stable: require('@agentclientprotocol/sdk/schema/v1/schema.json'),
  unstable: require('@agentclientprotocol/sdk/schema/v1/schema.unstable.json'),
};
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
for (const [name, schema] of Object.entries(SCHEMAS)) ajv.addSchema(schema, name);

interface Frame {
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/**
 * Returns the violations of the schema in a message. `answers` is the method of the request that a result answers.
 */
export function schemaErrors(line: string, answers?: string): string[] {
  if (!line.endsWith('\n') || line.indexOf('\n') !== line.length - 1) return ['not one line'];
  const frame = JSON.parse(line) as Frame & { jsonrpc?: unknown };
  if (frame.jsonrpc !== '2.0') return ['not JSON-RPC 2.0'];
  if (frame.error !== undefined) return errorsOf('stable', 'Error', frame.error);
  const method = frame.method ?? answers ?? '';
  const suffix = frame.method === undefined ? /Response$/ : frame.id === undefined ? /Notification$/ : /Request$/;
  for (const [schema, { $defs }] of Object.entries(SCHEMAS)) {
    const [name] = Object.entries($defs).find(([key, def]) => def['x-method'] === method && suffix.test(key)) ?? [];
    if (name !== undefined) return errorsOf(schema, name, frame.method === undefined ? frame.result : frame.params);
  }
  return [`no definition for ${method}`];
}

function errorsOf(schema: string, name: string, value: unknown): string[] {
  const reference = `${schema}#/$defs/${name}`;
  const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${name}${each.instancePath} ${each.message}`);
}
