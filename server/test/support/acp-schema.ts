import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** The published JSON Schema of the Agent Client Protocol, version 1. */
const schema = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json') as {
  $defs: Record<string, { 'x-method'?: string }>;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(schema, 'acp');

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
  if (frame.error !== undefined) return errorsOf('Error', frame.error);
  const method = frame.method ?? answers ?? '';
  const suffix = frame.method === undefined ? /Response$/ : frame.id === undefined ? /Notification$/ : /Request$/;
  const [name] =
    Object.entries(schema.$defs).find(([key, def]) => def['x-method'] === method && suffix.test(key)) ?? [];
  if (name === undefined) return [`no definition for ${method}`];
  return errorsOf(name, frame.method === undefined ? frame.result : frame.params);
}

function errorsOf(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`acp#/$defs/${name}`) ?? ajv.compile({ $ref: `acp#/$defs/${name}` });
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${name}${each.instancePath} ${each.message}`);
}
