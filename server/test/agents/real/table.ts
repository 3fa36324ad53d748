import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { ACP_AGENTS, ACP_IDS, type AcpId, CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';

const document = (path: string) => fileURLToPath(new URL(`../../../../docs/${path}`, import.meta.url));
const withVersion = <T extends CliId | AcpId>(ids: readonly T[], names: Readonly<Record<T, { name: string }>>) =>
  ids.map((id) => ({ name: names[id].name, version: versionOf(id) }));
const BEGIN = '<!-- table: written by the tests -->';
const END = '<!-- end of table -->';

/** Cell for an agent without the tested feature. */
const NO_SUCH_THING = '–';
const SHOWN = { passed: 'yes', failed: 'no', skipped: 'not tried', pending: 'not tried' } as const;

/** Returns the lines of a Markdown table, aligned as the code formatter would align them. The first row is the head. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [...lines.slice(0, 1), rule, ...lines.slice(1)];
}

/**
 * Prints what works with each agent. With UPDATE_REFERENCE=1, also updates the tables in the documents, if all agents
 * of a table are installed and no tests were selected by name.
 */
export class AgentTable implements Reporter {
  #isChosen = false;

  onInit({ config }: Vitest): void {
    this.#isChosen = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tables = [
      { file: document('agents.md'), agents: withVersion(CLI_IDS, CLIS), together: [] as string[] },
      { file: document('guide/agents.md'), agents: withVersion(ACP_IDS, ACP_AGENTS), together: [] as string[] },
    ].map((table) => ({ ...table, rows: new Map<string, Map<string, string>>() }));
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const { state } = test.result();
      // The test of a feature that is known not to work is marked with `it.fails`, so vitest reports it as passed if it
      // fails.
      const known = test.options.fails && state === 'passed' ? 'no' : SHOWN[state];
      const who = test.parent.type === 'suite' ? test.parent.name : '';
      const table = tables.find(({ agents }) => agents.some(({ name }) => name === who));
      const isInstalled = table?.agents.some(({ name, version }) => name === who && version !== null);
      const shown = state === 'skipped' && isInstalled && !this.#isChosen ? NO_SUCH_THING : known;
      if (table === undefined) tables[0]?.together.push(`${who} ${test.name}: ${shown}.`);
      else table.rows.set(test.name, (table.rows.get(test.name) ?? new Map<string, string>()).set(who, shown));
    }
    for (const { file, agents, rows, together } of tables.filter((table) => table.rows.size > 0)) {
      const heads = ['It', ...agents.map(({ name, version }) => `${name} ${version ?? '(not installed)'}`)];
      const cells = [...rows].map(([name, row]) => [
        name,
        ...agents.map((agent) => row.get(agent.name) ?? NO_SUCH_THING),
      ]);
      const text = [...aligned([heads, ...cells]), ...(together.length > 0 ? ['', ...together] : [])].join('\n');
      console.log(`\n${text}\n`);
      if (process.env.UPDATE_REFERENCE !== '1' || this.#isChosen || agents.some(({ version }) => version === null))
        continue;
      const before = readFileSync(file, 'utf8');
      const [begin, end] = [before.indexOf(BEGIN) + BEGIN.length, before.indexOf(END)];
      writeFileSync(file, `${before.slice(0, begin)}\n\n${text}\n\n${before.slice(end)}`);
    }
  }
}
