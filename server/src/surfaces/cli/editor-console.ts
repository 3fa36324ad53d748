import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { CLIENT_RETRY_MS, CLIENT_RETRY_PAUSE_MAX_MS, CLIENT_RETRY_PAUSE_MS } from '@agent-console/shared/limits/calls';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { contractOf } from '@agent-console/shared/operations/table';
import type { EditorConsole, EventListener } from '../acp/console.ts';
import { createClient } from './client.ts';
import type { ConsoleAddress } from './find-console.ts';
import { serverSentEvents } from './server-sent-events.ts';

/** Errors that may disappear by themselves: the console restarts, or has a new address or token since. */
const TRANSIENT: ReadonlySet<string> = new Set(['BUSY', 'RUNNER_UNAVAILABLE', 'UNAUTHENTICATED']);

/**
 * Creates the console of an editor from its address, which is looked up again whenever the console does not answer.
 * @param find returns the current address
 */
export function createEditorConsole(find: () => Promise<ConsoleAddress>): EditorConsole {
  let address: Promise<ConsoleAddress> | undefined;

  const current = () => {
    address ??= find();
    return address;
  };

  /** Runs `attempt` until it succeeds, fails for good, or the console has been gone for CLIENT_RETRY_MS. */
  async function retry<T>(attempt: (address: ConsoleAddress) => Promise<T>): Promise<T> {
    const until = performance.now() + CLIENT_RETRY_MS;
    for (let pause = CLIENT_RETRY_PAUSE_MS; ; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      const used = await current();
      try {
        return await attempt(used);
      } catch (error) {
        if (!(error instanceof ConsoleError) || !TRANSIENT.has(error.code)) throw error;
        address = undefined;
        const { token } = await current();
        if (error.code === 'UNAUTHENTICATED' && token === used.token) throw error;
        if (performance.now() + pause > until) throw error;
      }
      await delay(pause);
    }
  }

  async function follow(
    listener: EventListener,
    signal: AbortSignal,
    opened: () => void,
    refused: (error: Error) => void,
  ) {
    let cursor: string | undefined;
    let since = performance.now();
    for (let pause = CLIENT_RETRY_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      try {
        const response = await openStream(await current(), cursor, signal);
        for await (const { id, event, data } of serverSentEvents(response)) {
          cursor = id ?? cursor;
          pause = CLIENT_RETRY_PAUSE_MS;
          since = performance.now();
          opened();
          if (event === 'gap') listener.gap();
          else if (data !== null) listener.event(JSON.parse(data) as ConsoleEvent);
        }
      } catch (error) {
        if (signal.aborted) return;
        const known = error instanceof ConsoleError ? error : unreachable(error);
        if (!TRANSIENT.has(known.code)) refused(known);
        if (performance.now() - since > CLIENT_RETRY_MS) {
          refused(known);
          listener.unreachable(known);
        }
        address = undefined;
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    call(name, input) {
      const contract = contractOf(name);
      // One key for all attempts, so that a change whose answer was lost is not made again.
      const key = contract.idempotent === true ? { idempotencyKey: randomUUID() } : {};
      const attempt = (used: ConsoleAddress) =>
        createClient({ ...used, insideWorker: false }).run(contract, { ...key, ...input });
      return retry(attempt) as Promise<never>;
    },
    follow: (listener, signal) =>
      new Promise((resolve, reject) => {
        follow(listener, signal, resolve, reject).catch(reject);
      }),
  };
}

function unreachable(cause: unknown): ConsoleError {
  return new ConsoleError('RUNNER_UNAVAILABLE', 'The console does not answer.', {}, { cause });
}

async function openStream({ baseUrl, token }: ConsoleAddress, cursor: string | undefined, signal: AbortSignal) {
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (cursor !== undefined) headers['last-event-id'] = cursor;
  const url = `${baseUrl.replace(/\/+$/, '')}/api/events/stream`;
  const response = await fetch(url, { headers, signal, redirect: 'error' });
  if (response.ok && response.body !== null) return response.body;
  const body: unknown = await response.json().catch(() => undefined);
  throw ConsoleError.fromBody(body) ?? new ConsoleError('INTERNAL', `${url} returned status ${response.status}.`);
}
