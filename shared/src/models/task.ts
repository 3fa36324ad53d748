import * as v from 'valibot';
import { Timestamp } from '../time.ts';

export const TaskStatus = v.picklist([
  'queued',
  'running',
  'awaiting_input',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
]);
/** How a task ended. */
export const TaskOutcome = v.picklist(['completed', 'failed', 'cancelled', 'interrupted']);
export const OutcomeSource = v.picklist([
  'report',
  'protocol',
  'exit',
  'person',
  'system',
  'hook',
  'title',
  'screen',
  'transcript',
]);
export const TaskKind = v.picklist(['prompt', 'notice']);
export const TaskSourceKind = v.picklist(['person', 'session', 'orchestration', 'schedule', 'system']);
export type TaskOutcome = v.InferOutput<typeof TaskOutcome>;
export type TaskStatus = v.InferOutput<typeof TaskStatus>;
export type OutcomeSource = v.InferOutput<typeof OutcomeSource>;
export type TaskKind = v.InferOutput<typeof TaskKind>;

/** What the model used for a task, as the agent tells it; what came out of a cache is not counted as input again. */
export const TaskUsage = v.object({
  inputTokens: v.number(),
  outputTokens: v.number(),
  cacheReadTokens: v.number(),
  /** US dollars as the agent reckons them, or null. */
  costUsd: v.nullable(v.number()),
  source: v.picklist(['transcript']),
});
export type TaskUsage = v.InferOutput<typeof TaskUsage>;

/** How much of a task is done, 0 to 1, as its agent or a person says. */
export const TaskProgress = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** One prompt given to a session: the only thing with an outcome. */
export const Task = v.object({
  id: v.string(),
  sessionId: v.string(),
  kind: TaskKind,
  prompt: v.string(),
  status: TaskStatus,
  waitingFor: v.nullable(v.picklist(['answer', 'report'])),
  outcomeSource: v.nullable(OutcomeSource),
  /** Whether the outcome is known rather than read from signs; null while it has none. */
  certain: v.nullable(v.boolean()),
  source: v.object({ kind: TaskSourceKind, id: v.nullable(v.string()) }),
  /** 1 = next; null unless queued. */
  queuePosition: v.nullable(v.number()),
  /** What was said last of how much is done, 0 to 1; null when nothing was said. */
  progress: v.nullable(v.number()),
  /** Why a queued or running prompt is not being typed, e.g. `waiting for the keyboard`; null when nothing holds it. */
  blocked: v.nullable(v.string()),
  summary: v.nullable(v.string()),
  /** There where only the beginning of the summary is shown; `GET /tasks/:taskId` has all of it. */
  summaryTruncated: v.optional(v.literal(true)),
  artifacts: v.array(v.string()),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  usage: v.nullable(TaskUsage),
  version: v.number(),
  createdAt: Timestamp,
  startedAt: v.nullable(Timestamp),
  endedAt: v.nullable(Timestamp),
});
export type Task = v.InferOutput<typeof Task>;

/** The short form that `get_session_status` and `wait_for_session` show. */
export const TaskSummary = v.object({
  id: v.string(),
  status: TaskStatus,
  waitingFor: v.nullable(v.picklist(['answer', 'report'])),
  outcomeSource: v.nullable(OutcomeSource),
  certain: v.nullable(v.boolean()),
  progress: v.nullable(v.number()),
  summary: v.nullable(v.string()),
  summaryTruncated: v.optional(v.literal(true)),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
});
export type TaskSummary = v.InferOutput<typeof TaskSummary>;
