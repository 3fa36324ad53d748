import { randomUUID } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  CLIENT_CALL_MS,
  CLIENT_RETRY_MS,
  CLIENT_RETRY_PAUSE_MAX_MS,
  CLIENT_RETRY_PAUSE_MS,
} from '@agent-console/shared/limits/calls';
import { MCP_BRIDGE_OPEN_MAX } from '@agent-console/shared/limits/mcp';
import { eventsOf } from './event-stream.ts';
import {
  isRepeatable,
  isRequest,
  type Message,
  modernHeaders,
  parseMessage,
  type Request,
  revisionOf,
} from './messages.ts';

export interface BridgeOptions {
  /** Address of the console's `/mcp`. */
  url: string;
  token: string | undefined;
  /** Gets each message for the client, in order. */
  write: (message: object) => void;
}

/** Carries the messages of one MCP client on stdin and stdout to a console's `/mcp` and back; both eras, no rule of its own. */
export interface Bridge {
  /** One line from the client. */
  take(line: string): void;
  /** Resolves when all that was asked is answered; what only listens is not waited for. */
  answered(): Promise<void>;
  /** Gives up what is open and forgets the session. */
  close(): Promise<void>;
}

interface Open {
  cancel: AbortController;
  modern: boolean;
}

/** A session of the 2025 era, with what opens another one like it. */
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
  const open = new Map<string | number, Open>();
  const working = new Set<Promise<void>>();
  let session: Session | undefined;
  let opening: Promise<void> = Promise.resolve();

  const refuse = (id: Message['id'], code: number, message: string) =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });

  function headersFor(message: Message | undefined): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (message !== undefined) headers['content-type'] = 'application/json';
    const revision = message === undefined ? undefined : revisionOf(message);
    if (message !== undefined && revision !== undefined) return { ...headers, ...modernHeaders(message, revision) };
    if (session === undefined || message?.method === 'initialize') return headers;
    return { ...headers, 'mcp-session-id': session.id, 'mcp-protocol-version': session.version };
  }

  function send(message: Message, key: string, signal: AbortSignal): Promise<Response> {
    const headers = { ...headersFor(message), 'idempotency-key': key };
    const limited = message.method === LISTEN ? signal : AbortSignal.any([signal, AbortSignal.timeout(CLIENT_CALL_MS)]);
    return fetch(url, { method: 'POST', headers, body: JSON.stringify(message), redirect: 'error', signal: limited });
  }

  /** Sends one message and passes on what comes back; repeats while the console is away. */
  async function carry(message: Message, signal: AbortSignal): Promise<void> {
    const key = randomUUID();
    const until = message.method === LISTEN ? Number.POSITIVE_INFINITY : performance.now() + CLIENT_RETRY_MS;
    const heard = { acknowledged: false };
    for (let pause = CLIENT_RETRY_PAUSE_MS; ; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      try {
        const response = await send(message, key, signal);
        if (response.status === 404 && session !== undefined && revisionOf(message) === undefined) {
          await response.body?.cancel();
          await reopen(session);
          continue;
        }
        await passOn(message, response, heard);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const refused = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
        const timedOut = (error as { name?: string }).name === 'TimeoutError';
        if (timedOut || !(refused || isRepeatable(message)) || performance.now() + pause > until) {
          if (isRequest(message)) refuse(message.id, -32603, whyNot(refused, timedOut));
          return;
        }
      }
      await sleep(pause, signal);
    }
  }

  function whyNot(refused: boolean, timedOut: boolean): string {
    if (refused) return `RUNNER_UNAVAILABLE: No console answers at ${url}. Start one with \`agent-console serve\`.`;
    if (timedOut) return 'TIMEOUT: The console did not answer in time. What was asked may still be done: look first.';
    return 'BUSY: The connection broke before the answer came; the console may be restarting. Look before you repeat.';
  }

  /** Writes what a response holds for the client. Rejects when it breaks off before the answer. */
  async function passOn(message: Message, response: Response, heard: { acknowledged: boolean }): Promise<void> {
    const { id } = message;
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body !== null) {
      for await (const data of eventsOf(response.body)) {
        const event = JSON.parse(data) as Message;
        const acknowledges = event.method === ACKNOWLEDGED;
        if (acknowledges && heard.acknowledged) tellAgain(event);
        else write(event);
        heard.acknowledged ||= acknowledges;
        if (event.id === id && event.method === undefined) return;
      }
      throw new Error('the stream ended before its answer');
    }
    const text = await response.text();
    if (!isRequest(message)) return;
    if (!type.startsWith('application/json')) {
      refuse(id, -32603, `${url} answered ${response.status} with no JSON; is it an Agent Console?`);
      return;
    }
    const parsed: unknown = JSON.parse(text);
    // What was refused before the protocol began, such as a token that nobody has.
    const refused = ConsoleError.fromBody(parsed);
    if (refused !== undefined) {
      refuse(id, -32000, `${refused.code}: ${refused.message}`);
      return;
    }
    const answer = parsed as Message;
    if (message.method === 'initialize' && answer.result !== undefined) keep(message, answer, response);
    write({ ...answer, id: answer.id ?? id });
  }

  /** A stream that was taken up again may have missed something, and its client does not know that it was cut. */
  function tellAgain(acknowledged: Message): void {
    const uris = acknowledged.params?.notifications?.resourceSubscriptions;
    const subscription = acknowledged.params?._meta?.[SUBSCRIPTION];
    for (const uri of Array.isArray(uris) ? uris : []) {
      const params = { uri, _meta: { [SUBSCRIPTION]: subscription } };
      write({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
    }
  }

  function keep(message: Message, answer: Message, response: Response): void {
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session = { id, version: String(answer.result?.protocolVersion ?? ''), opening: message };
  }

  /** The console forgot the session: opens another one as the client did, of which the client hears nothing. */
  async function reopen(lost: Session): Promise<void> {
    if (session !== lost) return;
    const response = await send(lost.opening, randomUUID(), closed.signal);
    const answer = (await response.json()) as Message;
    if (answer.result === undefined) throw new Error(`the session could not be opened again: ${response.status}`);
    keep(lost.opening, answer, response);
    await send({ method: 'notifications/initialized', ...RPC }, randomUUID(), closed.signal);
    hear();
  }

  /** The stream on which the console speaks by itself in the 2025 era, as long as the session lasts. */
  function hear(): void {
    const of = session;
    void (async () => {
      let pause = CLIENT_RETRY_PAUSE_MS;
      while (session === of && !closed.signal.aborted) {
        try {
          const response = await fetch(url, { headers: headersFor(undefined), signal: closed.signal });
          if (response.status === 404 || response.status === 405 || response.body === null) return;
          if (response.ok) pause = CLIENT_RETRY_PAUSE_MS;
          if (response.ok) for await (const data of eventsOf(response.body)) write(JSON.parse(data) as object);
        } catch {
          // It is opened again, as after a restart.
        }
        await sleep(pause, closed.signal);
        pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS);
      }
    })();
  }

  function track(work: Promise<void>, counts: boolean): Promise<void> {
    if (!counts) return work;
    const done = work.finally(() => working.delete(done));
    working.add(done);
    return done;
  }

  function request(message: Request): void {
    if (open.size >= MCP_BRIDGE_OPEN_MAX) {
      refuse(message.id, -32603, `BUSY: ${MCP_BRIDGE_OPEN_MAX} requests are open; wait for an answer.`);
      return;
    }
    const cancel = new AbortController();
    const modern = revisionOf(message) !== undefined;
    const opened: Open = { cancel, modern };
    open.set(message.id, opened);
    const before = modern ? Promise.resolve() : opening;
    const signal = AbortSignal.any([cancel.signal, closed.signal]);
    const work = before
      .then(() => carry(message, signal))
      .finally(() => {
        if (open.get(message.id) === opened) open.delete(message.id);
      });
    if (message.method === 'initialize') opening = work;
    void track(work, message.method !== LISTEN);
  }

  function notify(message: Message): void {
    const id = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    const about = typeof id === 'string' || typeof id === 'number' ? open.get(id) : undefined;
    if (about?.modern === true) {
      // In that era the end of the connection is what cancels.
      about.cancel.abort();
      return;
    }
    const work = opening.then(() => carry(message, closed.signal));
    void track(work, true).then(() => {
      if (message.method === 'notifications/initialized' && session !== undefined) hear();
    });
  }

  return {
    take(line) {
      const parsed = parseMessage(line);
      if (!('message' in parsed)) refuse(null, parsed.code, parsed.why);
      else if (isRequest(parsed.message)) request(parsed.message);
      else notify(parsed.message);
    },
    async answered() {
      while (working.size > 0) await Promise.all(working);
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

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
