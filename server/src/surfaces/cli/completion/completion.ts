import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Argument, type Command } from 'commander';
import { findConsole } from '../find-console.ts';
import { withNpx } from '../output.ts';
import { candidatesFor } from './candidates.ts';
import { SCRIPTS, type Shell } from './scripts.ts';

/** Adds `completion`, which prints a script for a shell, and the hidden command `complete` that the scripts call. */
export function addCompletion(cli: Command): void {
  cli
    .command('completion')
    .description('Print a shell script that completes commands, flags, and values such as session titles')
    .addArgument(new Argument('<shell>', 'Shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      withNpx('\nExamples:\n  source <(agent-console completion bash)\n  agent-console completion fish | source'),
    )
    .action((shell: Shell) => void process.stdout.write(SCRIPTS[shell](programOf(process.argv, process.env))));
  cli
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const at = words.indexOf('--url');
      const connect = () => findConsole(process.env, at < 0 ? cli.opts<{ url?: string }>().url : words[at + 1]);
      // Errors are ignored, because a shell must not show them while somebody types.
      const candidates = await candidatesFor(cli, words, connect).catch(() => []);
      for (const { value, description } of candidates) process.stdout.write(`${value}\t${description}\n`);
    });
}

/**
 * Returns the command, quoted for a shell, that starts this program: `agent-console` if the shell finds it on PATH,
 * otherwise Node with the path of the program. npx puts the program on PATH only while npx runs.
 */
export function programOf([node = '', script = '']: readonly string[], env: NodeJS.ProcessEnv): string {
  const isFound =
    env.npm_config_user_agent === undefined &&
    (env.PATH ?? '').split(delimiter).some((folder) => isSameFile(join(folder, 'agent-console'), script));
  return isFound ? 'agent-console' : [node, script].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
