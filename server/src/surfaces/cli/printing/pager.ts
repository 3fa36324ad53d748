import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Exit status of a shell whose command was not found. */
const NOT_FOUND = 127;

/**
 * Shows a text in the pager of the terminal: `AGENT_CONSOLE_PAGER`, `PAGER`, or less. Prints it if there is no terminal
 * or no pager.
 */
export async function page(text: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const pager = env.AGENT_CONSOLE_PAGER ?? env.PAGER ?? 'less';
  if (!process.stdout.isTTY || pager.trim() === '' || pager === 'cat' || text === '') {
    process.stdout.write(text);
    return;
  }
  // `less` prints a text that fits on the screen and keeps colours.
  const child = spawn(pager, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...env },
  });
  const ignore = () => undefined;
  // Ctrl-C belongs to the pager, and a pager that was left early reads no more.
  process.on('SIGINT', ignore);
  child.stdin.on('error', ignore);
  child.stdin.end(text);
  const [code] = (await once(child, 'close').catch(() => [NOT_FOUND])) as [number | null];
  process.off('SIGINT', ignore);
  if (code === NOT_FOUND) process.stdout.write(text);
}
