import type { JsonSchema } from '../json-schema.ts';
import { anchor, cell, code } from './markdown.ts';

/** A schema of an object. */
export interface Fields extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** One field as it stands in a table; all but `required` are Markdown. */
export interface FieldRow {
  name: string;
  type: string;
  required: boolean;
  words: string;
}

/** Longer enumerations are told in their words, or by the model that they are of. */
const ENUM_MAX = 12;

function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems } = schema as Record<string, number | undefined>;
  const [least, most] = [minimum ?? minItems, maximum ?? maxItems];
  const huge = most === undefined || most >= Number.MAX_SAFE_INTEGER;
  if (least === undefined || least <= Number.MIN_SAFE_INTEGER) return huge ? '' : `, at most ${most}`;
  return huge ? `, at least ${least}` : `, ${least} to ${most}`;
}

/** Heading under which the fields of a model stand; a noun may be called the same. */
export const modelHeading = (name: string) => `Model ${name}`;

/** What a value may be, in a few words: `string`, `integer, 1 to 500`, `list of [Task](#task)`. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, oneOf, enum: values, const: constant, type, items, additionalProperties, properties } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    return `[${name}](${anchor(modelHeading(name))})`;
  }
  const kinds = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (kinds !== undefined) return [...new Set(kinds.map(typeOf))].join(' or ');
  if (constant !== undefined) return code(JSON.stringify(constant));
  if (Array.isArray(values)) {
    const shown = values.slice(0, ENUM_MAX).map((value) => code(String(value)));
    return `${shown.join(', ')}${values.length > ENUM_MAX ? `, and ${values.length - ENUM_MAX} more` : ''}`;
  }
  if (type === 'array')
    return `list of ${items === undefined ? 'anything' : typeOf(items as JsonSchema)}${boundsOf(schema)}`;
  if (type === 'object') return objectOf(properties as Fields['properties'], additionalProperties);
  if (typeof type !== 'string') return 'anything';
  return `${type}${boundsOf(schema)}`;
}

function objectOf(properties: Fields['properties'], others: unknown): string {
  const names = Object.keys(properties ?? {});
  if (names.length > 0) return `object of ${names.map(code).join(', ')}`;
  if (typeof others !== 'object' || others === null || Object.keys(others).length === 0) return 'object';
  return `object, each value ${typeOf(others as JsonSchema)}`;
}

/** The fields of an object in their order. Defaults are told behind the words. */
export function fieldRows({ properties = {}, required = [] }: Fields): FieldRow[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '', default: standard } = schema as { description?: string; default?: unknown };
    const told = standard === undefined ? '' : `Default ${code(JSON.stringify(standard))}`;
    return {
      name: code(name),
      type: cell(typeOf(schema)),
      required: required.includes(name),
      words: [cell(description), told].filter((part) => part !== '').join('. '),
    };
  });
}
