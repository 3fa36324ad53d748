import { CALL_GRACE_MS, CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import type { Command } from 'commander';
import { homeOf, readConfig } from '../../config.ts';
import { createBridge } from './bridge/bridge.ts';
import { Lines } from './bridge/lines.ts';
import { startServer } from './local.ts';
import { type Place, placeOf, runningPlace } from './place.ts';

interface McpFlags {
  url?: string;
  toolsets?: string;
}

export function addMcp(cli: Command, programs: string): void {
  cli
    .command('mcp')
    .description('Speak MCP')
    .command('serve')
    .description('Speak MCP on stdin and stdout, for clients that start their servers; starts the console if none runs')
    .option('--url <url>', 'address of the console')
    .option('--toolsets <list>', 'tools to list, e.g. delegation,sessions or all')
    .action(async (flags: McpFlags) => {
      const url = flags.url ?? cli.opts<{ url?: string }>().url;
      await serve(await findPlace(url, programs), flags.toolsets);
    });
}

/**
 * Where the client's console is; started when this data directory has none. A person's own token file is not used: an
 * agent that was started outside the console must not act as that person.
 */
async function findPlace(url: string | undefined, programs: string): Promise<Place> {
  const { env } = process;
  if (url !== undefined || env.AGENT_CONSOLE_BASE_URL) return placeOf(env, url);
  const running = await runningPlace(env, homeOf(env));
  if (running !== undefined) return running;
  const { runner, client } = await startServer(readConfig(env), programs, env);
  runner.close();
  process.stderr.write(`Started Agent Console at ${client.baseUrl}\n`);
  return { baseUrl: client.baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined };
}

/** Until stdin ends and what was asked before is answered. Nothing but the protocol is written to stdout. */
async function serve({ baseUrl, token }: Place, toolsets: string | undefined): Promise<void> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/mcp`);
  if (toolsets !== undefined) url.searchParams.set('toolsets', toolsets);
  const write = (message: object) => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  };
  const bridge = createBridge({ url: url.href, token, write });
  const lines = new Lines(bridge.take, () =>
    write({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'TOO_LARGE: The message is too large.' } }),
  );
  process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('error', resolve);
  });
  await Promise.race([asked, ended]);
  lines.end();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CALL_MAX_MS + CALL_GRACE_MS);
  });
  await Promise.race([bridge.answered(), late, asked]);
  clearTimeout(timer);
  await bridge.close();
}
