import type { Command } from 'commander';
import { helpWith } from './examples.ts';
import { findConsole } from './find-console.ts';
import { loginLink, openInBrowser } from './introduction.ts';
import { print } from './output.ts';

export function addOpen(cli: Command): void {
  cli
    .command('open')
    .description('Print a login link to the dashboard (valid once, for a minute) and open it in the browser')
    .option('--url <url>', 'Console URL')
    .addHelpText('after', helpWith(['open']))
    .action(async ({ url }: { url?: string }) => {
      const link = await loginLink(await findConsole(process.env, url ?? cli.opts<{ url?: string }>().url));
      print(link);
      openInBrowser(link, process.env);
    });
}
