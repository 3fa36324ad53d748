import { toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';

const HEAD = `# Access

Generated from the operation table; \`UPDATE_REFERENCE=1 npx vitest run server/test/e2e/table.test.ts\` writes it anew.

Who may call (a token also needs the scope: \`read\` for reads, \`write\` for the others):

- \`public\`: anyone who reaches the port
- \`self\`: people, and a worker for its own session
- \`subtree\`: people, and a worker for its own session and those that came from it
- \`workspace-read\`: people and any worker
- \`member\`: people only
- \`owner\`: the local owner only

Target: the field whose session decides what a worker reaches; "+ parent" where it also reaches its parent session.
`;

/** The table of access as Markdown: one line for each operation, in the order of the table. */
export function accessTable(): string {
  const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || '-';
  const rows = CONTRACTS.map(({ name, effect, access, target, parentToo, rest, cli, ...tools }) => [
    name,
    effect,
    access,
    `${target ?? '-'}${parentToo === true ? ' + parent' : ''}`,
    `\`${rest.method} /api${rest.path}\``,
    named(toolsOf(tools).map((tool) => tool.name)),
    named(cli === undefined ? [] : [cli.command, ...(cli.also ?? [])]),
  ]);
  const table = [['Operation', 'Effect', 'Access', 'Target', 'REST', 'MCP tool', 'CLI'], Array(7).fill('---'), ...rows];
  return `${HEAD}\n${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
