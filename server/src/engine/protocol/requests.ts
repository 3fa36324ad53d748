import { firstChars } from '@agent-console/shared/cut';
import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { ACP_REQUESTS_MAX, ACP_REQUESTS_WAITING_MAX, ACP_SHORT_TEXT_MAX_CHARS } from '@agent-console/shared/limits/acp';
import { INPUT_MAX_BYTES } from '@agent-console/shared/limits/streams';
import * as v from 'valibot';
import type { AgentRequest, ProtocolEvent, ProtocolState } from '../../domain/protocol.ts';
import type { Host } from '../../ports/host.ts';
import type { AgentProtocol } from '../../ports/protocol.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { type SharedFolders, sharedFolderOf } from '../sessions/shared-folder.ts';
import type { AgentTerminals } from './agent-terminals.ts';
import { cancelFrame } from './cancel-frame.ts';
import { terminalResult } from './terminals.ts';

const Count = v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))), null);
const Read = v.object({ path: v.string(), line: Count, limit: Count });
/** Parameters of a request for a form or link that the console cannot show to a person; `invalid` is the reason. */
const Invalid = v.object({ invalid: v.string() });
const Write = v.object({ path: v.string(), content: v.string() });

/**
 * Whether a request must not be carried out again after the agent has received the answer. A second write would
 * overwrite later changes. A second attempt to open a terminal could succeed after the agent was told that the first
 * attempt failed.
 */
export const mustNotRepeat = ({ method }: { method: string }): boolean =>
  method === 'fs/write_text_file' || method === 'terminal/create';

export const PERMISSION = 'session/request_permission';

const TerminalParams = v.object({ terminalId: v.string() });

/** Whether the console accepts no more requests of an agent, because too many of them wait for an answer. */
export const isFlooded = ({ requests }: ProtocolState): boolean => requests.length >= ACP_REQUESTS_WAITING_MAX;
export const FLOODED = `The agent sent more than ${ACP_REQUESTS_WAITING_MAX} requests without waiting for the answers. The agent was stopped, and the next prompt continues its conversation in a new process.`;

/**
 * Returns the stored form of an agent's request, whose line starts at this offset of the log.
 * @param open the agent's unanswered requests
 */
export async function newRequest(
  tx: Transaction,
  { newId }: { newId: () => string },
  agentWorkerId: string,
  { requestId, method, params }: Extract<ProtocolEvent, { type: 'request' }>,
  offset: number,
  open: readonly AgentRequest[],
): Promise<AgentRequest> {
  const request = { requestId, method: firstChars(method, ACP_SHORT_TEXT_MAX_CHARS), offset };
  if (open.filter(({ isExcess }) => isExcess !== true).length >= ACP_REQUESTS_MAX)
    return { ...request, isExcess: true };
  if (!method.startsWith('terminal/')) return request;
  if (method === 'terminal/create') return { ...request, terminalId: newId() };
  const named = v.safeParse(TerminalParams, params);
  const terminal = named.success ? await tx.workers.get(named.output.terminalId) : undefined;
  return { ...request, terminalId: terminal?.agentWorkerId === agentWorkerId ? terminal.id : null };
}

interface Answer {
  line: string;
  /**
   * Error code if the agent requested something that it may not do, or more than a limit allows; otherwise null. A
   * refused request is audited.
   */
  refused: ErrorCode | null;
}

interface Needs extends SharedFolders {
  host: Pick<Host, 'readText' | 'writeText' | 'realFolder'>;
  protocol: Pick<AgentProtocol, 'frames'>;
  terminals: AgentTerminals;
}

interface Sender {
  worker: WorkerRow;
  session: SessionRow;
}

/**
 * Carries out an agent's request that needs no answer from a person. The agent can access only the session's cwd
 * without its git directory, and the folder that the agents of an orchestration share.
 * @param params returns the parameters of the request; undefined if they are no longer in the log
 * @throws RUNNER_UNAVAILABLE if no answer can be sent now. Any other error becomes the answer.
 */
export async function answerRequest(
  deps: Needs,
  sender: Sender,
  request: AgentRequest,
  params: () => Promise<unknown>,
): Promise<Answer> {
  const { frames } = deps.protocol;
  const { requestId } = request;
  if (request.isCancelled) {
    const kind = request.method === PERMISSION ? 'question' : 'form';
    return { line: cancelFrame(deps.protocol, { kind, requestId }), refused: null };
  }
  const failed = (reason: Parameters<typeof frames.failure>[1], message: string, refused: ErrorCode | null = null) => {
    return { line: frames.failure(requestId, reason, message), refused };
  };
  try {
    const value = await resultOf(deps, sender, request, params);
    if (value === null) return failed('unsupported', `The console does not support ${request.method}.`);
    const line = frames.result(requestId, value);
    if (Buffer.byteLength(line) <= INPUT_MAX_BYTES) return { line, refused: null };
    return failed(
      'invalid',
      `The answer is larger than ${INPUT_MAX_BYTES} bytes. Use line and limit to read a part of the file.`,
    );
  } catch (error) {
    if (v.isValiError(error)) return failed('invalid', error.message);
    // Every request is answered, because the agent waits for the answer.
    if (!(error instanceof ConsoleError)) return failed('internal', String(error));
    // The connection to the runner is lost, so neither this nor any other answer can be sent now.
    if (error.code === 'RUNNER_UNAVAILABLE') throw error;
    const isRefused = error.code === 'PERMISSION_DENIED' || error.code === 'LIMIT_EXCEEDED';
    const reason = error.code === 'NOT_FOUND' ? 'notFound' : 'invalid';
    return failed(reason, error.message, isRefused ? error.code : null);
  }
}

/** Returns the folders whose files the agent may read and write without asking a person. */
async function foldersOf(deps: SharedFolders, session: SessionRow): Promise<string[]> {
  const shared = await sharedFolderOf(deps, session);
  return shared === null ? [session.cwd] : [session.cwd, shared];
}

/** Returns the result of a request; null if the console does not support its method. */
async function resultOf(
  deps: Needs,
  sender: Sender,
  request: AgentRequest,
  params: () => Promise<unknown>,
): Promise<object | null> {
  const { host } = deps;
  const { session } = sender;
  if (request.isExcess) {
    const message = `${ACP_REQUESTS_MAX} requests of this agent are not answered yet, which is the limit. Wait for an answer first.`;
    throw new ConsoleError('VALIDATION', message);
  }
  if (request.method.startsWith('terminal/')) return terminalResult(deps, sender, request, params);
  switch (request.method) {
    case 'fs/read_text_file': {
      const { path, line, limit } = v.parse(Read, await params());
      return { content: linesOf(await host.readText(await foldersOf(deps, session), path), line, limit) };
    }
    case 'fs/write_text_file': {
      const { path, content } = v.parse(Write, await params());
      await host.writeText(await foldersOf(deps, session), path, content);
      return {};
    }
    case 'elicitation/create': {
      if (request.isDone) return { action: 'accept' };
      const given = v.safeParse(Invalid, await params());
      const why = given.success ? given.output.invalid : 'it does not conform to the protocol';
      throw new ConsoleError('VALIDATION', `The request cannot be shown to a person: ${why}.`);
    }
    case PERMISSION:
      throw new ConsoleError('VALIDATION', 'The permission request does not conform to the protocol.');
    default:
      return null;
  }
}

/** Returns up to `limit` lines of a text, starting at line `first` (1 is the first line). */
function linesOf(text: string, first: number | null, limit: number | null): string {
  if (first === null && limit === null) return text;
  const from = Math.max((first ?? 1) - 1, 0);
  return text
    .split('\n')
    .slice(from, limit === null ? undefined : from + limit)
    .join('\n');
}
