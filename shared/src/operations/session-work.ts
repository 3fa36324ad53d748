import * as v from 'valibot';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { CALL_MAX_MS, WAIT_DEFAULT_SECONDS, WAIT_MAX_SECONDS } from '../limits/calls.ts';
import { OUTPUT_DEFAULT_BYTES, OUTPUT_MAX_BYTES, OUTPUT_TOOL_BYTES } from '../limits/streams.ts';
import { Session } from '../models/session.ts';
import { TaskSummary } from '../models/task.ts';
import { ActivityState } from '../models/worker.ts';
import { operation } from '../operation.ts';
import { LongText, PromptText } from '../text.ts';
import { SessionResult, sessionResult, WaitedFor, WaitResult, waitResult } from './session-views.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;
const own = { ids, target: 'sessionId' } as const;

const maxBytes = (byDefault: number) =>
  v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(64),
      v.maxValue(OUTPUT_MAX_BYTES),
      v.description(`Bytes at most, 64 to ${OUTPUT_MAX_BYTES}; default ${byDefault}`),
    ),
    byDefault,
  );

/** What a tool reads without being told how much, fits into one result. */
const ReadOutput = v.strictObject({
  sessionId,
  workerId: v.optional(v.pipe(IdPrefix('worker'), v.description('Default: the newest agent worker'))),
  sinceOffset: v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description('Offset in bytes to read from')),
  ),
  format: v.optional(
    v.pipe(
      v.picklist(['text', 'ansi']),
      v.description('text: finished lines without escape sequences; ansi: as printed'),
    ),
    'text',
  ),
  maxBytes: maxBytes(OUTPUT_TOOL_BYTES),
});

/** What became of a message: a task in the queue, or a notice to the parent. */
const Said = v.object({
  success: v.boolean(),
  taskId: v.optional(v.string()),
  queuePosition: v.optional(v.number()),
  noticeId: v.optional(v.string()),
});

/** What is done with a session at work: tell it, let it rest or go on, hear its result, wait for it, read what it printed. */
export const sessionWork = [
  operation({
    name: 'sessions.message',
    summary: 'Send a message to a worker: a prompt to an agent, typing to a terminal; to the own parent it is a notice',
    effect: 'write',
    access: 'subtree',
    ids: { sessionId: 'session', workerId: 'worker' },
    target: 'sessionId',
    parentToo: true,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/messages' },
    cli: { command: 'sessions message', positional: ['sessionId', 'message'] },
    tool: {
      name: 'send_message_to_session',
      toolset: 'delegation',
      description:
        'Send a follow-up message to a session you delegated to. An agent gets it as a prompt (queued while it is busy); your parent session gets it as a notice.',
      input: v.strictObject({
        sessionId,
        workerId: IdPrefix('worker'),
        message: v.pipe(PromptText, v.description('What to tell it')),
        idempotencyKey: IdempotencyKey,
      }),
      output: Said,
    },
    input: v.strictObject({
      sessionId,
      workerId: v.optional(IdPrefix('worker')),
      message: PromptText,
      idempotencyKey: IdempotencyKey,
    }),
    output: Said,
  }),
  ...(['pause', 'resume', 'stop'] as const).map((verb) =>
    operation({
      name: `sessions.${verb}` as const,
      summary: {
        pause: 'Interrupt a session and end its process; the conversation and the queue are kept',
        resume: 'Start a paused or stopped session again where its conversation ended',
        stop: 'End the process of a session; its running task is cancelled, its queue is kept',
      }[verb],
      effect: 'write',
      access: 'subtree',
      ...own,
      rest: { method: 'POST', path: `/sessions/:sessionId/${verb}` },
      cli: { command: `sessions ${verb}`, positional: ['sessionId'] },
      tool: {
        name: `${verb}_session`,
        toolset: 'delegation',
        ...(verb === 'stop' ? { destructive: true } : {}),
        output: SessionResult,
        toResult: sessionResult,
      },
      input: v.strictObject({ sessionId }),
      output: Session,
    }),
  ),
  operation({
    name: 'sessions.report',
    summary: "Report how the session's open task ended; whoever gave it is told",
    effect: 'write',
    access: 'self',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/result' },
    cli: { command: 'sessions report', positional: ['outcome', 'summary'] },
    tool: {
      name: 'report_result',
      toolset: 'delegation',
      description:
        'Report the outcome of the task you were given. Call it once, when the work is done or cannot be done: your parent is told at once.',
      input: v.strictObject({
        outcome: v.pipe(v.picklist(['succeeded', 'failed']), v.description('How it ended')),
        summary: v.pipe(LongText, v.minLength(1), v.description('What was done, or why it could not be')),
        artifacts: v.optional(
          v.pipe(
            v.array(v.pipe(v.string(), v.maxLength(1_000))),
            v.maxLength(100),
            v.description('Files, branches or links that matter'),
          ),
        ),
        idempotencyKey: IdempotencyKey,
      }),
    },
    input: v.strictObject({
      sessionId: v.optional(v.pipe(sessionId, v.description("Default: the caller's own session"))),
      outcome: v.picklist(['succeeded', 'failed']),
      summary: v.pipe(LongText, v.minLength(1)),
      artifacts: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(100))),
      idempotencyKey: IdempotencyKey,
    }),
    output: v.object({ taskId: v.string(), sessionId: v.string(), status: v.string() }),
  }),
  operation({
    name: 'sessions.wait',
    summary: `Wait until a session is idle, asks, or has finished; at most ${WAIT_MAX_SECONDS} s, and running out of time is no error`,
    effect: 'read',
    access: 'workspace-read',
    ids,
    includesRemoved: true,
    rest: { method: 'GET', path: '/sessions/:sessionId/wait' },
    cli: { command: 'sessions wait', positional: ['sessionId'] },
    tool: {
      name: 'wait_for_session',
      toolset: 'delegation',
      description: `Wait until a session has finished its tasks (default), is idle, or asks something. Answers after at most ${CALL_MAX_MS / 1000} s; with stillRunning true call it again. You are also told of completions without waiting.`,
      output: WaitResult,
      toResult: waitResult,
    },
    input: v.strictObject({
      sessionId,
      until: v.optional(v.pipe(WaitedFor, v.description('What to wait for')), 'finished'),
      timeoutSeconds: v.optional(
        v.pipe(
          v.number(),
          v.minValue(0),
          v.maxValue(WAIT_MAX_SECONDS),
          v.description(`Seconds, at most ${WAIT_MAX_SECONDS}`),
        ),
        WAIT_DEFAULT_SECONDS,
      ),
    }),
    output: v.object({
      sessionId: v.string(),
      reached: v.nullable(WaitedFor),
      stillRunning: v.boolean(),
      task: v.optional(TaskSummary),
      activityState: ActivityState,
    }),
  }),
  operation({
    name: 'sessions.output',
    summary: "Read what a session's worker printed, from an offset, as text or with its escape sequences",
    effect: 'read',
    access: 'workspace-read',
    ids: { sessionId: 'session', workerId: 'worker' },
    rest: { method: 'GET', path: '/sessions/:sessionId/output' },
    cli: { command: 'sessions output', positional: ['sessionId'], prints: 'text' },
    tool: {
      name: 'read_session_output',
      toolset: 'delegation',
      input: ReadOutput,
      description:
        'Read what a session printed. Give the nextOffset of the last answer as sinceOffset to go on without gap or double; without it you get the newest output.',
    },
    input: v.strictObject({ ...ReadOutput.entries, maxBytes: maxBytes(OUTPUT_DEFAULT_BYTES) }),
    output: v.object({
      text: v.string(),
      /** Where the text begins; above sinceOffset when older output was dropped. */
      offset: v.number(),
      nextOffset: v.number(),
      /** More is stored behind nextOffset. */
      truncated: v.boolean(),
      /** `screen` and `messages`: the agent draws on an alternate screen, which has no lines to go on from. */
      rendered: v.picklist(['lines', 'raw', 'screen', 'messages']),
    }),
  }),
  ...(['archive', 'unarchive'] as const).map((verb) =>
    operation({
      name: `sessions.${verb}` as const,
      summary:
        verb === 'archive' ? 'Put a session without a live worker out of sight' : 'Bring an archived session back',
      effect: 'write',
      access: 'subtree',
      ...own,
      rest: { method: 'POST', path: `/sessions/:sessionId/${verb}` },
      cli: { command: `sessions ${verb}`, positional: ['sessionId'] },
      input: v.strictObject({ sessionId }),
      output: Session,
    }),
  ),
] as const;
