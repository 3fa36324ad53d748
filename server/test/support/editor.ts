import {
  type ClientConnection,
  type ClientContext,
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
  /** Every update received so far. */
  updates: SessionNotification[];
  /** Frames of the agent that violate the published schema. */
  invalid: string[];
  /** Permission requests, each with the way to answer it and whether the agent withdrew it. */
  asked: { request: RequestPermissionRequest; answer(optionId: string): void; withdrawn: AbortSignal }[];
  errors: unknown[];
  connection: ClientConnection;
  /** Updates of one session. */
  of(sessionId: string): SessionUpdate[];
  /** Text of an agent's messages in one session. */
  said(sessionId: string): string;
  close(): void;
}

export interface EditorOptions {
  /** Token of the worker that the editor belongs to. */
  token?: string;
  agentId?: string;
  inWorktree?: boolean;
  /** Do not introduce the editor. */
  isSilent?: boolean;
}

/** Connects the SDK's client to an agent for editors in this process, which reaches the console over HTTP. */
export async function openEditor(
  c: Pick<TestApp, 'baseUrl'>,
  { token, agentId = 'scripted-acp', inWorktree = false, isSilent = false }: EditorOptions = {},
): Promise<Editor> {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toEditor = new TransformStream<Uint8Array, Uint8Array>();
  const invalid: string[] = [];
  const methods = new Map<unknown, string>();
  const checked = (check: (line: string) => void) => {
    let rest = '';
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const lines = (rest + Buffer.from(bytes).toString()).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) check(line);
        controller.enqueue(bytes);
      },
    });
  };
  // Notes the method of each request, by which its answer is checked.
  const fromEditor = checked((line) => {
    const { id, method } = JSON.parse(line);
    if (method !== undefined) methods.set(id, method);
  });
  const fromAgent = checked((line) => {
    const { id } = JSON.parse(line);
    const found = schemaErrors(`${line}\n`, methods.get(id));
    if (found.length > 0) invalid.push(`${found.join('; ')}: ${line}`);
  });
  const errors: unknown[] = [];
  connectEditor({
    console: createEditorConsole(async () => ({ baseUrl: c.baseUrl, token })),
    stream: ndJsonStream(toEditor.writable, toAgent.readable.pipeThrough(fromEditor)),
    version: '0.0.0',
    agentId,
    inWorktree,
    isWorker: token !== undefined,
    onError: (error) => errors.push(error),
  });
  const updates: SessionNotification[] = [];
  const asked: Editor['asked'] = [];
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
    .connect(ndJsonStream(toAgent.writable, toEditor.readable.pipeThrough(fromAgent)));
  const { agent } = connection;
  if (!isSilent) await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const of = (sessionId: string) => updates.filter((each) => each.sessionId === sessionId).map(({ update }) => update);
  return {
    agent,
    updates,
    invalid,
    asked,
    errors,
    connection,
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

export const textPrompt = (text: string) => [{ type: 'text' as const, text }];
