import type { ErrorCode } from '@agent-console/shared/errors';
import type { Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { JsonSchema } from '../json-schema.ts';
import { openApiDocument } from '../rest/openapi.ts';
import { anchor, cell, code, codes, table, UPDATE } from './markdown.ts';
import { type Fields, fieldRows, modelHeading, typeOf } from './schema.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Fields; example?: JsonSchema } } };
  responses: Record<string, { description?: string; content?: Record<string, { schema: JsonSchema }> }>;
}

const HEAD = `# REST

Generated from the operation table, as the OpenAPI document at \`/api/openapi.json\` is; ${UPDATE}.

Every route is below the address of the console. Bodies are JSON, \`Content-Type: application/json\`. Fields that are not
listed are refused by name. Ids may be cut to any unambiguous beginning of at least 8 characters. Lists answer
\`{total, limit, skip, data}\`. Every call may also answer \`VALIDATION\`, \`UNAUTHENTICATED\`, \`PERMISSION_DENIED\` or one of the
5xx codes of the [errors](errors.md), and what an operation runs into while it works: \`GIT_FAILED\`, \`AGENT_UNAVAILABLE\`,
\`UNSUPPORTED\`, \`LIMIT_EXCEEDED\`. The others that its form makes possible are listed with it. Who may call stands in short in the
[table of access](access.md).
`;

function parameterRows(parameters: readonly Parameter[]): string[][] {
  return parameters.map(({ name, in: place, required, description = '', schema }) => [
    code(name),
    place,
    typeOf(schema),
    required ? 'yes' : 'no',
    cell(description),
  ]);
}

function inputOf({ parameters = [], requestBody }: Operation): string {
  const body = requestBody?.content['application/json'];
  const fields = body === undefined ? [] : fieldRows(body.schema);
  const rows = [
    ...parameterRows(parameters),
    ...fields.map(({ name, type, required, words }) => [name, 'body', type, required ? 'yes' : 'no', words]),
  ];
  if (rows.length === 0) return 'No input.';
  const example = body?.example === undefined ? '' : `\n\nFor example \`${JSON.stringify(body.example)}\`.`;
  return table(['Input', 'In', 'Type', 'Required', ''], rows) + example;
}

function answerRows(schema: Fields): string[][] {
  return fieldRows(schema).map(({ name, type, required, words }) => [
    name,
    required ? type : `${type}, not always`,
    words,
  ]);
}

function answerOf(responses: Operation['responses']): string {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const [[, first] = []] = good;
  const [[media, { schema }] = ['', { schema: {} }]] = Object.entries(first?.content ?? {});
  const statuses = good.map(([status]) => status).join(' or ');
  if (media !== 'application/json') return `Answers ${statuses}, ${code(media)}: ${first?.description ?? ''}.`;
  const { properties } = schema as Fields;
  if (properties === undefined) return `Answers ${statuses}: ${typeOf(schema)}.`;
  return `Answers ${statuses}:\n\n${table(['Answer', 'Type', ''], answerRows(schema as Fields))}`;
}

/** The errors that the form of an operation makes possible, beside those of any call. */
function errorsOf({ ids, effect, rest }: Contract): ErrorCode[] {
  const writes = effect !== 'read';
  return [
    ...(ids === undefined ? [] : (['NOT_FOUND', 'AMBIGUOUS_ID'] as const)),
    ...(writes ? (['CONFLICT'] as const) : []),
    ...(writes && rest.method !== 'DELETE' ? (['TOO_LARGE'] as const) : []),
  ];
}

function operationSection(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, responses } = operation;
  const contract = CONTRACTS.find(({ name }) => name === operationId);
  const errors = contract === undefined ? [] : errorsOf(contract);
  const parts = [
    `### ${method.toUpperCase()} ${path}`,
    `${code(operationId)}: ${summary}.${description === undefined ? '' : ` ${description.replaceAll('\n', ' ')}`}`,
    inputOf(operation),
    answerOf(responses),
    ...(errors.length === 0 ? [] : [`Errors of its own: ${codes(errors)}.`]),
  ];
  return parts.join('\n\n');
}

function modelSection(name: string, schema: Fields): string {
  return `### ${modelHeading(name)}\n\n${table(['Field', 'Type', ''], answerRows(schema))}`;
}

/** Heading under which a route stands, so that others can link to it. */
export function routeLink(method: string, path: string): string {
  const heading = `${method} /api${path.replace(/:(\w+)/g, '{$1}')}`;
  return `[${code(`${method} /api${path}`)}](rest.md${anchor(heading)})`;
}

/** Every route with its inputs, answers and errors, by noun, and the models they speak of, as Markdown. */
export function restReference(): string {
  const document = openApiDocument('') as unknown as {
    tags: { name: string; description: string }[];
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Fields> };
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const tags = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    const sections = own.map(({ method, path, operation }) => operationSection(method, path, operation));
    return [`## ${name}`, description, ...sections].join('\n\n');
  });
  const models = Object.entries(document.components.schemas).map(([name, schema]) => modelSection(name, schema));
  return `${[HEAD.trimEnd(), ...tags, '## Models', ...models].join('\n\n')}\n`;
}
