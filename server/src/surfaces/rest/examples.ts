import type { JsonSchema } from '../json-schema.ts';

const ID = '0193a1b2-c3d4-7e5f-8a6b-0c9d8e7f6a5b';
const EXAMPLE_TIME = '2026-01-15T10:30:00.000Z';

/** Example values of text fields, by field name. For most other text fields, the example is the field name itself. */
const EXAMPLE_TEXTS: Readonly<Record<string, string>> = {
  agentId: 'scripted',
  agenticTool: 'scripted',
  defaultAgentId: 'scripted',
  actor: `user:${ID}`,
  avatarUrl: 'https://example.com/ann.png',
  base: 'main',
  baseBranch: 'main',
  baseRef: 'main',
  branch: 'faster-search',
  code: 'acc_…',
  command: 'npm test',
  cwd: '/home/me/shop',
  data: 'git status\r',
  defaultBranch: 'main',
  email: 'ann@example.com',
  message: 'Is it done?',
  name: 'shop',
  operation: 'sessions.prompt',
  path: '/home/me/shop',
  prompt: '@say hello',
  sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  task: '@say hello',
  text: 'Is it done?',
  title: 'Faster search',
  url: 'https://example.com/shop.git',
  username: 'Ann',
};

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Returns a value that a JSON Schema accepts. Objects contain only their required fields, or all fields if `complete`
 * is set.
 */
export function exampleOf(schema: JsonSchema, options: { schemas?: Schemas; complete?: boolean } = {}): unknown {
  return sampleOf(schema, '', { schemas: {}, complete: false, depth: 0, ...options });
}

interface Context {
  schemas: Schemas;
  complete: boolean;
  depth: number;
}

/**
 * Depth from which examples omit optional fields and list items, because models that refer to each other would nest
 * forever.
 */
const DEPTH_MAX = 5;

function sampleOf(schema: JsonSchema, name: string, context: Context): unknown {
  const { $ref, anyOf, oneOf, allOf, type } = schema as Record<string, never> as {
    $ref?: string;
    anyOf?: JsonSchema[];
    oneOf?: JsonSchema[];
    allOf?: JsonSchema[];
    type?: string | string[];
  };
  if ($ref !== undefined) return sampleOf(context.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, name, context);
  if ('const' in schema) return schema.const;
  if ('default' in schema && !context.complete) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = anyOf ?? oneOf;
  if (options !== undefined) return sampleOf(options.find((option) => option.type !== 'null') ?? {}, name, context);
  if (allOf !== undefined) return sampleOf(Object.assign({}, ...allOf), name, context);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return objectOf(schema, context);
    case 'array':
      return listOf(schema, name, context);
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 1), Math.min(1, Number(schema.maximum ?? 1)));
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema, name);
    default:
      return context.complete ? {} : 'value';
  }
}

function objectOf(schema: JsonSchema, context: Context): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const inside = { ...context, depth: context.depth + 1 };
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || (context.complete && inside.depth < DEPTH_MAX),
  );
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {}, name, inside)]));
}

function listOf(schema: JsonSchema, name: string, context: Context): unknown[] {
  if (context.depth >= DEPTH_MAX && !schema.minItems) return [];
  const item = (schema.items ?? {}) as JsonSchema;
  return [sampleOf(item, name.replace(/s$/, ''), { ...context, depth: context.depth + 1 })];
}

function textOf({ format, pattern, description }: JsonSchema, name: string): string {
  if (/At$/.test(name) || name === 'after' || name === 'before' || format === 'date-time') return EXAMPLE_TIME;
  if (name !== '' && Object.hasOwn(EXAMPLE_TEXTS, name)) return EXAMPLE_TEXTS[name] ?? '';
  if (/(?:^id|Id|^target)$/.test(name)) return ID;
  if (/Branch$/.test(name)) return 'main';
  if (/(?:[Pp]ath|Dir|folder|home)$/.test(name)) return '/home/me/shop';
  if (/Command$/.test(name)) return 'npm test';
  if (/(?:Url|url)$/.test(name)) return 'https://example.com/shop';
  if (typeof pattern === 'string' && !new RegExp(pattern).test(name) && new RegExp(pattern).test(ID)) return ID;
  return typeof description === 'string' && name === '' ? description : name || 'text';
}
