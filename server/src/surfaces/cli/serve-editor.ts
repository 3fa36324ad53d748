import { once } from 'node:events';
import { EDITOR_LINE_MAX_CHARS } from '@agent-console/shared/limits/acp';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { VERSION } from '../../config.ts';
import { connectEditor } from '../acp/agent.ts';
import { LineReader } from './bridge/line-reader.ts';
import { createEditorConsole } from './editor-console.ts';
import type { ConsoleAddress } from './find-console.ts';

/** Serves an editor until stdin ends or a Unix signal arrives. The sessions continue in the console. */
export async function serveEditor(
  find: () => Promise<ConsoleAddress>,
  { agentId, inWorktree }: { agentId: string | undefined; inWorktree: boolean },
): Promise<void> {
  const connection = connectEditor({
    console: createEditorConsole(find),
    stream: standardStreams(),
    version: VERSION,
    agentId,
    inWorktree,
    onError: (error) => process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`),
  });
  const signalled = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  await Promise.race([connection.closed, signalled]);
  connection.close();
  process.stdin.destroy();
}

/** Returns stdin and stdout as a stream of messages. Lines that are too long are rejected, and reading continues. */
function standardStreams(): Stream {
  const { stdin, stdout } = process;
  const print = (text: string | Uint8Array) => new Promise<void>((resolve) => stdout.write(text, () => resolve()));
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const writer = input.writable.getWriter();
  const encoder = new TextEncoder();
  const lines = new LineReader(
    EDITOR_LINE_MAX_CHARS,
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
