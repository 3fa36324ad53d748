import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';

const DOCUMENT = fileURLToPath(new URL('../../../../docs/agents.md', import.meta.url));
const BEGIN = '<!-- table: written by the tests -->';
const END = '<!-- end of table -->';

/** A test that an agent does not have is not about anything it can do. */
const NO_SUCH_THING = '–';
const SHOWN = { passed: 'yes', failed: 'no', skipped: 'not tried', pending: 'not tried' } as const;

/** Rows of a table, the first its head, in the form that the formatter gives them. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [...lines.slice(0, 1), rule, ...lines.slice(1)];
}

/** Prints what works with each agent; with UPDATE_REFERENCE=1 the document gets the same, if all agents were tried. */
export class AgentTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const agents = CLI_IDS.map((id) => ({ ...CLIS[id], version: versionOf(id) }));
    const rows = new Map<string, Map<string, string>>();
    const together: string[] = [];
    let skipped = false;
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const { state } = test.result();
      skipped ||= state === 'skipped';
      // What is known not to work is a test that must fail.
      const shown = test.options.fails && state === 'passed' ? 'no' : SHOWN[state];
      const who = test.parent.type === 'suite' ? test.parent.name : '';
      if (agents.some((agent) => agent.name === who)) {
        rows.set(test.name, (rows.get(test.name) ?? new Map<string, string>()).set(who, shown));
      } else {
        together.push(`${who} ${test.name}: ${shown}.`);
      }
    }
    const heads = ['It', ...agents.map((agent) => `${agent.name} ${agent.version ?? '(not installed)'}`)];
    const cells = [...rows].map(([name, row]) => [
      name,
      ...agents.map((agent) => row.get(agent.name) ?? NO_SUCH_THING),
    ]);
    const text = [...aligned([heads, ...cells]), '', ...together].join('\n');
    console.log(`\n${text}\n`);

    if (process.env.UPDATE_REFERENCE !== '1' || skipped) return;
    const document = readFileSync(DOCUMENT, 'utf8');
    const [before, rest] = [document.indexOf(BEGIN) + BEGIN.length, document.indexOf(END)];
    writeFileSync(DOCUMENT, `${document.slice(0, before)}\n\n${text}\n\n${document.slice(rest)}`);
  }
}
