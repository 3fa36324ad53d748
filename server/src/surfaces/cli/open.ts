import type { Command } from 'commander';
import { loginLink, openInBrowser } from './local.ts';
import { print } from './output.ts';
import { findConsole } from './place.ts';

export function addOpen(cli: Command): void {
  cli
    .command('open')
    .description('Print a new link to the dashboard (good once, for a minute), and open it on a desktop')
    .option('--url <url>', 'address of the console')
    .action(async ({ url }: { url?: string }) => {
      const link = await loginLink(await findConsole(process.env, url ?? cli.opts<{ url?: string }>().url));
      print(link);
      openInBrowser(link, process.env);
    });
}
