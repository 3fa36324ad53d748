import type { InputSchema, OperationForm } from 'virtual:operation-forms';

/** Field values by name: text, `null` for an explicit null, undefined if untouched. */
export type FieldValues = Readonly<Record<string, string | null | undefined>>;

export interface FormField {
  name: string;
  kind: 'line' | 'text' | 'number' | 'boolean' | 'choice' | 'list';
  required: boolean;
  nullable: boolean;
  choices: readonly string[];
  description: string | undefined;
  /** Default value as JSON. */
  fallback: string | undefined;
  /** Kind of entity whose id the field contains, e.g. `session`. */
  noun: string | undefined;
}

/** A text field without a pattern is multi-line if its maximum length in characters is at least this number. */
const LONG_CHARS = 4_000;
/** The form does not show this field, because the dashboard sends its own idempotency key with every call. */
const HIDDEN = 'idempotencyKey';

/** Returns the fields of an operation, required fields first. */
export function fieldsOf({ input, ids = {} }: OperationForm): FormField[] {
  const fields = Object.entries(input.properties ?? {}).filter(([name]) => name !== HIDDEN);
  return fields
    .map(([name, schema]) =>
      fieldOf(name, schema, { required: input.required?.includes(name) ?? false, noun: ids[name] }),
    )
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function fieldOf(name: string, schema: InputSchema, rest: { required: boolean; noun: string | undefined }): FormField {
  const inner = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  return {
    ...rest,
    name,
    kind: kindOf(name, inner),
    nullable: schema.anyOf?.some(({ type }) => type === 'null') ?? false,
    choices: inner.enum ?? inner.items?.enum ?? [],
    description: schema.description ?? inner.description,
    fallback: schema.default === undefined ? undefined : JSON.stringify(schema.default),
  };
}

function kindOf(name: string, { type, enum: choices, maxLength = 0, pattern }: InputSchema): FormField['kind'] {
  if (choices !== undefined) return 'choice';
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return 'list';
  return pattern === '\\S' || (maxLength >= LONG_CHARS && pattern === undefined) || name === 'data' ? 'text' : 'line';
}

/**
 * Returns the input of the call. Empty fields are omitted. Invalid numbers are passed as text, so that the console
 * reports them.
 */
export function inputOf(fields: readonly FormField[], values: FieldValues): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const text = values[name];
    if (text === undefined || text === '') continue;
    input[name] = text === null ? null : parsed(kind, text);
  }
  return input;
}

function parsed(kind: FormField['kind'], text: string): unknown {
  if (kind === 'boolean') return text === 'true';
  if (kind === 'list') return text.split('\n').filter((line) => line !== '');
  if (kind !== 'number') return text;
  const value = Number(text);
  return Number.isNaN(value) ? text : value;
}

/** Returns the equivalent CLI command, or undefined if there is none. */
export function commandOf(
  { command, positional = [] }: OperationForm,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  if (command === undefined) return undefined;
  const words = ['npx', 'agent-console', ...command.split(' ')];
  for (const [name, value] of Object.entries(input)) {
    if (positional.includes(name)) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (typeof value === 'boolean') words.push(value ? `--${flag}` : `--no-${flag}`);
    else for (const each of Array.isArray(value) ? value : [value]) words.push(`--${flag}`, shellQuoted(String(each)));
  }
  const args = positional.filter((name) => input[name] !== undefined).map((name) => String(input[name]));
  if (args.some((arg) => arg.startsWith('-'))) words.push('--');
  return [...words, ...args.map(shellQuoted)].join(' ');
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
