import { contractOf } from '@agent-console/shared/operations/table';
import { type Command, Option } from 'commander';
import { createClient } from './client.ts';
import { helpWith } from './examples.ts';
import { findAddress } from './find-console.ts';
import { followOutput, outputPrinter } from './follow-output.ts';
import { sessionIdOf } from './ids.ts';
import { pageIfLong } from './printing/pager.ts';

export function addLogs(cli: Command): void {
  cli
    .command('logs')
    .description('Print the newest output of a session, and follow it with -f')
    .argument('[session]', 'Name, title or id of the session (default: the one in which this command runs)')
    .option('-f, --follow', 'Print further output as it comes, until no agent or terminal of the session is running')
    .option('--no-pager', 'Print without a pager')
    .addOption(new Option('--url <url>', 'Console URL'))
    .addHelpText('after', helpWith(['logs "Fix the login" -f']))
    .action(async (session: string | undefined, options: { follow?: true; pager: boolean; url?: string }) => {
      const address = await findAddress(process.env, options.url ?? cli.opts<{ url?: string }>().url);
      const insideWorker = Boolean(process.env.AGENT_CONSOLE_WORKER_ID);
      const client = createClient({ ...address, insideWorker, waits: options.follow === true });
      const sessionId = await sessionIdOf(client, contractOf('sessions.output'), session);
      if (options.follow !== true) {
        let text = '';
        await outputPrinter(client, sessionId, (part) => {
          text += part;
        })();
        await pageIfLong(text, { pager: options.pager });
        return;
      }
      const ended = new AbortController();
      const end = () => ended.abort();
      process.once('SIGINT', end).once('SIGTERM', end);
      try {
        await followOutput({
          address,
          client,
          sessionId,
          signal: ended.signal,
          write: (text) => process.stdout.write(text),
        });
      } finally {
        process.off('SIGINT', end).off('SIGTERM', end);
      }
    });
}
