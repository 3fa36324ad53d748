// The fork server (`fork-server.ts`): runs programs for the server that started it, and exits with that server.
import type { FromForkServer, SentSpec, ToForkServer } from './fork-server.ts';
import { runProcess } from './process.ts';

interface Run {
  abort: AbortController;
  /** Called with the server's reply to the last `stdout` message. */
  answer(next: 'continue' | 'stop'): void;
}

const runs = new Map<number, Run>();

const send = (message: FromForkServer) => {
  // The error is ignored: it means that the server has exited, which the event `disconnect` reports.
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
// The server has ended. Programs that still run continue without a reader of their output, as if the server itself had
// started them.
process.on('disconnect', () => process.exit());
