import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { OperationName } from '@agent-console/shared/operations/table';
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { connectEditor } from '../../src/surfaces/acp/agent.ts';
import { createEditorConsole } from '../../src/surfaces/cli/editor-console.ts';
import { schemaErrors } from './acp-schema.ts';
import type { TestApp } from './test-app.ts';

export interface Editor {
  agent: ClientContext;
  /** Frames of the agent that violate the published schema. */
  invalid: string[];
  /** Permission requests, each with a function that answers it and a signal that aborts when the agent withdraws it. */
  asked: { request: RequestPermissionRequest; answer(optionId: string): void; withdrawn: AbortSignal }[];
  /**
   * Forms and pages that the agent asked the editor to show, each with a function that answers the request and a signal
   * that aborts when the agent withdraws it.
   */
  elicited: {
    request: CreateElicitationRequest;
    answer(response: CreateElicitationResponse): void;
    withdrawn: AbortSignal;
  }[];
  /** Ids (`elicitationId`) of those requests to open a page whose completion the agent has reported. */
  completed: string[];
  /** Errors that the agent reported, except those in its responses. */
  errors: unknown[];
  /** Updates of one session. */
  of(sessionId: string): SessionUpdate[];
  /** Text of the agent's messages in one session. */
  said(sessionId: string): string;
  close(): void;
}

type Bytes = TransformStream<Uint8Array, Uint8Array>;

/** Passes bytes on unchanged, and calls `read` with each line. */
function reading(read: (line: string) => void): Bytes {
  let rest = '';
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + Buffer.from(bytes).toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) read(line);
      controller.enqueue(bytes);
    },
  });
}

/** Connects the SDK's client to an agent. */
async function connect(
  input: WritableStream<Uint8Array>,
  output: ReadableStream<Uint8Array>,
  isSilent: boolean,
  clientCapabilities: ClientCapabilities = {},
): Promise<Omit<Editor, 'errors'>> {
  const methods = new Map<unknown, string>();
  const invalid: string[] = [];
  const updates: SessionNotification[] = [];
  const asked: Editor['asked'] = [];
  const elicited: Editor['elicited'] = [];
  const completed: string[] = [];
  // Remembers the method of each request, because the schema of the response depends on the method.
  const sent = reading((line) => {
    const { id, method } = JSON.parse(line);
    if (method !== undefined) methods.set(id, method);
  });
  const received = reading((line) => {
    const found = schemaErrors(`${line}\n`, methods.get(JSON.parse(line).id));
    if (found.length > 0) invalid.push(`${found.join('; ')}: ${line}`);
  });
  void sent.readable.pipeTo(input).catch(() => undefined);
  const connection = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => void updates.push(params))
    .onRequest(
      'session/request_permission',
      ({ params, signal }) =>
        new Promise<RequestPermissionResponse>((resolve, reject) => {
          const answer = (optionId: string) => resolve({ outcome: { outcome: 'selected', optionId } });
          asked.push({ request: params, answer, withdrawn: signal });
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    )
    .onRequest(
      'elicitation/create',
      ({ params, signal }) =>
        new Promise<CreateElicitationResponse>((resolve, reject) => {
          elicited.push({ request: params, answer: resolve, withdrawn: signal });
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    )
    .onNotification('elicitation/complete', ({ params }) => void completed.push(params.elicitationId))
    .connect(ndJsonStream(sent.writable, output.pipeThrough(received)));
  const { agent } = connection;
  if (!isSilent) await agent.request('initialize', { protocolVersion: 1, clientCapabilities });
  const of = (sessionId: string) => updates.filter((each) => each.sessionId === sessionId).map(({ update }) => update);
  return {
    agent,
    invalid,
    asked,
    elicited,
    completed,
    of,
    said: (sessionId) =>
      of(sessionId)
        .map((each) =>
          each.sessionUpdate === 'agent_message_chunk' && each.content.type === 'text' ? each.content.text : '',
        )
        .join(''),
    close: () => connection.close(),
  };
}

export interface EditorOptions {
  /** Returns the token with which the agent calls the console, if any. */
  token?: () => string | undefined;
  agentId?: string;
  inWorktree?: boolean;
  /** Whether the editor sends no `initialize`. */
  isSilent?: boolean;
  capabilities?: ClientCapabilities;
  /**
   * Called with the name of each operation before the agent calls it. The agent waits for the returned promise first.
   */
  hold?: (operation: OperationName) => Promise<unknown> | undefined;
}

/** Connects a client to the ACP agent for editors. The agent runs in this process and calls the console over HTTP. */
export async function openEditor(
  c: Pick<TestApp, 'baseUrl'>,
  { token, agentId = 'scripted-acp', inWorktree = false, isSilent = false, capabilities, hold }: EditorOptions = {},
): Promise<Editor> {
  const editorConsole = createEditorConsole(async () => ({ baseUrl: c.baseUrl, token: token?.() }));
  const toAgent: Bytes = new TransformStream();
  const toEditor: Bytes = new TransformStream();
  const errors: unknown[] = [];
  connectEditor({
    console: {
      ...editorConsole,
      async call(name, input) {
        await hold?.(name);
        return editorConsole.call(name, input);
      },
    },
    stream: ndJsonStream(toEditor.writable, toAgent.readable),
    version: '0.0.0',
    agentId,
    inWorktree,
    onError: (error) => errors.push(error),
  });
  return { ...(await connect(toAgent.writable, toEditor.readable, isSilent, capabilities)), errors };
}

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Starts `agent-console acp` like an editor, and connects a client to it. */
export async function startEditor(
  env: Record<string, string>,
  args: readonly string[],
  cwd?: string,
): Promise<Editor & { process: ChildProcess; stderr(): string }> {
  const child = spawn(process.execPath, [CLI, 'acp', ...args], { env, cwd, stdio: 'pipe' });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const input = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const editor = await connect(input, output, false);
  return { ...editor, errors: [], process: child, stderr: () => printed };
}

/** Waits until a program that runs `agent-console acp` connects to `server`, and connects a client to that program. */
export async function acceptEditor(server: Server): Promise<Editor> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  const input = Writable.toWeb(socket) as WritableStream<Uint8Array>;
  const output = Readable.toWeb(socket) as ReadableStream<Uint8Array>;
  return { ...(await connect(input, output, false)), errors: [] };
}

export const textPrompt = (text: string) => [{ type: 'text' as const, text }];
