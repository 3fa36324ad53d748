import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { BODY_MAX_BYTES, CALL_GRACE_MS, CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { createBridge } from './bridge.ts';
import { LineReader } from './line-reader.ts';

export interface BridgeStreams {
  baseUrl: string;
  token: string | undefined;
  /** Names of the tool sets whose tools the console lists to the client, separated by commas. */
  toolsets: string | undefined;
  /** JSON-RPC messages from the client, one per line. */
  input: Readable;
  /** Receives only JSON-RPC messages, one per line. */
  output: Writable;
  /** Resolves when a Unix signal has arrived. The bridge then ends without waiting for open requests. */
  signalled: Promise<void>;
}

/**
 * Serves one MCP client until the input ends and every request is answered, or until `signalled` resolves. After the
 * end of the input, waits at most CALL_MAX_MS + CALL_GRACE_MS for the responses.
 */
export async function runBridge(streams: BridgeStreams): Promise<void> {
  const { baseUrl, token, toolsets, input, output, signalled } = streams;
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/mcp`);
  if (toolsets !== undefined) url.searchParams.set('toolsets', toolsets);
  const write = (message: object) => {
    output.write(`${JSON.stringify(message)}\n`);
  };
  const bridge = createBridge({ url: url.href, token, write });
  // The server rejects larger messages, so the bridge rejects them itself and does not send them.
  const lines = new LineReader(BODY_MAX_BYTES, bridge.receive, () =>
    write({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'TOO_LARGE: The message is too large. Send a shorter one.' },
    }),
  );
  input.on('data', (chunk: Buffer) => lines.push(chunk));
  const inputEnded = once(input, 'end').catch(() => undefined);
  await Promise.race([signalled, inputEnded]);
  lines.end();
  const timeout = delay(CALL_MAX_MS + CALL_GRACE_MS, undefined, { ref: false });
  await Promise.race([bridge.settled(), timeout, signalled]);
  await bridge.close();
}
