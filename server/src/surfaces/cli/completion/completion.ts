import { Argument, type Command } from 'commander';
import { findConsole } from '../find-console.ts';
import { candidatesFor } from './candidates.ts';
import { SCRIPTS, type Shell } from './scripts.ts';

/** Adds `completion`, which prints a script for a shell, and the hidden command `complete` that the scripts call. */
export function addCompletion(cli: Command): void {
  cli
    .command('completion')
    .description('Print a shell script that completes commands, flags, and names such as titles of sessions')
    .addArgument(new Argument('<shell>', 'Shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(agent-console completion bash)\n  agent-console completion fish | source',
    )
    .action((shell: Shell) => void process.stdout.write(SCRIPTS[shell]));
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
