import { stripControls } from '@agent-console/shared/text';
import { createNotifier, listenToEvents } from './changes.ts';
import type { ConsoleClient } from './client.ts';
import type { ConsoleAddress } from './find-console.ts';
import { liveTerminalOf, openTerminal } from './terminal-socket.ts';

interface Following {
  address: ConsoleAddress;
  client: ConsoleClient;
  sessionId: string;
  signal: AbortSignal;
  write: (text: string) => void;
}

/**
 * Prints the output of a session as text when it arrives, until the session has no live agent or terminal, or `signal`
 * is aborted. Events and the terminal's socket only signal that there is new output. The output itself is read with
 * `sessions.output`.
 */
export async function followOutput({ address, client, sessionId, signal, write }: Following): Promise<void> {
  const ended = new AbortController();
  const end = AbortSignal.any([signal, ended.signal]);
  const notifier = createNotifier(end);
  const printNew = outputPrinter(client, sessionId, write);
  let followed: string | undefined;
  void listenToEvents(address, end, notifier.notify);
  try {
    while (await notifier.wait()) {
      const { workers } = await client.call('sessions.get', { sessionId });
      const worker = liveTerminalOf(workers);
      if (worker !== undefined && worker.id !== followed) {
        followed = worker.id;
        const target = { sessionId, workerId: worker.id };
        const socket = openTerminal(address, target, { onOutput: notifier.notify, onFrame: () => undefined });
        end.addEventListener('abort', () => socket.close(), { once: true });
        socket.closed.catch(() => undefined).finally(notifier.notify);
      }
      // A session that was just created has no worker and no output yet. The loop then waits for the worker.
      if (workers.length > 0) await printNew();
      if (worker === undefined && workers.length > 0) return;
    }
    // When `signal` is aborted, prints new output once more, because a notification about it may not have arrived yet.
    await printNew().catch(() => undefined);
  } finally {
    ended.abort();
  }
}

/** Returns a function that prints the session's output since the last call. The first call prints the newest output. */
export function outputPrinter(
  client: ConsoleClient,
  sessionId: string,
  write: (text: string) => void,
): () => Promise<void> {
  let offset: number | undefined;
  let hasScreen = false;
  return async () => {
    for (;;) {
      const since = offset === undefined ? {} : { sinceOffset: offset };
      const page = await client.call('sessions.output', { sessionId, ...since });
      const text = stripControls(page.text);
      // Every read of a full-screen program returns its whole screen, so only the first screen is printed.
      const isRepeated = page.rendered === 'screen' && hasScreen;
      hasScreen ||= page.rendered === 'screen';
      if (text !== '' && !isRepeated) write(text.endsWith('\n') ? text : `${text}\n`);
      const isLast = !page.truncated || page.nextOffset === offset;
      offset = page.nextOffset;
      if (isLast) return;
    }
  };
}
