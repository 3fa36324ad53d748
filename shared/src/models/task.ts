import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, kindAndId, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { Failure } from './failure.ts';

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

/** Token usage of a task, as reported by the agent. Cached tokens are not also counted as input. */
export const TaskUsage = v.object({
  inputTokens: described(v.number(), 'Tokens read by the model, without cached ones'),
  outputTokens: described(v.number(), 'Tokens written by the model'),
  cacheReadTokens: described(v.number(), 'Tokens read by the model from a cache'),
  costUsd: described(v.nullable(v.number()), 'US dollars as the agent computes them, or null'),
  source: described(v.picklist(['transcript']), 'Source of the numbers: the agent’s own transcript'),
});
export type TaskUsage = v.InferOutput<typeof TaskUsage>;

/** Progress of a task from 0 to 1, as reported by its agent or a person. */
export const TaskProgress = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** One prompt for a session. Only tasks have an outcome. */
export const Task = v.object({
  id: ownId('Task'),
  sessionId: idOf('session', 'Session of the task'),
  kind: described(TaskKind, 'prompt: work that was requested; notice: the turn in which an agent receives notices'),
  prompt: described(v.string(), 'Prompt'),
  status: described(TaskStatus, 'Status; the first of completed, failed, cancelled and interrupted is final'),
  waitingFor: described(
    v.nullable(v.picklist(['answer', 'report'])),
    'answer: the agent args something; report: its turn ended without a report; null otherwise',
  ),
  outcomeSource: described(
    v.nullable(OutcomeSource),
    'Source of the outcome. report, protocol, exit, person and system are certain; hook, title and screen are activity signals; transcript is the agent’s own record',
  ),
  certain: described(
    v.nullable(v.boolean()),
    'Whether the outcome is certain rather than inferred from activity signals; null while there is none',
  ),
  source: kindAndId(
    v.object({
      kind: described(TaskSourceKind, 'Kind of the author'),
      id: described(v.nullable(v.string()), 'Id of the person or session, or null'),
    }),
    'Author of the prompt',
  ),
  queuePosition: described(v.nullable(v.number()), 'Position in the queue, 1 is next; null unless queued'),
  progress: described(v.nullable(v.number()), 'Completed fraction, 0 to 1, as last reported; null if never reported'),
  blocked: described(
    v.nullable(v.string()),
    'Why the prompt is not being typed, such as waiting for the keyboard; null when nothing blocks it',
  ),
  summary: described(v.nullable(v.string()), 'Result, in the agent’s own words where it reported any'),
  summaryTruncated: v.optional(
    described(v.literal(true), 'Set where the summary is cut; GET /tasks/{taskId} has all of it'),
  ),
  artifacts: described(v.array(v.string()), 'Paths or links of what was made'),
  error: described(v.nullable(Failure), 'Why it failed, or null'),
  usage: described(
    v.nullable(TaskUsage),
    'Tokens used, as far as the agent has reported by now; null where it reports nothing',
  ),
  version: described(v.number(), 'Increases with each change; pass it as expectedVersion to change only what you saw'),
  createdAt: described(Timestamp, 'Creation time'),
  startedAt: described(v.nullable(Timestamp), 'Start time, or null'),
  endedAt: described(v.nullable(Timestamp), 'End time, or null'),
});
export type Task = v.InferOutput<typeof Task>;

/** Short form of a task for `get_session_status` and `wait_for_session`. */
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
