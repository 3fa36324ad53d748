import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import {
  type AgentContext,
  agent,
  type McpServer,
  type NewSessionResponse,
  ndJsonStream,
  type PermissionOption,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import { openGit, type RunGit } from './git.ts';
import { imageFacts } from './images.ts';
import { createLogin } from './login.ts';
import { createToolCaller, type ToolCaller } from './mcp.ts';
import { openTranscript, readTranscript, type Transcript } from './transcript.ts';
import type { ProtocolTurn, Turn } from './turn.ts';
import { runTurn } from './turn-runner.ts';

/** Streams, settings and functions of the process in which the agent runs. */
export interface AcpHost {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
  /** Folder for the transcripts of conversations, one file each. */
  transcripts: string;
  env: Readonly<Record<string, string | undefined>>;
  runGit: RunGit;
  exit(code: number): Promise<never>;
  crash(): Promise<never>;
}

interface Session {
  id: string;
  cwd: string;
  transcript: Transcript;
  tools: ToolCaller;
  servers: readonly McpServer[];
  mode: string;
  model: string;
  isVerbose: boolean;
  running: AbortController | null;
  /** Tools that the user has allowed for the rest of the conversation. */
  allowed: Set<string>;
  terminals: ProtocolTurn['terminals'];
}

const MODES = [
  { id: 'default', name: 'Ask first' },
  { id: 'acceptEdits', name: 'Accept edits' },
  { id: 'plan', name: 'Plan' },
  { id: 'bypassPermissions', name: 'Allow everything' },
];
const MODELS = [
  { value: 'small', name: 'Small' },
  { value: 'large', name: 'Large' },
];
/**
 * Session capability for a parameter that the agent accepts but does not use, because it has no model. The SDK has no
 * type for this capability, because it is not part of the stable protocol yet.
 */
const IGNORED = { systemPrompt: {} };
/** Name of the MCP server through which the agent calls the console. */
const CONSOLE_SERVER = 'agent-console';
const OPTIONS: PermissionOption[] = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Yes, and always allow it', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** Runs the scripted agent over the Agent Client Protocol, version 1, until its input ends. */
export async function runAcpAgent(host: AcpHost): Promise<void> {
  const sessions = new Map<string, Session>();
  const writer = host.output.getWriter();
  // `@raw` and the protocol both write to standard output. A stream can have only one writer, so they share `writer`.
  const output = new WritableStream<Uint8Array>({ write: (bytes) => writer.write(bytes) });

  const fileOf = (id: string) => {
    if (!/^[\w-]{1,100}$/.test(id)) throw RequestError.invalidParams({ sessionId: id });
    return join(host.transcripts, `${id}.jsonl`);
  };

  async function open(
    id: string,
    cwd: string,
    servers: readonly McpServer[],
    mode: 'new' | 'resume',
  ): Promise<Session> {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd });
    const transcript = await openTranscript(fileOf(id), { mode });
    const tools = toolsOf(servers);
    const session: Session = {
      id,
      cwd,
      transcript,
      tools,
      servers,
      mode: 'default',
      model: 'small',
      isVerbose: false,
      running: null,
      allowed: new Set(),
      terminals: new Map(),
    };
    sessions.set(id, session);
    return session;
  }

  const sessionOf = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.resourceNotFound(id);
    return session;
  };

  const shown = (session: Session) => ({
    modes: { currentModeId: session.mode, availableModes: MODES },
    configOptions: optionsOf(session),
  });

  function reopen(id: string, cwd: string, servers: readonly McpServer[]): Promise<Session> {
    login.require();
    if (!existsSync(fileOf(id))) throw RequestError.resourceNotFound(id);
    return open(id, cwd, servers, 'resume');
  }

  const login = createLogin(host);

  const connection = agent({ name: 'scripted-agent' })
    .onRequest('initialize', () => ({
      protocolVersion: 1,
      agentInfo: { name: 'scripted-agent', title: 'Scripted agent', version: '1.0.0' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: true },
        mcpCapabilities: { http: host.env.SCRIPTED_AGENT_MCP !== 'stdio' },
        sessionCapabilities: { resume: {}, close: {}, ...IGNORED },
      },
      authMethods: login.methods,
    }))
    .onRequest('authenticate', async ({ params, client }) => {
      await login.perform(params.methodId, client);
      return {};
    })
    .onRequest('session/new', async ({ params }): Promise<NewSessionResponse> => {
      login.require();
      const session = await open(randomUUID(), params.cwd, params.mcpServers, 'new');
      return { sessionId: session.id, ...shown(session) };
    })
    .onRequest('session/load', async ({ params, client }) => {
      const session = await reopen(params.sessionId, params.cwd, params.mcpServers);
      for await (const { role, id, text } of readTranscript(fileOf(session.id))) {
        const sessionUpdate = role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
        await send(client, session, { sessionUpdate, messageId: id, content: { type: 'text', text } });
      }
      return shown(session);
    })
    .onRequest('session/resume', async ({ params }) =>
      shown(await reopen(params.sessionId, params.cwd, params.mcpServers ?? [])),
    )
    .onRequest('session/close', ({ params }) => {
      const session = sessionOf(params.sessionId);
      session.running?.abort();
      session.tools.close();
      sessions.delete(session.id);
    })
    .onRequest('session/set_mode', ({ params }) => {
      if (!MODES.some(({ id }) => id === params.modeId)) throw RequestError.invalidParams({ modeId: params.modeId });
      sessionOf(params.sessionId).mode = params.modeId;
    })
    .onRequest('session/set_config_option', ({ params }) => {
      const session = sessionOf(params.sessionId);
      setOption(session, params.configId, params.value);
      return { configOptions: optionsOf(session) };
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      login.require();
      const session = sessionOf(params.sessionId);
      const images = params.prompt.flatMap((part) =>
        part.type === 'image' ? [imageFacts(part.mimeType, Buffer.from(part.data, 'base64'))] : [],
      );
      const shown = params.prompt.filter(({ type }) => type !== 'image');
      const text = shown.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
      return { stopReason: await prompt(session, text, images, client) };
    })
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.running?.abort())
    .connect(ndJsonStream(output, host.input));

  async function prompt(
    session: Session,
    text: string,
    images: readonly string[],
    client: AgentContext,
  ): Promise<StopReason> {
    const controller = new AbortController();
    session.running = controller;
    let reason: StopReason = 'end_turn';
    let failure: string | null = null;
    const { turn, sent } = turnOf(session, client, images, controller.signal, {
      stopWith: (given) => {
        reason = given;
      },
      fail: (words) => {
        failure = words;
      },
    });
    try {
      await runTurn(text, session.transcript, turn);
      session.transcript.turnEnd(failure);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      reason = 'cancelled';
    } finally {
      await sent();
      session.running = null;
    }
    if (failure !== null) throw RequestError.internalError(undefined, failure);
    return reason;
  }

  function turnOf(
    session: Session,
    client: AgentContext,
    images: readonly string[],
    signal: AbortSignal,
    { stopWith, fail }: Pick<ProtocolTurn, 'stopWith'> & Pick<Turn, 'fail'>,
  ) {
    const { id: sessionId, cwd, tools, transcript, allowed } = session;
    let sending = Promise.resolve();
    const update = (fields: SessionUpdate) => {
      sending = sending.then(() => send(client, session, fields));
      return sending;
    };
    const say = (text: string) => {
      transcript.agent(text);
      const content = { type: 'text' as const, text };
      void update({ sessionUpdate: 'agent_message_chunk', messageId: randomUUID(), content });
    };

    /** Asks for permission and returns the id of the chosen option. Rejects if the prompt is cancelled. */
    async function choose(title: string, kind: 'other' | 'execute', options: PermissionOption[]): Promise<string> {
      await sending;
      const toolCall = { toolCallId: randomUUID(), title, kind, status: 'pending' as const };
      await update({ sessionUpdate: 'tool_call', ...toolCall });
      const asked = { sessionId, toolCall, options } satisfies RequestPermissionRequest;
      const { outcome } = await client.request<RequestPermissionResponse>('session/request_permission', asked);
      if (outcome.outcome === 'cancelled') {
        // The client's answer `cancelled` may arrive before its notification that the prompt is cancelled. So this
        // answer already aborts the turn.
        session.running?.abort();
        throw signal.reason;
      }
      const status = outcome.optionId === 'no' ? 'failed' : 'completed';
      await update({ sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status });
      return outcome.optionId;
    }

    const protocol: ProtocolTurn = {
      resolve: (path) => resolve(cwd, path),
      update,
      async call(call, work) {
        const toolCallId = randomUUID();
        await update({ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', ...call });
        const show = (content: Parameters<Parameters<typeof work>[0]>[0]) =>
          update({ sessionUpdate: 'tool_call_update', toolCallId, content });
        try {
          const content = await work(show);
          await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
        } catch (error) {
          await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' });
          throw error;
        }
      },
      readFile: async (path, part = undefined) =>
        (await client.request('fs/read_text_file', { sessionId, path, ...part })).content,
      writeFile: async (path, content) =>
        void (await client.request('fs/write_text_file', { sessionId, path, content })),
      terminal: (command) => client.createTerminal({ sessionId, ...command }),
      terminals: session.terminals,
      async setMode(modeId) {
        session.mode = modeId;
        await update({ sessionUpdate: 'current_mode_update', currentModeId: modeId });
        await update({ sessionUpdate: 'config_option_update', configOptions: optionsOf(session) });
      },
      stopWith,
      logOut: login.end,
      async elicit(request) {
        await sending;
        return client.request('elicitation/create', { ...request, sessionId });
      },
      async linkDone(elicitationId) {
        await sending;
        await client.notify('elicitation/complete', { elicitationId });
      },
      async raw(line) {
        await sending;
        await writer.write(Buffer.from(`${line}\n`));
      },
    };
    const turn: Turn = {
      cwd,
      signal,
      git: openGit(host.runGit, cwd, host.env, signal),
      tools,
      otherServers: async () =>
        session.servers
          .filter(({ name }) => name !== CONSOLE_SERVER)
          .map((server) => `${server.name} (${'type' in server ? server.type : 'stdio'})`),
      images: async () => images,
      say,
      async output(text) {
        void update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
        await sending;
      },
      sent: () => sending,
      ask: async (question) =>
        (await choose(
          question,
          'other',
          OPTIONS.filter(({ optionId }) => optionId !== 'always'),
        )) === 'yes',
      async permit(tool, what) {
        if (allowed.has(tool) || session.mode === 'bypassPermissions') return 'always';
        const answer = await choose(what === '' ? tool : `${tool}: ${what}`, 'execute', OPTIONS);
        if (answer === 'always') allowed.add(tool);
        return answer === 'always' ? 'always' : answer === 'yes' ? 'yes' : 'no';
      },
      recall: (number) => transcript.recall(number),
      toolAnswer: (number) => transcript.toolAnswer(number),
      fail,
      async exit(code) {
        await sending;
        return host.exit(code);
      },
      crash: host.crash,
      protocol,
    };
    return { turn, sent: () => sending };
  }

  await connection.closed;
}

function optionsOf({ mode, model, isVerbose }: Session): SessionConfigOption[] {
  const modes = MODES.map(({ id, name }) => ({ value: id, name }));
  return [
    { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: mode, options: modes },
    { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options: MODELS },
    { id: 'verbose', name: 'Verbose', type: 'boolean', currentValue: isVerbose },
  ];
}

function setOption(session: Session, configId: string, value: string | boolean): void {
  const option = optionsOf(session).find(({ id }) => id === configId);
  const isOffered = option?.type === 'select' && option.options.some((each) => 'value' in each && each.value === value);
  if (configId === 'verbose' && typeof value === 'boolean') session.isVerbose = value;
  else if (configId === 'mode' && isOffered) session.mode = String(value);
  else if (configId === 'model' && isOffered) session.model = String(value);
  else throw RequestError.invalidParams({ configId, value });
}

async function send(client: AgentContext, { id }: Session, update: SessionUpdate): Promise<void> {
  await client.notify('session/update', { sessionId: id, update });
}

/** Creates a caller of the console's tools. The client passes the console's MCP server as one of `servers`. */
function toolsOf(servers: readonly McpServer[]): ToolCaller {
  const server = servers.find(({ name }) => name === CONSOLE_SERVER);
  if (server === undefined) return createToolCaller(null);
  if ('url' in server) {
    const bearer = server.headers.find(({ name }) => name.toLowerCase() === 'authorization')?.value;
    return createToolCaller({ url: server.url, readToken: async () => bearer?.replace(/^Bearer /, '') ?? null });
  }
  const { command, args, env } = server;
  return createToolCaller({ command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) });
}
