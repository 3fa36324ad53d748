import { type Contract, TOOLSETS } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { JsonSchema } from '../json-schema.ts';
import { PROMPTS } from '../mcp/prompts.ts';
import { DEFAULT_TOOLSETS, TOOLS, type Tool } from '../mcp/tools.ts';
import { WHO_MAY_CALL, whoMayCall } from '../rest/openapi.ts';
import { anchor, cell, code, codes, table, UPDATE } from './markdown.ts';

const namesWhere = (test: (byDefault: boolean | undefined) => boolean) =>
  TOOLS.filter(({ form }) => test(form.byDefault)).map(({ form }) => form.name);

const HEAD = `# MCP

Generated from the operation table; ${UPDATE}.

One endpoint, \`/mcp\`, serves the 2025 revisions of MCP and revision 2026-07-28. By default it lists the tools of the sets
${codes(DEFAULT_TOOLSETS)}, except ${codes(namesWhere((byDefault) => byDefault === false))}, because \`agor_sessions_prompt\` can do the same. It also lists ${codes(namesWhere((byDefault) => byDefault === true))}.
\`?toolsets=\` lists the tools of other sets: \`all\`, or names separated by commas (${codes(TOOLSETS)}). Every tool can be called by its
name, even if it is not listed. Results have \`structuredContent\` and the same JSON as text. A call returns within 45 s.
[Errors](errors.md) shows a failed call, [Workflows](../guide/workflows.md) shows the tools together.

Tools named \`agor_…\` use snake_case, name ids like \`session_id\`, and return what they create as
\`{created, entity_id, entity}\`. Rely only on the fields in the tables below; a result may have others. The status of an idle
spawned or forked session is the outcome of its last prompt.

Results stay below 9 kB unless the call requests more: a list requested without \`limit\` may therefore have
fewer rows than match (the result's \`limit\` is their number), and a truncated summary or text says which call returns the rest.`;

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** A field as a row of a table. All values except `required` are Markdown. */
interface FieldRow {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Maximum number of values of an enumeration that the document lists. */
const ENUM_MAX = 12;

function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems } = schema as Record<string, number | undefined>;
  const [least, most] = [minimum ?? minItems, maximum ?? maxItems];
  const huge = most === undefined || most >= Number.MAX_SAFE_INTEGER;
  if (least === undefined || least <= Number.MIN_SAFE_INTEGER) return huge ? '' : `, at most ${most}`;
  return huge ? `, at least ${least}` : `, ${least} to ${most}`;
}

/** Describes a type in a few words, such as `string` or `integer, 1 to 500`. */
function typeOf(schema: JsonSchema): string {
  const { anyOf, oneOf, enum: values, const: constant, type, items, additionalProperties, properties } = schema;
  const kinds = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (kinds !== undefined) return [...new Set(kinds.map(typeOf))].join(' or ');
  if (constant !== undefined) return code(JSON.stringify(constant));
  if (Array.isArray(values)) {
    const shown = values.slice(0, ENUM_MAX).map((value) => code(String(value)));
    return `${shown.join(', ')}${values.length > ENUM_MAX ? `, and ${values.length - ENUM_MAX} more` : ''}`;
  }
  if (type === 'array') return `${listOf(items as JsonSchema | undefined)}${boundsOf(schema)}`;
  if (type === 'object') return objectOf(properties as ObjectSchema['properties'], additionalProperties);
  if (typeof type !== 'string') return 'anything';
  return `${type}${boundsOf(schema)}`;
}

function listOf(items: JsonSchema | undefined): string {
  if (items === undefined) return 'list of anything';
  return `list of ${typeOf(items).replace(/^object(?= with )/, 'objects')}`;
}

function objectOf(properties: ObjectSchema['properties'], others: unknown): string {
  const names = Object.keys(properties ?? {});
  if (names.length > 0) return `object with ${names.map(code).join(', ')}`;
  if (typeof others !== 'object' || others === null || Object.keys(others).length === 0) return 'object';
  return `object, each value ${typeOf(others as JsonSchema)}`;
}

/** Returns the fields of an object in their order, each with its default after the description. */
function fieldRows({ properties = {}, required = [] }: ObjectSchema): FieldRow[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '', default: value } = schema as { description?: string; default?: unknown };
    const byDefault = value === undefined ? '' : `Default ${code(JSON.stringify(value))}`;
    return {
      name: code(name),
      type: cell(typeOf(schema)),
      required: required.includes(name),
      description: [cell(description), byDefault].filter((part) => part !== '').join('. '),
    };
  });
}

const linked = (name: string) => `[${code(name)}](${anchor(name)})`;
const routeOf = ({ method, path }: Contract['rest']) => code(`${method} /api${path}`);

/** Lists each tool with its operation, route and command. */
function parity(): string {
  const rows = TOOLS.map(({ form, contract: { name, rest, cli } }) => [
    linked(form.name),
    form.toolset,
    code(name),
    routeOf(rest),
    cli === undefined ? '-' : code(cli.command),
  ]);
  return table(['Tool', 'Set', 'Operation', 'REST', 'CLI'], rows);
}

/** Lists the operations without a tool, by who may call them. */
function withoutTool(): string {
  const named = new Set(TOOLS.map(({ operation }) => operation as string));
  const rest = CONTRACTS.filter(({ name }) => !named.has(name));
  const rows = [...new Set(rest.map(({ access }) => access))].map((access) => [
    cell(WHO_MAY_CALL[access]),
    codes(rest.filter((contract) => contract.access === access).map(({ name }) => name)),
  ]);
  return table(['Who may call', 'Operations available only by REST and CLI'], rows);
}

function section({ form, contract, definition }: Tool): string {
  const input = fieldRows(definition.inputSchema as ObjectSchema);
  const output = fieldRows(definition.outputSchema as ObjectSchema);
  const rows = input.map(({ name, type, required, description }) => [name, type, required ? 'yes' : 'no', description]);
  return [
    `### ${form.name}`,
    definition.description ?? '',
    `Operation ${code(contract.name)}, ${routeOf(contract.rest)}. Who may call: ${whoMayCall(contract)}.`,
    rows.length === 0 ? 'No arguments.' : table(['Argument', 'Type', 'Required', ''], rows),
    `Result: ${output.map(({ name, type, required }) => `${name} ${type}${required ? '' : ' (optional)'}`).join('; ')}.`,
  ].join('\n\n');
}

function resources(): string {
  const rows = CONTRACTS.flatMap(({ name, resource }) =>
    resource === undefined ? [] : [[code(resource.uri), code(name), cell(resource.description)]],
  );
  return `## Resources

Clients can read resources and subscribe to them, in all supported revisions of MCP.

${table(['URI', 'Operation', ''], rows)}`;
}

function prompts(): string {
  const rows = PROMPTS.map(({ name, description, arguments: given }) => [
    code(name),
    given
      .map((each) => `${code(each.name)}${each.required ? '' : ' (optional)'}: ${cell(each.description)}`)
      .join('; '),
    cell(description),
  ]);
  return `## Prompts

Prompt texts that users can choose in an agent's menu. Choosing a prompt changes nothing.

${table(['Name', 'Arguments', ''], rows)}`;
}

/** Returns every tool with its operation and route, every resource and every prompt, as Markdown. */
export function mcpReference(): string {
  const sets = TOOLSETS.map((set) => ({ set, tools: TOOLS.filter(({ form }) => form.toolset === set) }))
    .filter(({ tools }) => tools.length > 0)
    .map(({ set, tools }) => [`## ${set}`, ...tools.map(section)].join('\n\n'));
  const parts = [
    HEAD,
    '## Tools and routes',
    parity(),
    '## Operations without a tool',
    withoutTool(),
    ...sets,
    resources(),
    prompts(),
  ];
  return `${parts.join('\n\n')}\n`;
}
