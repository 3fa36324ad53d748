import type { Contract, Noun } from '@agent-console/shared/operation';
import fc from 'fast-check';
import { inputSchema } from '../../../src/surfaces/json-schema.ts';
import { codePoint } from '../../support/text.ts';

/** Valid ids and values, so that many requests pass the checks of single fields. */
export interface ValidValues {
  ids: Readonly<Partial<Record<Noun, readonly string[]>>>;
  /** Values for fields, by `<operation> <field>` or by the name of the field alone. */
  fields: ReadonlyMap<string, readonly unknown[]>;
}

interface FieldSchema {
  type?: string;
  enum?: readonly unknown[];
  items?: FieldSchema;
}

/** Names of properties that every plain object inherits. */
const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
];

const TEXTS = [
  ...INHERITED,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202egnp.exe',
  '-rf',
  '--upload-pack=true',
  '../../../../etc/passwd',
  '/dev/null',
  '/proc/self/mem',
  '%00',
  '%2e%2e%2f',
  '$(true)',
  '`true`',
  '; true',
  "' or 1=1 --",
  '%_\\',
  'refs/heads/../x',
  'HEAD@{1}',
  'ext::true',
  'file:///dev/null',
  'NaN',
  'null',
  '1e999',
  '9'.repeat(400),
  'x'.repeat(101_000),
  '🌍'.repeat(5_000),
  '\u001b]0;title\u0007',
  '"*',
  '{"a":1}',
];

/**
 * Any JSON. Some keys are names of properties that every object inherits, such as `constructor`; some values are near
 * the limits of what fields accept.
 */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(0, -1, 0.5, 1e308, 2 ** 53, -(2 ** 31), 5e-324, 1e21) },
  { weight: 1, arbitrary: fc.constantFrom(true, false, null, [], {}, [[]], [null], [{}]) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(...INHERITED).map((name) => ownProperty(name, { id: 'x' })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2_000 }).map(nested) },
);

/** Returns an object with this own property, even if the name is `__proto__`. */
function ownProperty(name: string, value: unknown): unknown {
  return Object.fromEntries([[name, value]]);
}

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function validValue(contract: Contract, name: string, schema: FieldSchema, valid: ValidValues): fc.Arbitrary<unknown> {
  const noun = contract.ids?.[name];
  if (noun !== undefined) {
    const ids = valid.ids[noun] ?? [];
    const unknown = fc.constant('00000000-0000-7000-8000-000000000000');
    const known = [...ids, ...ids.map((id) => id.slice(0, 30))];
    const one = known.length === 0 ? unknown : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, unknown);
    return schema.type === 'array' ? fc.array(one, { maxLength: 3 }) : one;
  }
  const known = valid.fields.get(`${contract.name} ${name}`) ?? valid.fields.get(name);
  if (known !== undefined) return fc.constantFrom(...known);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'number':
    case 'integer':
      return fc.nat(3);
    case 'array':
      return fc.array(schema.items?.enum === undefined ? fc.constant('word') : fc.constantFrom(...schema.items.enum), {
        maxLength: 2,
      });
    default:
      return fc.constantFrom('word', 'Grüße 🌍', 'two words');
  }
}

/**
 * Random inputs of one operation. About half are valid, and make changes that later requests work on. In the others,
 * one or two fields are hostile, missing or unknown to the operation.
 */
export function hostileInputs(contract: Contract, valid: ValidValues): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = inputSchema(contract.input) as {
    properties?: Record<string, FieldSchema>;
    required?: string[];
  };
  const fields = Object.entries(properties).map(([name, schema]) => {
    const present = validValue(contract, name, schema, valid).map((value) => [[name, value] as const]);
    return required.includes(name) ? present : fc.oneof(present, fc.constant([]), fc.constant([]));
  });
  const names = [...Object.keys(properties), ...Object.keys(properties), ...INHERITED, 'x'];
  const change = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof({ weight: 8, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constant(undefined) }),
  );
  const changes = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.tuple(change) },
    { weight: 1, arbitrary: fc.tuple(change, change) },
  );
  return fc.tuple(fc.tuple(...fields), changes).map(([entries, changed]) => {
    const input = new Map<string, unknown>([...entries.flat(), ...changed]);
    return Object.fromEntries([...input].filter(([, value]) => value !== undefined));
  });
}
