import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, idOf } from '../ids.ts';
import { CALL_MAX_MS, WAIT_DEFAULT_SECONDS, WAIT_MAX_SECONDS } from '../limits/calls.ts';
import { OUTPUT_DEFAULT_BYTES, OUTPUT_TOOL_BYTES } from '../limits/streams.ts';
import { Session } from '../models/session.ts';
import { TaskSummary } from '../models/task.ts';
import { ActivityState } from '../models/worker.ts';
import { type AnySchema, operation } from '../operation.ts';
import { LongText, PromptText } from '../text.ts';
import { maxBytes, outputPosition } from './fields.ts';
import { ClientMcpServers } from './mcp-servers.ts';
import { SessionResult, sessionResult, WaitedFor, WaitResult, waitResult } from './session-views.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;
const own = { ids, target: 'sessionId' } as const;

/** Arguments of `read_session_output`. With the default size, the response fits into one tool result. */
const ReadOutput = v.strictObject({
  sessionId,
  workerId: v.optional(described(IdPrefix('worker'), 'Worker to read, by id or prefix; default: the newest agent')),
  sinceOffset: v.optional(wholeNumber('Byte offset to read from; default: the newest output', 0)),
  format: v.optional(
    described(v.picklist(['text', 'ansi']), 'text: finished lines without escape sequences; ansi: as printed'),
    'text',
  ),
  maxBytes: maxBytes(OUTPUT_TOOL_BYTES),
});

/**
 * A message to an agent becomes a queued task. A message to the parent session or to an agent of the same orchestration
 * becomes a notice. A message to a terminal is typed, and the result has no id.
 */
const MessageResult = v.object({
  success: described(v.boolean(), 'Whether the message was accepted'),
  taskId: v.optional(idOf('task', 'Id of the task that the message created')),
  queuePosition: v.optional(
    described(v.number(), 'Position in the queue, 1 is next; omitted if the prompt need not wait'),
  ),
  noticeId: v.optional(idOf('notice', 'Id of the notice that the message created')),
});

const MessageInput = v.strictObject({
  sessionId,
  workerId: v.optional(described(IdPrefix('worker'), "Worker, by id or prefix; default: the session's agent")),
  message: described(
    PromptText,
    'Text: a prompt for an agent, input plus Enter for a terminal, or the text of a notice',
  ),
  idempotencyKey: IdempotencyKey,
});

const ReportInput = v.strictObject({
  sessionId: v.optional(described(sessionId, "Session, by id or prefix; default: the caller's own")),
  outcome: described(v.picklist(['succeeded', 'failed']), 'Outcome of the task'),
  summary: v.pipe(LongText, v.minLength(1), v.description('What was done, or why it could not be done')),
  artifacts: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.maxLength(1_000))),
      v.maxLength(100),
      v.description('Relevant files, branches or links'),
    ),
  ),
  idempotencyKey: IdempotencyKey,
});

const ofSession = v.strictObject({ sessionId });

/** Creates the contract of `sessions.pause`, `sessions.resume` or `sessions.stop`. */
function processOperation<const V extends 'pause' | 'resume' | 'stop', I extends AnySchema>(
  verb: V,
  summary: string,
  input: I,
  peopleOnly: readonly string[],
) {
  return operation({
    name: `sessions.${verb}` as const,
    summary,
    access: 'subtree',
    ...own,
    peopleOnly,
    rest: { method: 'POST', path: `/sessions/:sessionId/${verb}` },
    cli: { command: `sessions ${verb}`, positional: ['sessionId'] },
    tool: {
      name: `${verb}_session`,
      toolset: 'delegation',
      ...(verb === 'stop' ? { destructive: true } : {}),
      input: ofSession,
      output: SessionResult,
      toResult: sessionResult,
    },
    input,
    output: Session,
  });
}

/** Operations on a session's work: message, pause, resume, stop, report, wait, read the output, archive. */
export const sessionWork = [
  operation({
    name: 'sessions.message',
    summary:
      'Send a message to a worker: a prompt to an agent, input to a terminal, or a notice to your parent session or to an agent of the same orchestration',
    access: 'subtree',
    ids: { sessionId: 'session', workerId: 'worker' },
    target: 'sessionId',
    alsoFor: ['parent', 'peer'],
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/messages' },
    cli: { command: 'sessions message', positional: ['sessionId', 'message'] },
    tool: {
      name: 'send_message_to_session',
      toolset: 'delegation',
      description:
        'Send a message to a session you delegated to (as a prompt, queued while its agent is busy), or to your parent session or an agent of your orchestration (as a notice).',
      // Agents must name the worker, so that they do not type into another terminal of the session by accident.
      input: v.strictObject({ ...MessageInput.entries, workerId: IdPrefix('worker') }),
    },
    example: { message: 'Is it done?' },
    input: MessageInput,
    output: MessageResult,
  }),
  processOperation(
    'pause',
    'Interrupt a session and end its agent; the conversation and the queue remain',
    ofSession,
    [],
  ),
  processOperation(
    'resume',
    'Restart a paused or stopped session and continue its conversation',
    v.strictObject({ sessionId, clientMcpServers: v.optional(ClientMcpServers) }),
    ['clientMcpServers'],
  ),
  processOperation(
    'stop',
    "End a session's processes; its running task is cancelled, its queue remains",
    ofSession,
    [],
  ),
  operation({
    name: 'sessions.report',
    summary: "Report the outcome of the session's unfinished task; the author of the task is notified",
    access: 'self',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/result' },
    cli: { command: 'sessions report', positional: ['outcome', 'summary'] },
    tool: {
      name: 'report_result',
      toolset: 'delegation',
      description:
        'Report the outcome of the task you were given. Call it once, when the work is done or cannot be done: your parent is notified at once.',
      // An agent can only report for its own session, so the tool has no `sessionId`.
      input: v.omit(ReportInput, ['sessionId']),
    },
    example: { outcome: 'succeeded', summary: 'Searches return results within 20 ms; tests pass.' },
    input: ReportInput,
    output: v.object({
      taskId: idOf('task', 'Id of the task that the report ended'),
      sessionId: idOf('session', 'Id of the session whose agent reported'),
      status: described(v.string(), 'Status of the task after the report'),
    }),
  }),
  operation({
    name: 'sessions.wait',
    summary: `Wait until a session is idle, asks a question, or has finished; at most ${WAIT_MAX_SECONDS} s. A timeout is not an error`,
    access: 'workspace-read',
    ids,
    includesRemoved: true,
    rest: { method: 'GET', path: '/sessions/:sessionId/wait' },
    cli: {
      command: 'sessions wait',
      positional: ['sessionId'],
      summary: 'Wait until a session is idle, asks a question, or has finished',
      waits: { isDone: ({ reached }) => reached !== null, field: 'timeoutSeconds' },
      examples: ['sessions wait "Fix the login"', 'sessions wait "Fix the login" --until asking --timeout 600'],
    },
    tool: {
      name: 'wait_for_session',
      toolset: 'delegation',
      description: `Wait until a session has finished its tasks (default), is idle, or asks a question. Returns after at most ${CALL_MAX_MS / 1000} s; if stillRunning is true, call again. You are notified of completions even without waiting.`,
      output: WaitResult,
      toResult: waitResult,
    },
    input: v.strictObject({
      sessionId,
      until: v.optional(described(WaitedFor, 'Condition to wait for'), 'finished'),
      timeoutSeconds: v.optional(
        v.pipe(
          v.number(),
          v.minValue(0),
          v.maxValue(WAIT_MAX_SECONDS),
          v.description(`Timeout in seconds, at most ${WAIT_MAX_SECONDS}`),
        ),
        WAIT_DEFAULT_SECONDS,
      ),
    }),
    output: v.object({
      sessionId: idOf('session', 'Id of the requested session'),
      reached: described(v.nullable(WaitedFor), 'Condition that was met, or null if none was'),
      stillRunning: described(v.boolean(), 'Whether the wait timed out before the condition was met'),
      task: v.optional(described(TaskSummary, 'Current task, otherwise the last task')),
      activityState: described(ActivityState, "Last known activity of the session's agent"),
    }),
  }),
  operation({
    name: 'sessions.output',
    summary: "Read the output of a session's worker from an offset, as text or with escape sequences",
    access: 'workspace-read',
    ids: { sessionId: 'session', workerId: 'worker' },
    rest: { method: 'GET', path: '/sessions/:sessionId/output' },
    cli: { command: 'sessions output', positional: ['sessionId'], prints: 'text' },
    tool: {
      name: 'read_session_output',
      toolset: 'delegation',
      input: ReadOutput,
      description:
        'Read the output of a session. To continue without gaps or repetition, pass nextOffset of the last response as sinceOffset.',
    },
    input: v.strictObject({ ...ReadOutput.entries, maxBytes: maxBytes(OUTPUT_DEFAULT_BYTES) }),
    output: v.object({ text: described(v.string(), 'Output of the worker as text'), ...outputPosition }),
  }),
  ...(['archive', 'unarchive'] as const).map((verb) =>
    operation({
      name: `sessions.${verb}` as const,
      summary: verb === 'archive' ? 'Archive a session that has no live worker' : 'Unarchive a session',
      access: 'subtree',
      ...own,
      rest: { method: 'POST', path: `/sessions/:sessionId/${verb}` },
      cli: { command: `sessions ${verb}`, positional: ['sessionId'] },
      input: v.strictObject({ sessionId }),
      output: Session,
    }),
  ),
] as const;
