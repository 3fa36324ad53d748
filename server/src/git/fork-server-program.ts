// Runs programs for the server that started it (`fork-server.ts`), and exits with it.
import type { FromForkServer, SentSpec, ToForkServer } from './fork-server.ts';
import { runProcess } from './process.ts';

interface Run {
  abort: AbortController;
  /** Resolves the answer to the last `stdout` message. */
  answer(next: 'continue' | 'stop'): void;
}

const runs = new Map<number, Run>();

const send = (message: FromForkServer) => {
  // An error means that the server has gone, which `disconnect` reports.
  if (process.connected) process.send?.(message, undefined, {}, () => {});
};

async function run(id: number, { sendsStderr, ...spec }: SentSpec): Promise<void> {
  const abort = new AbortController();
  const own: Run = { abort, answer: () => {} };
  runs.set(id, own);
  try {
    const end = await runProcess({
      ...spec,
      signal: abort.signal,
      onStart: (pid) => send({ id, event: 'started', pid }),
      onStdout(chunk) {
        send({ id, event: 'stdout', chunk });
        return new Promise((resolve) => {
          own.answer = resolve;
        });
      },
      onStderr: sendsStderr ? (text) => send({ id, event: 'stderr', text }) : undefined,
    });
    send({ id, event: 'ended', end });
  } catch (error) {
    const { message } = error as Error;
    send({ id, event: 'failed', message, details: { ...(error as object) } });
  } finally {
    runs.delete(id);
  }
}

process.on('message', (message: ToForkServer) => {
  if (message.do === 'run') void run(message.id, message.spec);
  else if (message.do === 'abort') runs.get(message.id)?.abort.abort();
  else runs.get(message.id)?.answer(message.do);
});
// As when a server starts git itself, what still runs goes on without a reader.
process.on('disconnect', () => process.exit());
