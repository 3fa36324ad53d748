import type { Command } from 'commander';
import { VERSION } from '../../config.ts';
import { helpWith } from './examples.ts';
import { findConsole } from './find-console.ts';
import { print, toJson } from './output.ts';

export function addVersion(cli: Command): void {
  cli
    .command('version')
    .description('Print the version of this program and of the running console')
    .option('--json', 'Print JSON')
    .option('--url <url>', 'Console URL')
    .addHelpText('after', helpWith(['version --json']))
    .action(async (options: { json?: true; url?: string }) => {
      const global = cli.opts<{ json?: true; url?: string }>();
      const status = await findConsole(process.env, options.url ?? global.url)
        .then((client) => client.call('system.status', {}))
        .catch(() => undefined);
      const server = status?.version ?? null;
      if (options.json ?? global.json) print(toJson({ version: VERSION, server }));
      else print(`agent-console ${VERSION}\nserver ${server ?? 'not running'}`);
    });
}
