import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, kindAndId, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { CheckResult } from './check-result.ts';
import { Failure } from './failure.ts';
import { PromptImage } from './image.ts';

export const TaskStatus = v.picklist([
  'queued',
  'running',
  'awaiting_input',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
]);
/** Statuses of a task that has ended. */
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

/** Token usage of a task, as reported by the agent. Cached tokens are counted separately from other input tokens. */
export const TaskUsage = v.object({
  inputTokens: described(v.number(), 'Number of input tokens of the task, excluding cached tokens'),
  outputTokens: described(v.number(), 'Number of output tokens of the task'),
  cacheReadTokens: described(v.number(), 'Number of cached input tokens of the task'),
  costUsd: described(v.nullable(v.number()), 'Cost in US dollars as computed by the agent, or null'),
  source: described(
    v.picklist(['transcript', 'protocol']),
    "Source of the usage: the agent's transcript or its protocol",
  ),
});
export type TaskUsage = v.InferOutput<typeof TaskUsage>;

/** Progress of a task from 0 to 1, as reported by its agent or a person. */
export const TaskProgress = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** A prompt for a session, with its outcome. */
export const Task = v.object({
  id: ownId('Task'),
  sessionId: idOf('session', 'Id of the session of the task'),
  kind: described(TaskKind, 'prompt: requested work; notice: a turn that delivers notices to the agent'),
  prompt: described(v.string(), 'Text of the prompt'),
  images: v.optional(described(v.array(PromptImage), 'Images of the prompt, if it has any')),
  status: described(TaskStatus, 'Status; completed, failed, cancelled and interrupted are final'),
  waitingFor: described(
    v.nullable(v.picklist(['answer', 'report', 'quota'])),
    "answer: the agent asked a question; report: its turn ended without a report; quota: the agent's subscription allows no further use for now; otherwise null",
  ),
  waitingUntil: v.optional(
    described(
      v.nullable(Timestamp),
      'When the task is continued, if it waits for the reset of a usage limit; otherwise null',
    ),
  ),
  outcomeSource: described(
    v.nullable(OutcomeSource),
    "Source of the outcome; hook, title and screen: an activity signal; transcript: the agent's own record of its conversation; `certain` says whether the outcome was inferred",
  ),
  certain: described(
    v.nullable(v.boolean()),
    'Whether the outcome is certain; false if it was inferred from the end of the turn; null without an outcome',
  ),
  source: kindAndId(
    v.object({
      kind: described(
        TaskSourceKind,
        'Who wrote the prompt: a person, session, orchestration or schedule; system: the console',
      ),
      id: described(
        v.nullable(v.string()),
        'Id of the person, session or orchestration that wrote the prompt, or null',
      ),
    }),
    'Author of the prompt',
  ),
  queuePosition: described(v.nullable(v.number()), 'Position in the queue, 1 is next; null unless queued'),
  progress: described(v.nullable(v.number()), 'Completed fraction, 0 to 1, as last reported; null if never reported'),
  blocked: described(
    v.nullable(v.string()),
    'Why the prompt cannot be typed, such as a person typing in the terminal; null if not blocked',
  ),
  summary: described(
    v.nullable(v.string()),
    "Result of the task, in the agent's own words if it reported a result; null if there is none",
  ),
  summaryTruncated: v.optional(
    described(v.literal(true), 'Set if the summary is cut; GET /tasks/{taskId} returns the full text'),
  ),
  artifacts: described(v.array(v.string()), 'Paths or links of the results that the agent reported'),
  error: described(v.nullable(Failure), 'Why the task failed, or null'),
  usage: described(v.nullable(TaskUsage), 'Token usage reported by the agent so far; null if it reports none'),
  check: v.optional(
    described(
      CheckResult,
      "Result of the repository's check command for the current commit of the session's worktree, as recorded by the console; set only on the newest prompt of a session, and only if that commit was checked",
    ),
  ),
  version: described(v.number(), 'Increases with each change; pass it as expectedVersion to detect changes by others'),
  createdAt: described(Timestamp, 'Creation time'),
  startedAt: described(v.nullable(Timestamp), 'Time when the task started, or null'),
  endedAt: described(v.nullable(Timestamp), 'Time when the task ended, or null'),
});
export type Task = v.InferOutput<typeof Task>;

/** Short form of a task, for sessions and for the results of `get_session_status` and `wait_for_session`. */
export const TaskSummary = v.pick(Task, [
  'id',
  'status',
  'waitingFor',
  'outcomeSource',
  'certain',
  'progress',
  'summary',
  'summaryTruncated',
  'error',
]);
export type TaskSummary = v.InferOutput<typeof TaskSummary>;

const RETRYABLE: ReadonlySet<TaskStatus> = new Set(['failed', 'interrupted', 'cancelled']);

/** Whether the prompt of a task can be sent again by `tasks.retry`. */
export function isRetryable({ status, kind }: Pick<Task, 'status' | 'kind'>): boolean {
  return kind === 'prompt' && RETRYABLE.has(status);
}
