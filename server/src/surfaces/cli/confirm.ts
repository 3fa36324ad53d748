import { createInterface } from 'node:readline/promises';
import { fieldError } from '@agent-console/shared/errors';
import { shortId } from '@agent-console/shared/ids';
import type { Contract } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import type { Named } from './ids.ts';

/** Whether a call is destructive and must therefore be confirmed by a person. */
export function isDestructive({ effect }: Contract, input: Readonly<Record<string, unknown>>): boolean {
  return effect === 'destroy' && input.dryRun !== true;
}

/**
 * Shows on stderr what a destructive call names, and asks for confirmation unless `yes` is true. Resolves to false if the
 * person declines.
 * @throws VALIDATION if confirmation is required but nobody can be asked.
 */
export async function confirm(
  contract: Contract,
  named: readonly Named[],
  { yes, asksNobody }: { yes: boolean; asksNobody: boolean },
): Promise<boolean> {
  const descriptions = named.map(({ kind, id, title }) => {
    const noun = kind.replace(/[A-Z]/g, (letter) => ` ${letter}`).replace('mcp Server', 'MCP server');
    return `${noun} ${shortId(id)}${title === '' ? '' : ` "${stripControls(title)}"`}`;
  });
  const isAsked = process.stdin.isTTY === true && process.stderr.isTTY === true && !asksNobody;
  if (!yes && !isAsked) {
    const about = descriptions.length === 0 ? '' : ` (${descriptions.join(', ')})`;
    throw fieldError(
      '--yes',
      `is required, because this command cannot ask for confirmation; without --yes, nothing is changed. To be confirmed: ${contract.summary}${about}`,
    );
  }
  if (descriptions.length > 0 && !asksNobody) process.stderr.write(`${descriptions.join('\n')}\n`);
  if (yes) return true;
  return askYesNo(`${contract.summary}. Continue?`);
}

/** Asks a question on stderr. Resolves to whether the answer is yes. If stdin is closed, the answer is no. */
export async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(`${question} [y/N] `), closed])).trim());
  } finally {
    lines.close();
  }
}
