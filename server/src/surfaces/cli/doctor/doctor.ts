import { stripControls } from '@agent-console/shared/text';
import type { Command } from 'commander';
import { homeOf } from '../../../config.ts';
import { helpWith } from '../examples.ts';
import { print, toJson, withNpx } from '../output.ts';
import { checkFiles } from './files.ts';
import type { Finding, Installation } from './finding.ts';
import { checkFreeable } from './freeable.ts';
import { checkLimits } from './limits.ts';
import { checkMachine } from './machine.ts';
import { checkDatabase } from './records.ts';
import { checkRunning } from './running.ts';
import { checkWorktrees } from './worktrees.ts';

/** Adds `doctor`, which inspects the machine and the data directory, changes nothing, and suggests fixes. */
export function addDoctor(cli: Command, programs: string): void {
  cli
    .command('doctor')
    .description('Check this machine and this console (exit status 1 if there are problems)')
    .option('--json', 'Print JSON')
    .addHelpText('after', helpWith(['doctor --json']))
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine({ env: process.env, home: homeOf(process.env), programs });
      const asJson = json === true || cli.opts<{ json?: boolean }>().json === true;
      print(asJson ? toJson(findings) : toLines(findings));
      if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1;
    });
}

/**
 * Returns findings about the machine, the data directory, the database, the running processes, the worktrees and the
 * space that can be freed, in this order.
 */
export async function examine(installation: Installation): Promise<Finding[]> {
  const [machine, limits, files, { findings: database, records }] = await Promise.all([
    checkMachine(installation),
    checkLimits(),
    checkFiles(installation),
    checkDatabase(installation),
  ]);
  const running = await checkRunning(installation, records);
  const worktrees = records === undefined ? [] : await checkWorktrees(installation, records);
  const freeable = records === undefined ? [] : await checkFreeable(installation, records);
  return [...machine, ...limits, ...files, ...database, ...running, ...worktrees, ...freeable];
}

/**
 * Formats findings as lines with their fixes. Removes control characters, which names of files and branches may
 * contain.
 */
function toLines(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, result, detail, mend }) => [
    `${result.padEnd(7)}  ${check.padEnd(width)}  ${detail}`,
    ...(mend === null ? [] : [`${' '.repeat(7)}  ${' '.repeat(width)}  → ${mend}`]),
  ]);
  const problems = findings.filter(({ result }) => result === 'problem').length;
  const summary = problems === 0 ? 'No problems found.' : `${problems} problem${problems === 1 ? '' : 's'} found.`;
  return withNpx(stripControls([...lines, '', summary].join('\n')));
}
