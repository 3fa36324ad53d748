import type { Command } from 'commander';
import { runBridge } from './bridge/run.ts';
import { helpWith } from './examples.ts';
import type { ConsoleAddress } from './find-console.ts';
import { findOrStart } from './find-or-start.ts';

interface McpFlags {
  url?: string;
  toolsets?: string;
}

export function addMcp(cli: Command, programs: string): void {
  cli
    .command('mcp')
    .description('Serve MCP over stdin and stdout')
    .command('serve')
    .description(
      'Serve MCP over stdin and stdout, for clients that start MCP servers themselves, and start the console if needed',
    )
    .option('--url <url>', 'Console URL')
    .option(
      '--toolsets <list>',
      'Tool sets whose tools to list: names separated by commas (e.g. delegation,sessions), or all',
    )
    .addHelpText('after', helpWith(['mcp serve --toolsets delegation,sessions']))
    .action(async (flags: McpFlags) => {
      const url = flags.url ?? cli.opts<{ url?: string }>().url;
      await serve(await findOrStart(url, programs), flags.toolsets);
    });
}

async function serve({ baseUrl, token }: ConsoleAddress, toolsets: string | undefined): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  await runBridge({ baseUrl, token, toolsets, input: process.stdin, output: process.stdout, signalled });
}
