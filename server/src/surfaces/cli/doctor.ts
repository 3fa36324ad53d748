import type { Command } from 'commander';
import { homeOf } from '../../config.ts';
import { examine } from './doctor/examine.ts';
import type { Finding } from './doctor/finding.ts';
import { asCalled, print, toJson, withoutControls } from './output.ts';

/** `doctor`: looks at the machine and the data directory, changes nothing, and says of each thing what to do about it. */
export function addDoctor(cli: Command, programs: string): void {
  cli
    .command('doctor')
    .description('Check this machine and this console; exit status 1 when something needs mending')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine({ env: process.env, home: homeOf(process.env), programs });
      const asJson = json === true || cli.opts<{ json?: boolean }>().json === true;
      print(asJson ? toJson(findings) : toLines(findings));
      if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1;
    });
}

/** One line for each finding, and one below it that says what to do. Names in it come from elsewhere. */
function toLines(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, result, detail, mend }) => [
    `${result.padEnd(7)}  ${check.padEnd(width)}  ${detail}`,
    ...(mend === null ? [] : [`${' '.repeat(7)}  ${' '.repeat(width)}  → ${mend}`]),
  ]);
  const bad = findings.filter(({ result }) => result === 'problem').length;
  const end = bad === 0 ? 'Nothing needs mending.' : `${bad} ${bad === 1 ? 'thing needs' : 'things need'} mending.`;
  return asCalled(withoutControls([...lines, '', end].join('\n')));
}
