import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { Command } from 'commander';
import { homeOf, VERSION } from '../../config.ts';
import { connectEditor } from '../acp/agent.ts';
import { LineReader } from './bridge/line-reader.ts';
import { createEditorConsole } from './editor-console.ts';
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
      'Be an agent for an editor: serve the Agent Client Protocol over stdin and stdout; starts the console if needed',
    )
    .option('--url <url>', 'Console URL')
    .option('--agent <id>', 'Agent definition of new sessions (default: the setting defaultAgentId)')
    .option('--worktree', 'Give each new session in a known repository its own worktree and branch')
    .option('--token-file <path>', 'File that contains a token (default: AGENT_CONSOLE_TOKEN)')
    .action(async (flags: AcpFlags) => {
      const url = flags.url ?? cli.opts<{ url?: string }>().url;
      await findOrStart(url, programs);
      await serve(() => addressOf(url, flags.tokenFile), flags);
    });
}

/** Returns the current address of the console, which may have changed since it was started. */
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

/** Runs until stdin ends or a Unix signal arrives. The sessions continue in the console. */
async function serve(find: () => Promise<ConsoleAddress>, { agent, worktree }: AcpFlags): Promise<void> {
  const { env } = process;
  const connection = connectEditor({
    console: createEditorConsole(find),
    stream: standardStreams(),
    version: VERSION,
    agentId: agent,
    inWorktree: worktree === true,
    isWorker: Boolean(env.AGENT_CONSOLE_WORKER_ID) || env.AGENT_CONSOLE_TOKEN?.startsWith('acw_') === true,
    onError: (error) => process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`),
  });
  const signalled = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  await Promise.race([connection.closed, signalled]);
  connection.close();
  process.stdin.destroy();
}

/** Returns stdin and stdout as a stream of messages. Lines that are too long are refused, and reading continues. */
function standardStreams(): Stream {
  const { stdin, stdout } = process;
  const print = (text: string | Uint8Array) => new Promise<void>((resolve) => stdout.write(text, () => resolve()));
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const writer = input.writable.getWriter();
  const encoder = new TextEncoder();
  const lines = new LineReader(
    (line) => void writer.write(encoder.encode(`${line}\n`)).catch(() => undefined),
    () => void print(`${JSON.stringify(TOO_LONG)}\n`),
  );
  stdin.on('data', (chunk: Buffer) => lines.push(chunk));
  stdin.once('end', () => {
    lines.end();
    void writer.close().catch(() => undefined);
  });
  return ndJsonStream(new WritableStream({ write: print }), input.readable);
}

const TOO_LONG = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'TOO_LARGE: The message is too large. Send a shorter one.' },
};
