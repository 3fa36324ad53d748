import {
  type AgentConnection,
  agent,
  type InitializeResponse,
  type LoadSessionRequest,
  type McpServer,
  PROTOCOL_VERSION,
  RequestError,
  type ResumeSessionRequest,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { EditorConsole, EventListener } from './console.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { toRequestError } from './errors.ts';
import { formsOf } from './forms.ts';
import { clientServersOf } from './mcp-servers.ts';
import { checkCwd, locationFor, removeCreatedWorktree, type SessionLocation } from './places.ts';
import { promptContent } from './prompt-content.ts';
import { listSessions } from './session-list.ts';

export interface EditorAgentOptions {
  console: EditorConsole;
  /** The connection to the editor. */
  stream: Stream;
  version: string;
  /** Id of the agent for new sessions; undefined for the default agent. */
  agentId: string | undefined;
  /** Whether a new session in a registered repository gets its own worktree. */
  inWorktree: boolean;
  onError(error: unknown): void;
}

/** Serves the Agent Client Protocol to one editor. The editor's sessions are sessions of the console. */
export function connectEditor(options: EditorAgentOptions): AgentConnection {
  const { console } = options;
  /** Reports errors of work for which no request waits. Ignores errors after the editor has disconnected. */
  const onError = (error: unknown) => {
    if (!connection.signal.aborted) options.onError(error);
  };
  const conversations = new Map<string, Conversation>();
  let following: Promise<void> | undefined;
  /**
   * Whether the console identifies this process as a worker. If so, new sessions are children of the worker's session.
   * Only the console can decide this: the environment may have been cleared, and a token may belong to anyone.
   */
  let isWorker = true;
  let forms = formsOf(undefined);

  function follow(): Promise<void> {
    const each = (act: (conversation: Conversation) => void) => {
      for (const conversation of conversations.values()) act(conversation);
    };
    const listener: EventListener = {
      event: (event) => each((conversation) => conversation.handle(event)),
      gap: () => each((conversation) => conversation.refresh()),
      unreachable: (error) => each((conversation) => conversation.fail(error)),
    };
    return console.follow(listener, connection.signal).catch((error: unknown) => {
      // Lets the editor's next `initialize` request call `console.follow` again.
      following = undefined;
      throw error;
    });
  }

  /**
   * Runs the handler of a request, and converts errors of the console to errors of the protocol. The SDK itself rejects
   * requests before `initialize`.
   */
  async function serve<T>(handle: () => Promise<T>): Promise<T> {
    try {
      return await handle();
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

  function open(sessionId: string, servers: readonly McpServer[]): Conversation {
    close(sessionId);
    const { client } = connection;
    // An editor inside a worker gets no permission requests, because an agent must not approve its own or its
    // children's requests.
    const conversation = createConversation({
      console,
      client,
      sessionId,
      offersPermissions: !isWorker,
      forms: () => forms,
      clientMcpServers: clientServersOf(servers),
      onError,
    });
    conversations.set(sessionId, conversation);
    return conversation;
  }

  /**
   * Returns `result`, the response that opens a session, and starts to send changes of the session once the response
   * was sent.
   */
  function answer<T>(conversation: Conversation, result: T): T {
    setImmediate(() => conversation.begin());
    return result;
  }

  /**
   * Removes a new session that cannot be opened, and its new worktree. A caller that is a worker may remove neither, so
   * for such a caller, the new session is archived and the worktree stays.
   */
  async function discard(location: SessionLocation, sessionId: string | undefined): Promise<void> {
    if (sessionId !== undefined) {
      close(sessionId);
      await console.call(isWorker ? 'sessions.archive' : 'sessions.remove', { sessionId }).catch(onError);
    }
    if (!isWorker) await removeCreatedWorktree(console, location).catch(onError);
  }

  /** Opens a stored session in this editor. */
  async function reopen({
    sessionId,
    cwd,
    mcpServers,
  }: LoadSessionRequest | ResumeSessionRequest): Promise<Conversation> {
    checkCwd(cwd);
    const { id } = await console.call('sessions.get', { sessionId });
    return open(id, mcpServers ?? []);
  }

  const connection = agent({ name: 'agent-console' })
    .onRequest('initialize', ({ params }) =>
      serve(async () => {
        forms = formsOf(params.clientCapabilities);
        following ??= follow();
        await following;
        isWorker = (await console.call('users.current', {})).sessionId !== null;
        return introduction(options.version);
      }),
    )
    .onRequest('authenticate', () => {
      throw RequestError.invalidParams(undefined, 'the console needs no login');
    })
    .onRequest('session/new', ({ params }) =>
      serve(async () => {
        checkCwd(params.cwd);
        const location = await locationFor(console, params.cwd, { inWorktree: options.inWorktree, isWorker });
        let sessionId: string | undefined;
        try {
          const { id, driver } = await console.call('sessions.create', {
            ...location.at,
            ...(options.agentId === undefined ? {} : { agentId: options.agentId }),
          });
          sessionId = id;
          const conversation = open(id, params.mcpServers);
          // The response contains the agent's options, which an agent that is driven over ACP reports only after it has
          // started.
          if (driver === 'acp') await conversation.startAndWait();
          return answer(conversation, { sessionId: id, ...(await conversation.options()) });
        } catch (error) {
          await discard(location, sessionId);
          throw error;
        }
      }),
    )
    .onRequest('session/load', ({ params }) =>
      serve(async () => {
        const conversation = await reopen(params);
        await conversation.replay();
        return answer(conversation, await conversation.options());
      }),
    )
    .onRequest('session/resume', ({ params }) =>
      serve(async () => {
        const conversation = await reopen(params);
        await conversation.skip();
        return answer(conversation, await conversation.options());
      }),
    )
    .onRequest('session/list', ({ params }) => serve(() => listSessions(console, params)))
    .onRequest('session/close', ({ params }) =>
      serve(async () => {
        await conversationOf(params.sessionId).cancel();
        close(params.sessionId);
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      serve(async () => {
        await conversationOf(params.sessionId).choose(undefined, params.modeId);
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      serve(async () => {
        const { sessionId, configId, value } = params;
        const { configOptions } = await conversationOf(sessionId).choose(configId, String(value));
        return { configOptions };
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      serve(async () => {
        const conversation = conversationOf(params.sessionId);
        return { stopReason: await conversation.prompt(promptContent(params.prompt), signal) };
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
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
  };
}
