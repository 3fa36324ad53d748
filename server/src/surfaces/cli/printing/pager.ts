import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Exit status of a shell whose command was not found. */
const NOT_FOUND = 127;

/**
 * Shows a text in the pager of the terminal: `AGENT_CONSOLE_PAGER`, `PAGER`, or less. Prints the text instead if there
 * is no terminal, or if the pager is turned off or not found.
 */
export async function page(text: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const pager = env.AGENT_CONSOLE_PAGER ?? env.PAGER ?? 'less';
  if (!process.stdout.isTTY || pager.trim() === '' || pager === 'cat' || text === '') {
    process.stdout.write(text);
    return;
  }
  // Options for `less`: exit if the text fits on the screen (F), show colours (R), do not clear the screen (X).
  const child = spawn(pager, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...env },
  });
  const ignore = () => undefined;
  // Ctrl-C is meant for the pager, so this process ignores it. Write errors are ignored too, because a pager may quit
  // before it has read everything.
  process.on('SIGINT', ignore);
  child.stdin.on('error', ignore);
  child.stdin.end(text);
  const [code] = (await once(child, 'close').catch(() => [NOT_FOUND])) as [number | null];
  process.off('SIGINT', ignore);
  if (code === NOT_FOUND) process.stdout.write(text);
}

/** Prints a text. If `pager` is true and the text has more lines than the terminal, shows the text in the pager. */
export async function pageIfLong(text: string, { pager }: { pager: boolean }): Promise<void> {
  const isLong = text.split('\n').length > (process.stdout.rows ?? Number.POSITIVE_INFINITY);
  if (pager && isLong) await page(text);
  else process.stdout.write(text);
}
