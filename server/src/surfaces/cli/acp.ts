import { readFile } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Command } from 'commander';
import { homeOf } from '../../config.ts';
import { helpWith } from './examples.ts';
import { type ConsoleAddress, namedAddress, ownerAddress } from './find-console.ts';
import { findOrStart } from './find-or-start.ts';

interface AcpFlags {
  url?: string;
  agent?: string;
  worktree?: true;
  tokenFile?: string;
}

export function addAcp(cli: Command, programs: string): void {
  cli
    .command('acp')
    .description(
      'Act as an agent for an editor: serve the Agent Client Protocol over stdin and stdout, and start the console if needed',
    )
    .option('--url <url>', 'Console URL')
    .option('--agent <id>', 'Id of the agent for new sessions (default: the setting defaultAgentId)')
    .option('--worktree', 'Give each new session in a registered repository its own worktree and branch')
    .option('--token-file <path>', 'File with a token for the console (default: the token in AGENT_CONSOLE_TOKEN)')
    .addHelpText('after', helpWith(['acp --agent claude-code']))
    .action(async (flags: AcpFlags) => {
      const url = flags.url ?? cli.opts<{ url?: string }>().url;
      await findOrStart(url, programs);
      // The module is loaded only here, because no other command needs the Agent Client Protocol.
      const { serveEditor } = await import('./serve-editor.ts');
      const options = { agentId: flags.agent, inWorktree: flags.worktree === true };
      await serveEditor(() => addressOf(url, flags.tokenFile), options);
    });
}

/** Returns the current address of the console, which may change when the console restarts. */
async function addressOf(url: string | undefined, tokenFile: string | undefined): Promise<ConsoleAddress> {
  const { env } = process;
  const address =
    url !== undefined || env.AGENT_CONSOLE_BASE_URL ? namedAddress(env, url) : await ownerAddress(env, homeOf(env));
  if (address === undefined) {
    throw new ConsoleError('RUNNER_UNAVAILABLE', 'No console is running. Start one with `agent-console serve`.');
  }
  if (tokenFile === undefined) return address;
  return { ...address, token: (await readFile(tokenFile, 'utf8')).trim() };
}
