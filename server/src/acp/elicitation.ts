import {
  APPROVAL_LABEL_MAX_CHARS,
  APPROVAL_TEXT_MAX_CHARS,
  FORM_CHOICES_MAX,
  FORM_FIELDS_MAX,
  FORM_NAME_MAX_CHARS,
  LINK_MAX_CHARS,
} from '@agent-console/shared/limits/approvals';
import type { FormField } from '@agent-console/shared/models/approval';
import * as v from 'valibot';
import type { ProtocolEvent, RequestId } from '../domain/protocol.ts';

/** This module translates the requests that an agent makes to a person: forms to fill in, and pages to open. */

const text = v.optional(v.nullable(v.string()), null);
const number = v.optional(v.nullable(v.number()), null);
const name = v.pipe(v.string(), v.maxLength(FORM_NAME_MAX_CHARS));
const titled = v.object({ const: name, title: v.string() });
const choices = <S extends v.GenericSchema>(each: S) => v.pipe(v.array(each), v.maxLength(FORM_CHOICES_MAX));

const common = { title: text, description: text };
const StringProperty = v.object({
  ...common,
  type: v.literal('string'),
  minLength: number,
  maxLength: number,
  pattern: text,
  format: text,
  writeOnly: v.optional(v.boolean(), false),
  default: text,
  enum: v.optional(v.nullable(choices(name))),
  oneOf: v.optional(v.nullable(choices(titled))),
});
const NumberProperty = v.object({
  ...common,
  type: v.picklist(['number', 'integer']),
  minimum: number,
  maximum: number,
  default: number,
});
const BooleanProperty = v.object({
  ...common,
  type: v.literal('boolean'),
  default: v.optional(v.nullable(v.boolean()), null),
});
const ListProperty = v.object({
  ...common,
  type: v.literal('array'),
  minItems: number,
  maxItems: number,
  items: v.union([v.object({ enum: choices(name) }), v.object({ anyOf: choices(titled) })]),
  default: v.optional(v.nullable(v.array(v.string())), null),
});
const Property = v.variant('type', [StringProperty, NumberProperty, BooleanProperty, ListProperty]);

const Form = v.object({
  mode: v.literal('form'),
  requestedSchema: v.object({
    title: text,
    description: text,
    properties: v.optional(v.record(name, v.unknown()), {}),
    required: v.optional(v.nullable(v.array(v.string())), null),
  }),
});
const Link = v.object({ mode: v.literal('url'), url: v.string(), elicitationId: v.string() });
const Request = v.intersect([
  v.object({ message: v.string(), sessionId: v.optional(v.string()) }),
  v.variant('mode', [Form, Link]),
]);

/**
 * Translates an agent's request for input from a person. A request that cannot be displayed becomes an event of type
 * `request`, which the console answers with an error.
 */
export function elicitationOf(requestId: RequestId, params: unknown, nativeId: string | null): ProtocolEvent {
  const invalid = (why: string): ProtocolEvent => ({
    type: 'request',
    requestId,
    method: 'elicitation/create',
    params: { invalid: why },
  });
  const { success, output, issues } = v.safeParse(Request, params);
  if (!success) return invalid(`${v.getDotPath(issues[0]) ?? 'params'}: ${issues[0].message}`);
  const { message, sessionId } = output;
  if (nativeId !== null && sessionId !== undefined && sessionId !== nativeId)
    return invalid('sessionId: is not the id of the open conversation');
  if (output.mode === 'url') {
    const { url, elicitationId: linkId } = output;
    // Other schemes are refused, because in a person's browser they could run code or read files.
    if (!isWebAddress(url)) return invalid('url: only http and https addresses can be opened');
    return { type: 'link', requestId, text: message, url, linkId };
  }
  const { properties, required, title, description } = output.requestedSchema;
  const ids = Object.keys(properties);
  if (ids.length > FORM_FIELDS_MAX) return invalid(`a form can have at most ${FORM_FIELDS_MAX} fields`);
  const fields: FormField[] = [];
  for (const [id, property] of Object.entries(properties)) {
    const isRequired = required?.includes(id) ?? false;
    const parsed = v.safeParse(Property, property);
    if (parsed.success) fields.push(fieldOf(id, parsed.output, isRequired));
    // A field of an unknown type is not shown. If such a field is required, the request is invalid.
    else if (isRequired) return invalid(`requestedSchema.properties.${id}: ${parsed.issues[0].message}`);
  }
  const heading = [message, title, description].filter((part) => part !== null && part !== '');
  return { type: 'form', requestId, text: [...new Set(heading)].join('\n'), fields };
}

function isWebAddress(url: string): boolean {
  if (url.length > LINK_MAX_CHARS || !URL.canParse(url)) return false;
  return ['http:', 'https:'].includes(new URL(url).protocol);
}

/**
 * A text field whose id or title matches is shown as a password field. The console never stores the values of form
 * fields in the database.
 */
const SECRET = /passw|passphrase|secret|token|credential|api.?key|private.?key|\bpin\b/i;

function fieldOf(id: string, property: v.InferOutput<typeof Property>, required: boolean): FormField {
  const field: FormField = {
    id,
    type: 'text',
    title: (property.title ?? id).slice(0, APPROVAL_LABEL_MAX_CHARS),
    description: property.description?.slice(0, APPROVAL_TEXT_MAX_CHARS) ?? null,
    required,
    secret: false,
    default: property.default,
    choices: [],
    min: null,
    max: null,
    format: null,
    pattern: null,
  };
  switch (property.type) {
    case 'string': {
      const offered = property.oneOf?.map(choiceOf) ?? property.enum?.map((value) => ({ value, label: value }));
      if (offered !== undefined) return withChoices({ ...field, type: 'choice' }, offered);
      const { minLength: min, maxLength: max, pattern, format, writeOnly } = property;
      const secret = writeOnly || format === 'password' || SECRET.test(id) || SECRET.test(field.title);
      return {
        ...field,
        min,
        max,
        secret,
        format: FORMATS.find((known) => known === format) ?? null,
        pattern: pattern !== null && isPattern(pattern) ? pattern : null,
        default: secret ? null : property.default,
      };
    }
    case 'number':
    case 'integer':
      return { ...field, type: property.type, min: property.minimum, max: property.maximum };
    case 'boolean':
      return { ...field, type: 'boolean' };
    case 'array': {
      const { items, minItems: min, maxItems: max } = property;
      const offered =
        'anyOf' in items ? items.anyOf.map(choiceOf) : items.enum.map((value) => ({ value, label: value }));
      return withChoices({ ...field, type: 'choices', min, max }, offered);
    }
  }
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const;

const choiceOf = ({ const: value, title }: v.InferOutput<typeof titled>) => ({
  value,
  label: title.slice(0, APPROVAL_LABEL_MAX_CHARS),
});

/** Adds the choices to a form field, and removes defaults that are not among the choices. */
function withChoices(field: FormField, offered: FormField['choices']): FormField {
  const isOffered = (value: unknown) => offered.some((choice) => choice.value === value);
  const { default: initial } = field;
  const kept = Array.isArray(initial) ? initial.filter(isOffered) : isOffered(initial) ? initial : null;
  return { ...field, choices: offered, default: kept };
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
