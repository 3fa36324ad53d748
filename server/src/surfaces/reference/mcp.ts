import { TOOLSETS } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { PROMPTS } from '../mcp/prompts.ts';
import { DEFAULT_TOOLSETS, TOOLS, type Tool } from '../mcp/tools.ts';
import { WHO_MAY_CALL, whoMayCall } from '../rest/openapi.ts';
import { anchor, cell, code, codes, table, UPDATE } from './markdown.ts';
import { routeLink } from './rest.ts';
import { type Fields, fieldRows } from './schema.ts';

const namesWhere = (test: (byDefault: boolean | undefined) => boolean) =>
  TOOLS.filter(({ form }) => test(form.byDefault)).map(({ form }) => form.name);

const HEAD = `# MCP

Generated from the operation table; ${UPDATE}.

One address, \`/mcp\`, for both generations of the protocol. Listed by default are the sets ${codes(DEFAULT_TOOLSETS)}
without ${codes(namesWhere((byDefault) => byDefault === false))}, which \`agor_sessions_prompt\` covers, and with ${codes(namesWhere((byDefault) => byDefault === true))}.
\`?toolsets=\` with names from ${codes(TOOLSETS)} or \`all\` lists others, and every tool can be called
by its name. Results have \`structuredContent\` and the same JSON as text. A call answers within 45 s. How a failed one
looks is told with the [errors](errors.md). [Workflows](../workflows.md) shows the tools together.

Tools named \`agor_…\` speak snake_case, call ids by their noun, and wrap what they create as
\`{created, entity_id, entity}\`; their data is that of the operation behind them. Answers
may have fields beyond those listed, which are the ones to rely on. The status of a spawned or forked session at rest is
the outcome of its last prompt.

Results stay below 9 kB unless the call asks for more: a list without \`limit\` ends where it would get longer (its \`limit\` is then the
number of its rows), summaries and texts are cut and say what reads on.`;

const linked = (name: string) => `[${code(name)}](${anchor(name)})`;

/** Each tool beside the operation, the route and the command that do the same. */
function parity(): string {
  const rows = TOOLS.map(({ form, contract: { name, rest, cli } }) => [
    linked(form.name),
    form.toolset,
    code(name),
    routeLink(rest.method, rest.path),
    cli === undefined ? '-' : code(cli.command),
  ]);
  return table(['Tool', 'Set', 'Operation', 'REST', 'CLI'], rows);
}

/** The operations that agents do not have as tools, by who may call them. */
function withoutTool(): string {
  const named = new Set(TOOLS.map(({ operation }) => operation as string));
  const rest = CONTRACTS.filter(({ name }) => !named.has(name));
  const rows = [...new Set(rest.map(({ access }) => access))].map((access) => [
    cell(WHO_MAY_CALL[access]),
    codes(rest.filter((contract) => contract.access === access).map(({ name }) => name)),
  ]);
  return table(['Who may call', 'Operations by REST and command only'], rows);
}

function section({ form, contract, definition }: Tool): string {
  const input = fieldRows(definition.inputSchema as Fields);
  const output = fieldRows(definition.outputSchema as Fields);
  const rows = input.map(({ name, type, required, words }) => [name, type, required ? 'yes' : 'no', words]);
  return [
    `### ${form.name}`,
    definition.description ?? '',
    `Is ${code(contract.name)}, ${routeLink(contract.rest.method, contract.rest.path)}. Who may call: ${whoMayCall(contract)}.`,
    rows.length === 0 ? 'No arguments.' : table(['Argument', 'Type', 'Required', ''], rows),
    `Answers: ${output.map(({ name, type, required }) => `${name} ${type}${required ? '' : ' (not always)'}`).join('; ')}.`,
  ].join('\n\n');
}

function resources(): string {
  const rows = CONTRACTS.flatMap(({ name, resource }) =>
    resource === undefined ? [] : [[code(resource.uri), code(name), cell(resource.description)]],
  );
  return `## Resources

They can be read, and watched in both generations of the protocol.

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

Texts that a person chooses in their agent's own menu. Making one changes nothing.

${table(['Name', 'Arguments', ''], rows)}`;
}

/** Every tool, resource and prompt, and the operation and route that each tool equals, as Markdown. */
export function mcpReference(): string {
  const sets = TOOLSETS.map((set) => ({ set, tools: TOOLS.filter(({ form }) => form.toolset === set) }))
    .filter(({ tools }) => tools.length > 0)
    .map(({ set, tools }) => [`## ${set}`, ...tools.map(section)].join('\n\n'));
  const parts = [
    HEAD,
    '## Tools and routes',
    parity(),
    '## What has no tool',
    withoutTool(),
    ...sets,
    resources(),
    prompts(),
  ];
  return `${parts.join('\n\n')}\n`;
}
