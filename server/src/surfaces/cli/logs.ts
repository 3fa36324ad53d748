import { contractOf } from '@agent-console/shared/operations/table';
import { type Command, Option } from 'commander';
import { createClient } from './client.ts';
import { helpWith } from './examples.ts';
import { findAddress } from './find-console.ts';
import { followOutput, outputPrinter } from './follow-output.ts';
import { sessionIdOf } from './ids.ts';

/** Adds `logs`, which prints the output of a session and follows it. */
export function addLogs(cli: Command): void {
  cli
    .command('logs')
    .description('Print the newest output of a session, and follow it')
    .argument('[session]', 'Name, title or id of the session (default: that of this terminal)')
    .option('-f, --follow', 'Print further output as it comes, until the process ends')
    .addOption(new Option('--url <url>', 'Console URL'))
    .addHelpText('after', helpWith(['logs "Fix the login" -f']))
    .action(async (session: string | undefined, options: { follow?: true; url?: string }) => {
      const address = await findAddress(process.env, options.url ?? cli.opts<{ url?: string }>().url);
      const client = createClient({ ...address, insideWorker: Boolean(process.env.AGENT_CONSOLE_WORKER_ID) });
      const sessionId = await sessionIdOf(client, contractOf('sessions.output'), session);
      const write = (text: string) => process.stdout.write(text);
      if (options.follow !== true) {
        await outputPrinter(client, sessionId, write)();
        return;
      }
      const ended = new AbortController();
      const end = () => ended.abort();
      process.once('SIGINT', end).once('SIGTERM', end);
      try {
        await followOutput({ address, client, sessionId, signal: ended.signal, write });
      } finally {
        process.off('SIGINT', end).off('SIGTERM', end);
      }
    });
}
