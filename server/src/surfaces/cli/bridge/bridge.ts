import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '@agent-console/shared/deadline';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  CLIENT_CALL_MS,
  CLIENT_RETRY_MS,
  CLIENT_RETRY_PAUSE_MAX_MS,
  CLIENT_RETRY_PAUSE_MS,
} from '@agent-console/shared/limits/calls';
import { MCP_BRIDGE_OPEN_MAX } from '@agent-console/shared/limits/mcp';
import { serverSentEvents } from '../server-sent-events.ts';
import {
  isRepeatable,
  isRequest,
  type Message,
  modernHeaders,
  parseMessage,
  type Request,
  revisionOf,
  saysRestarting,
} from './messages.ts';

export interface BridgeOptions {
  /** URL of the console's endpoint `/mcp`, with its query. */
  url: string;
  token: string | undefined;
  /** Called with every message for the client, in order. */
  write: (message: object) => void;
}

/**
 * Forwards the messages of one MCP client between stdin/stdout and a console's `/mcp`, in the 2025 and 2026 revisions
 * of MCP.
 */
export interface Bridge {
  /** Forwards the message in a line from the client to the console. */
  receive(line: string): void;
  /** Resolves when every request is answered. Subscriptions, which stay open, are not awaited. */
  settled(): Promise<void>;
  /** Aborts open requests and deletes the MCP session. */
  close(): Promise<void>;
}

interface OpenRequest {
  cancel: AbortController;
  isModern: boolean;
}

/**
 * A session of the 2025 revisions, with the client's `initialize` message, which is sent again to replace a lost
 * session.
 */
interface Session {
  id: string;
  version: string;
  opening: Message;
}

const LISTEN = 'subscriptions/listen';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

export function createBridge({ url, token, write }: BridgeOptions): Bridge {
  const closed = new AbortController();
  const open = new Map<string | number, OpenRequest>();
  const pending = new Set<Promise<void>>();
  let session: Session | undefined;
  let reopening: Promise<void> | undefined;
  /** URIs of the resources that the client watches in its session. */
  const watched = new Set<string>();
  let initialized: Promise<void> = Promise.resolve();

  const refuse = (id: Message['id'], code: number, message: string) =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });

  function headersFor(message: Message | undefined, used = session): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (message !== undefined) headers['content-type'] = 'application/json';
    const revision = message === undefined ? undefined : revisionOf(message);
    if (message !== undefined && revision !== undefined) return { ...headers, ...modernHeaders(message, revision) };
    if (used === undefined || message?.method === 'initialize') return headers;
    return { ...headers, 'mcp-session-id': used.id, 'mcp-protocol-version': used.version };
  }

  /**
   * Sends a message and passes the response to `read`, whose result it returns. Rejects after CLIENT_CALL_MS, unless
   * the message opens a subscription.
   */
  async function send<T>(
    message: Message,
    key: string,
    signal: AbortSignal,
    read: (response: Response) => Promise<T>,
    used = session,
  ): Promise<T> {
    const headers = { ...headersFor(message, used), 'idempotency-key': key };
    const body = JSON.stringify(message);
    const post = (limited: AbortSignal) =>
      fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: limited });
    if (message.method === LISTEN) return read(await post(signal));
    const limit = withDeadline(signal, CLIENT_CALL_MS);
    try {
      return await read(await post(limit.signal));
    } finally {
      limit.release();
    }
  }

  /**
   * Sends a message and forwards the response. While the console is unreachable, repeats a message that can safely be
   * repeated: for up to CLIENT_RETRY_MS, or without a limit if it opens a subscription.
   */
  async function deliver(message: Message, signal: AbortSignal): Promise<void> {
    const key = randomUUID();
    const until = message.method === LISTEN ? Number.POSITIVE_INFINITY : performance.now() + CLIENT_RETRY_MS;
    const subscription = { isAcknowledged: false };
    for (let pause = CLIENT_RETRY_PAUSE_MS; ; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      try {
        // `session` may be replaced before the response arrives. A 404 is about the session that the request used.
        const used = session;
        const lost = await send(message, key, signal, async (response) => {
          if (response.status === 404 && used !== undefined && revisionOf(message) === undefined) {
            await response.body?.cancel();
            return used;
          }
          await forward(message, response, subscription);
          return undefined;
        });
        if (lost === undefined) return;
        await reopen(lost);
        continue;
      } catch (error) {
        if (signal.aborted) return;
        const isRefused = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
        const isTimeout = (error as { name?: string }).name === 'TimeoutError';
        if (isTimeout || !(isRefused || isRepeatable(message)) || performance.now() + pause > until) {
          if (isRequest(message)) refuse(message.id, -32603, failureText(isRefused, isTimeout));
          return;
        }
      }
      await sleep(pause, signal);
    }
  }

  function failureText(isRefused: boolean, isTimeout: boolean): string {
    if (isRefused)
      return `RUNNER_UNAVAILABLE: No console is running at ${url}. Start one with \`agent-console serve\`.`;
    if (isTimeout)
      return 'TIMEOUT: The call timed out but may still take effect. Check whether it did before you repeat it.';
    return 'BUSY: The connection closed before the response; the console may be restarting. Check whether the call took effect before you repeat it.';
  }

  /** @throws if the message must be sent again, because the console began to restart before it was answered. */
  function refuseRestart(message: Message, answer: Message): void {
    if (isRepeatable(message) && saysRestarting(answer)) throw new Error('The console is restarting');
  }

  /**
   * Writes the messages in an HTTP response to the client. Rejects if an event stream ends before the response to the
   * request, and if the message must be sent again.
   */
  async function forward(
    message: Message,
    response: Response,
    subscription: { isAcknowledged: boolean },
  ): Promise<void> {
    const { id } = message;
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body !== null) {
      for await (const data of eventsOf(response.body)) {
        const event = JSON.parse(data) as Message;
        refuseRestart(message, event);
        if (event.id === id && event.method === undefined) noteWatch(message, event);
        const isAcknowledgement = event.method === ACKNOWLEDGED;
        if (isAcknowledgement && subscription.isAcknowledged) notifyAgain(event);
        else write(event);
        subscription.isAcknowledged ||= isAcknowledgement;
        if (event.id === id && event.method === undefined) return;
      }
      throw new Error('The event stream of the console ended before the response');
    }
    const text = await response.text();
    if (!isRequest(message)) return;
    if (!type.startsWith('application/json')) {
      refuse(
        id,
        -32603,
        `${url} returned status ${response.status} without JSON. Check that Agent Console is running there.`,
      );
      return;
    }
    const parsed: unknown = JSON.parse(text);
    // An error body of the console means that it rejected the request before the request was handled as MCP, for
    // example because of an unknown token.
    const refusal = ConsoleError.fromBody(parsed);
    if (refusal !== undefined) {
      refuse(id, -32000, `${refusal.code}: ${refusal.message}`);
      return;
    }
    const answer = parsed as Message;
    refuseRestart(message, answer);
    if (message.method === 'initialize' && answer.result !== undefined) {
      session = sessionIn(message, answer, response) ?? session;
      watched.clear();
    }
    noteWatch(message, answer);
    write({ ...answer, id: answer.id ?? id });
  }

  /**
   * Sends an update notification for every subscribed resource, because the client may have missed updates before the
   * stream was reopened.
   */
  function notifyAgain(acknowledgement: Message): void {
    const uris = acknowledgement.params?.notifications?.resourceSubscriptions;
    const subscription = acknowledgement.params?._meta?.[SUBSCRIPTION];
    for (const uri of Array.isArray(uris) ? uris : []) {
      const params = { uri, _meta: { [SUBSCRIPTION]: subscription } };
      write({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
    }
  }

  /** Remembers which resources the client watches, in order to watch them again in a new session. */
  function noteWatch({ method, params }: Message, { result }: Message): void {
    if (result === undefined || typeof params?.uri !== 'string') return;
    if (method === 'resources/subscribe') watched.add(params.uri);
    if (method === 'resources/unsubscribe') watched.delete(params.uri);
  }

  function sessionIn(opening: Message, answer: Message, response: Response): Session | undefined {
    const id = response.headers.get('mcp-session-id');
    return id === null ? undefined : { id, version: String(answer.result?.protocolVersion ?? ''), opening };
  }

  /**
   * Replaces a lost session without involving the client. Concurrent requests that used the lost session wait for the
   * same replacement.
   */
  function reopen(lost: Session): Promise<void> {
    if (session === lost) {
      reopening ??= replace(lost).finally(() => {
        reopening = undefined;
      });
    }
    return reopening ?? Promise.resolve();
  }

  /** Opens a new session in place of a lost one, and watches the same resources in it. */
  async function replace(lost: Session): Promise<void> {
    const fresh = await send(lost.opening, randomUUID(), closed.signal, async (response) => {
      const answer = (await response.json()) as Message;
      const opened = answer.result === undefined ? undefined : sessionIn(lost.opening, answer, response);
      if (opened === undefined)
        throw new Error(`The MCP session could not be reopened: the console returned status ${response.status}`);
      return opened;
    });
    const inFresh = <T>(message: Message, read: (response: Response) => Promise<T>) =>
      send({ ...message, ...RPC }, randomUUID(), closed.signal, read, fresh);
    await inFresh({ method: 'notifications/initialized' }, async (response) => response.body?.cancel());
    for (const uri of watched) {
      const message = { id: randomUUID(), method: 'resources/subscribe', params: { uri } };
      const { error } = await inFresh(message, answerIn);
      if (ConsoleError.fromBody(error?.data)?.retryable === true)
        throw new Error(`The resource ${uri} could not be watched again`);
      // A resource that no longer exists, or that the caller may no longer read, cannot be watched.
      if (error !== undefined) watched.delete(uri);
    }
    // The new session is not used if, meanwhile, the bridge was closed or the client opened another session.
    if (session !== lost) return;
    session = fresh;
    listen();
  }

  /** Forwards messages that the server sends without a request (2025 revisions), for as long as the session lasts. */
  function listen(): void {
    const current = session;
    void (async () => {
      let pause = CLIENT_RETRY_PAUSE_MS;
      while (session === current && !closed.signal.aborted) {
        try {
          const response = await fetch(url, { headers: headersFor(undefined), signal: closed.signal });
          if (response.status === 404 && current !== undefined) {
            await response.body?.cancel();
            await reopen(current);
            return;
          }
          if (response.status === 405 || response.body === null) return;
          if (response.ok) pause = CLIENT_RETRY_PAUSE_MS;
          if (response.ok) for await (const data of eventsOf(response.body)) write(JSON.parse(data) as object);
        } catch {
          // The error is ignored: the console may be restarting, and the stream is opened again after a pause.
        }
        await sleep(pause, closed.signal);
        pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS);
      }
    })();
  }

  function track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => pending.delete(tracked));
    pending.add(tracked);
    return tracked;
  }

  function request(message: Request): void {
    if (open.size >= MCP_BRIDGE_OPEN_MAX) {
      refuse(message.id, -32603, `BUSY: ${MCP_BRIDGE_OPEN_MAX} requests are open. Wait for a response.`);
      return;
    }
    const cancel = new AbortController();
    const isModern = revisionOf(message) !== undefined;
    const opened: OpenRequest = { cancel, isModern };
    open.set(message.id, opened);
    const ready = isModern ? Promise.resolve() : initialized;
    const signal = AbortSignal.any([cancel.signal, closed.signal]);
    const work = ready
      .then(() => deliver(message, signal))
      .finally(() => {
        if (open.get(message.id) === opened) open.delete(message.id);
      });
    if (message.method === 'initialize') initialized = work;
    if (message.method !== LISTEN) void track(work);
  }

  function notify(message: Message): void {
    const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    const cancelled = typeof id === 'string' || typeof id === 'number' ? open.get(id) : undefined;
    if (cancelled?.isModern === true) {
      // In the 2026 revision, a client cancels a request by closing its connection. So the bridge closes its connection
      // to the console, and does not forward the notification.
      cancelled.cancel.abort();
      return;
    }
    const work = initialized.then(() => deliver(message, closed.signal));
    void track(work).then(() => {
      if (message.method === 'notifications/initialized' && session !== undefined) listen();
    });
  }

  return {
    receive(line) {
      const parsed = parseMessage(line);
      if (!('message' in parsed)) refuse(null, parsed.code, parsed.reason);
      else if (isRequest(parsed.message)) request(parsed.message);
      else notify(parsed.message);
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
    async close() {
      const headers = headersFor(undefined);
      const leaving = session;
      closed.abort();
      session = undefined;
      if (leaving === undefined) return;
      await fetch(url, { method: 'DELETE', headers, signal: AbortSignal.timeout(CLIENT_RETRY_PAUSE_MAX_MS) }).catch(
        () => undefined,
      );
    },
  };
}

const RPC = { jsonrpc: '2.0' } as const;

/** Resolves after a pause, or when the signal aborts. */
const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

/** Returns the answer to a request. Rejects if the console did not handle the request. */
async function answerIn(response: Response): Promise<Message> {
  if (!response.ok) throw new Error(`The console returned status ${response.status}`);
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream') || response.body === null) return (await response.json()) as Message;
  for await (const data of eventsOf(response.body)) {
    const message = JSON.parse(data) as Message;
    if (message.method === undefined) return message;
  }
  throw new Error('The event stream of the console ended before the response');
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const { data } of serverSentEvents(body)) if (data !== null) yield data;
}
