import type { Command } from 'commander';
import { homeOf, readConfig } from '../../config.ts';
import { helpWith } from './examples.ts';
import { type ServeFlags, serveInForeground } from './foreground.ts';
import { printIntroduction } from './introduction.ts';
import { printReplacement, startServer } from './launch.ts';

export function addServe(cli: Command, programs: string): void {
  cli
    .command('serve')
    .description('Start the console and follow its log; Ctrl-C stops the server, agents keep running')
    .option('--port <port>', 'Port to listen on (default: PORT, then 3457; 0 chooses a free port)')
    .option(
      '--host <address>',
      'Address to listen on (default: HOST, then loopback); other addresses require AGENT_CONSOLE_AUTH=token',
    )
    .option('--detach', 'Start the console in the background, and return once it is running')
    .addHelpText('after', helpWith(['serve --port 4000 --detach']))
    .action(async ({ detach = false, ...flags }: ServeFlags & { detach?: boolean }) => {
      if (detach) await startAndReturn(flags, programs);
      else process.exitCode = await serveInForeground(flags, programs);
    });
}

/** Adds the hidden command `introduce`, with which `serve` prints the introduction in a separate process. */
export function addIntroduce(cli: Command): void {
  cli
    .command('introduce <port> <pid> <hosts...>', { hidden: true })
    .action((port: string, pid: string, hosts: string[]) =>
      printIntroduction({ port: Number(port), pid: Number(pid), hosts }, homeOf(process.env)),
    );
}

async function startAndReturn(flags: ServeFlags, programs: string): Promise<void> {
  const config = readConfig(process.env, flags);
  const started = await startServer(config, programs, process.env);
  try {
    printReplacement(started);
    await printIntroduction(started, config.home);
  } finally {
    started.runner.close();
  }
}
