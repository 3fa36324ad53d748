import {
  type AgentConnection,
  agent,
  type InitializeResponse,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { EditorConsole } from './console.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { toRequestError } from './errors.ts';
import { checkCwd, placeFor } from './places.ts';
import { promptText } from './prompt-text.ts';
import { listSessions } from './session-list.ts';

export interface EditorAgentOptions {
  console: EditorConsole;
  /** The connection to the editor. */
  stream: Stream;
  version: string;
  /** Agent definition of new sessions; undefined for the default. */
  agentId: string | undefined;
  /** Whether a new session in a known repository gets its own worktree. */
  inWorktree: boolean;
  onError(error: unknown): void;
}

/** Serves the Agent Client Protocol to one editor: its sessions are sessions of the console. */
export function connectEditor(options: EditorAgentOptions): AgentConnection {
  const { console, onError } = options;
  const conversations = new Map<string, Conversation>();
  let ready: Promise<{ isWorker: boolean }> | undefined;

  /** Begins to receive events, and finds out whether this process belongs to a worker. */
  async function begin(): Promise<{ isWorker: boolean }> {
    const each = (act: (conversation: Conversation) => void) => {
      for (const conversation of conversations.values()) act(conversation);
    };
    const listener = {
      event: (event: Parameters<Conversation['handle']>[0]) => each((conversation) => conversation.handle(event)),
      gap: () => each((conversation) => conversation.refresh()),
      unreachable: (error: Error) => each((conversation) => conversation.fail(error)),
    };
    await console.follow(listener, connection.signal);
    // Only a worker has a session of its own.
    const isWorker = await console.call('sessions.get', {}).then(
      () => true,
      () => false,
    );
    return { isWorker };
  }

  /** Runs the handler of a request. Every request but the first requires that the editor has introduced itself. */
  async function serve<T>(handle: (caller: { isWorker: boolean }) => Promise<T>): Promise<T> {
    if (ready === undefined) throw RequestError.invalidRequest(undefined, 'send initialize first');
    try {
      return await handle(await ready);
    } catch (error) {
      throw toRequestError(error);
    }
  }

  function conversationOf(sessionId: string): Conversation {
    const conversation = conversations.get(sessionId);
    if (conversation === undefined) {
      throw RequestError.invalidParams({ sessionId }, 'this session is not open; send session/load or session/resume');
    }
    return conversation;
  }

  function close(sessionId: string): void {
    conversations.get(sessionId)?.close();
    conversations.delete(sessionId);
  }

  function open(sessionId: string, isWorker: boolean): Conversation {
    close(sessionId);
    const { client } = connection;
    // An agent must not be asked for its own or its children's permissions.
    const conversation = createConversation({ console, client, sessionId, offersPermissions: !isWorker, onError });
    conversations.set(sessionId, conversation);
    // What happens in a session is sent after the answer that names it.
    setImmediate(() => conversation.begin());
    return conversation;
  }

  /** Opens a stored session. */
  async function reopen(sessionId: string, cwd: string, isWorker: boolean): Promise<Conversation> {
    checkCwd(cwd);
    const { id } = await console.call('sessions.get', { sessionId });
    return open(id, isWorker);
  }

  const connection = agent({ name: 'agent-console' })
    .onRequest('initialize', async () => {
      ready ??= begin();
      await ready.catch((error: unknown) => {
        ready = undefined;
        throw toRequestError(error);
      });
      return introduction(options.version);
    })
    .onRequest('authenticate', () => {
      throw RequestError.invalidParams(undefined, 'no login is offered');
    })
    .onRequest('session/new', ({ params }) =>
      serve(async ({ isWorker }) => {
        checkCwd(params.cwd);
        const place = await placeFor(console, params.cwd, { inWorktree: options.inWorktree, isWorker });
        const { id } = await console.call('sessions.create', {
          ...place,
          ...(options.agentId === undefined ? {} : { agentId: options.agentId }),
        });
        open(id, isWorker);
        return { sessionId: id };
      }),
    )
    .onRequest('session/load', ({ params }) =>
      serve(async ({ isWorker }) => {
        const conversation = await reopen(params.sessionId, params.cwd, isWorker);
        await conversation.replay();
        return {};
      }),
    )
    .onRequest('session/resume', ({ params }) =>
      serve(async ({ isWorker }) => {
        const conversation = await reopen(params.sessionId, params.cwd, isWorker);
        await conversation.skip();
        return {};
      }),
    )
    .onRequest('session/list', ({ params }) => serve(() => listSessions(console, params)))
    .onRequest('session/close', ({ params }) =>
      serve(async () => {
        await conversationOf(params.sessionId).cancel();
        close(params.sessionId);
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      serve(async () => {
        const conversation = conversationOf(params.sessionId);
        return { stopReason: await conversation.prompt(promptText(params.prompt), signal) };
      }),
    )
    .onNotification('session/cancel', ({ params }) => conversations.get(params.sessionId)?.cancel().catch(onError))
    .connect(options.stream);

  connection.signal.addEventListener('abort', () => {
    for (const sessionId of [...conversations.keys()]) close(sessionId);
  });
  return connection;
}

function introduction(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'agent-console', title: 'Agent Console', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: false, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
  };
}
