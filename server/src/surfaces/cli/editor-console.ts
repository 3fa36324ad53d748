import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { CLIENT_RETRY_MS, CLIENT_RETRY_PAUSE_MAX_MS, CLIENT_RETRY_PAUSE_MS } from '@agent-console/shared/limits/calls';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { contractOf } from '@agent-console/shared/operations/table';
import type { EditorConsole, EventListener } from '../acp/console.ts';
import { createClient } from './client.ts';
import type { ConsoleAddress } from './find-console.ts';
import { openEventStream, serverSentEvents } from './server-sent-events.ts';

/** Codes of errors that a restart of the console can cause, so a later attempt may succeed. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['BUSY', 'RUNNER_UNAVAILABLE']);

/**
 * Creates the connection of an editor to a console. The console's address is determined again whenever the console does
 * not respond.
 * @param find returns the current address
 */
export function createEditorConsole(find: () => Promise<ConsoleAddress>): EditorConsole {
  let known: ConsoleAddress | undefined;

  /**
   * Forgets the address that the failed call used. Returns whether the call may succeed when it is repeated. After
   * UNAUTHENTICATED, it may succeed if the console was restarted and now has another token.
   */
  async function mayRecover(error: ConsoleError, used: ConsoleAddress | undefined): Promise<boolean> {
    known = undefined;
    if (error.code !== 'UNAUTHENTICATED') return TRANSIENT_CODES.has(error.code);
    known = await find().catch(() => undefined);
    return known !== undefined && known.token !== used?.token;
  }

  /**
   * Runs `attempt` until it succeeds, fails with a permanent error, or has failed for CLIENT_RETRY_MS.
   */
  async function retry<T>(attempt: (address: ConsoleAddress) => Promise<T>): Promise<T> {
    const until = performance.now() + CLIENT_RETRY_MS;
    for (let pause = CLIENT_RETRY_PAUSE_MS; ; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      let used: ConsoleAddress | undefined;
      try {
        used = known ??= await find();
        return await attempt(used);
      } catch (error) {
        if (!(error instanceof ConsoleError) || !(await mayRecover(error, used))) throw error;
        if (performance.now() + pause > until) throw error;
      }
      await delay(pause);
    }
  }

  async function follow(listener: EventListener, signal: AbortSignal, opened: () => void) {
    let isOpen = false;
    let cursor: string | undefined;
    let since = performance.now();
    for (let pause = CLIENT_RETRY_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      let used: ConsoleAddress | undefined;
      try {
        used = known ??= await find();
        const response = await openEventStream(used, '/events/stream', cursor, signal);
        for await (const { id, event, data } of serverSentEvents(response)) {
          cursor = id ?? cursor;
          pause = CLIENT_RETRY_PAUSE_MS;
          since = performance.now();
          isOpen = true;
          opened();
          if (event === 'gap') listener.gap();
          else if (data !== null) listener.event(JSON.parse(data) as ConsoleEvent);
        }
      } catch (cause) {
        if (signal.aborted) return;
        const error = cause instanceof ConsoleError ? cause : unreachable(cause);
        const shouldRetry = (await mayRecover(error, used)) && performance.now() - since < CLIENT_RETRY_MS;
        if (!shouldRetry) {
          if (!isOpen) throw error;
          listener.unreachable(error);
        }
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    call(name, input) {
      const contract = contractOf(name);
      // All attempts have the same idempotency key, so that a change whose response was lost is not made twice.
      const key = contract.idempotent === true ? { idempotencyKey: randomUUID() } : {};
      const attempt = (used: ConsoleAddress) =>
        createClient({ ...used, insideWorker: false }).run(contract, { ...key, ...input });
      return retry(attempt) as Promise<never>;
    },
    follow: (listener, signal) =>
      new Promise((resolve, reject) => {
        follow(listener, signal, resolve).catch(reject);
      }),
  };
}

function unreachable(cause: unknown): ConsoleError {
  return new ConsoleError('RUNNER_UNAVAILABLE', 'The console does not answer.', {}, { cause });
}
