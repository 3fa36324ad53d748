import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { CALL_GRACE_MS, CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import type { Command } from 'commander';
import { createBridge } from './bridge/bridge.ts';
import { LineReader } from './bridge/line-reader.ts';
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
      'Serve MCP over stdin and stdout, for clients that start MCP servers themselves; starts the console if needed',
    )
    .option('--url <url>', 'Console URL')
    .option('--toolsets <list>', 'Tool sets to list, separated by commas (e.g. delegation,sessions), or all')
    .action(async (flags: McpFlags) => {
      const url = flags.url ?? cli.opts<{ url?: string }>().url;
      await serve(await findOrStart(url, programs), flags.toolsets);
    });
}

/** Runs until stdin ends and every request is answered, or a Unix signal arrives. Stdout carries only messages. */
async function serve({ baseUrl, token }: ConsoleAddress, toolsets: string | undefined): Promise<void> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/mcp`);
  if (toolsets !== undefined) url.searchParams.set('toolsets', toolsets);
  const write = (message: object) => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  };
  const bridge = createBridge({ url: url.href, token, write });
  const lines = new LineReader(bridge.receive, () =>
    write({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'TOO_LARGE: The message is too large. Send a shorter one.' },
    }),
  );
  process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  const inputEnded = once(process.stdin, 'end').catch(() => undefined);
  await Promise.race([signalled, inputEnded]);
  lines.end();
  const timeout = delay(CALL_MAX_MS + CALL_GRACE_MS, undefined, { ref: false });
  await Promise.race([bridge.settled(), timeout, signalled]);
  await bridge.close();
}
