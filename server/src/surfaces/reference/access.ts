import { toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { WHO_MAY_CALL } from '../rest/openapi.ts';
import { code, codes, table, UPDATE } from './markdown.ts';

const HEAD = `# Access

Generated from the operation table; ${UPDATE}.

Who may call (a token also needs the scope: \`read\` for reads, \`write\` for all other operations):

${Object.entries(WHO_MAY_CALL)
  .map(([access, who]) => `- ${code(access)}: ${who}`)
  .join('\n')}

Target: the input field that names a session, or something that belongs to a session. Whether a
worker may call the operation depends on the worker's relation to that session. "+ parent" means that a worker may also call the operation for its parent session,
"+ peer" for sessions of other agents of the same orchestration.
`;

/** Returns the access table as Markdown, with one line for each operation in the order of the operation table. */
export function accessReference(): string {
  const rows = CONTRACTS.map(({ name, effect, access, target, alsoFor = [], rest, cli, ...tools }) => [
    name,
    effect,
    access,
    [target ?? '-', ...alsoFor].join(' + '),
    codes([rest.path, ...Object.values(rest.also ?? {})].map((path) => `${rest.method} /api${path}`)),
    codes(toolsOf(tools).map((tool) => tool.name)),
    codes(cli === undefined ? [] : [cli.command, ...(cli.also ?? [])]),
  ]);
  return `${HEAD}\n${table(['Operation', 'Effect', 'Access', 'Target', 'REST', 'MCP tool', 'CLI'], rows)}\n`;
}
