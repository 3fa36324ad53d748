import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const WorkerType = v.picklist(['agent', 'terminal', 'git-diff']);
export const WorkerState = v.picklist(['starting', 'running', 'exited', 'lost']);
export const ActivityState = v.picklist(['active', 'idle', 'asking', 'unknown']);
export const ActivitySource = v.picklist(['protocol', 'hook', 'title', 'process', 'screen', 'output', 'person']);
export const Confidence = v.picklist(['certain', 'likely', 'guess']);
export type ActivityState = v.InferOutput<typeof ActivityState>;
export type ActivitySource = v.InferOutput<typeof ActivitySource>;
export type Confidence = v.InferOutput<typeof Confidence>;
export type WorkerState = v.InferOutput<typeof WorkerState>;
export type WorkerType = v.InferOutput<typeof WorkerType>;

/** A report of another source about the agent's activity that contradicts the displayed activity. */
export const Dispute = v.object({
  source: described(ActivitySource, 'Source that contradicts the displayed activity'),
  state: described(ActivityState, 'Activity according to this source'),
});
export type Dispute = v.InferOutput<typeof Dispute>;

/**
 * An agent or terminal process of a session, or a diff view, which has no process and is `running` until it is removed.
 */
export const Worker = v.object({
  id: ownId('Worker'),
  sessionId: idOf('session', 'Id of the session of the worker'),
  type: described(WorkerType, 'agent and terminal are processes; git-diff is a view without a process'),
  agentId: described(v.nullable(v.string()), 'Id of the agent definition; null for a terminal or diff view'),
  agentWorkerId: nullableIdOf(
    'worker',
    'Id of the agent worker that opened this terminal; the terminal is closed at the latest when that agent ends; null for other workers',
  ),
  pid: described(v.nullable(v.number()), 'Process id while the process exists; otherwise null'),
  state: described(WorkerState, 'State of the process; lost: it disappeared with the runner or the machine'),
  exitCode: described(
    v.nullable(v.number()),
    'Exit code of the process; null while it runs, or if a Unix signal ended it',
  ),
  signal: described(v.nullable(v.string()), 'Name of the Unix signal that ended the process, such as SIGTERM, or null'),
  activityState: described(ActivityState, 'Last known activity of the agent'),
  activitySource: described(ActivitySource, 'How the activity was determined, such as hook or screen'),
  activitySince: described(Timestamp, 'Time when the current activity began'),
  confidence: described(Confidence, 'How certain the console is of this activity'),
  disputed: described(v.array(Dispute), 'Sources that contradict the activity, most trusted first'),
  logOffset: described(v.number(), 'Number of bytes that the worker has printed so far'),
  warnings: described(v.array(v.string()), 'Problems of the worker'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type Worker = v.InferOutput<typeof Worker>;

/** Resource use of all processes of a worker: its own process and the processes started from it, including daemons. */
export const Resources = v.object({
  cpuPercent: described(
    v.nullable(v.number()),
    'CPU use in percent of one core since the previous measurement; null without a recent measurement',
  ),
  memoryBytes: described(
    v.number(),
    'Memory use in bytes: unshared memory of all processes, plus the largest shared memory of one process',
  ),
  processes: described(v.number(), 'Number of processes that were measured, including daemons'),
  at: described(Timestamp, 'Time when the resource use was measured'),
});
export type Resources = v.InferOutput<typeof Resources>;

/** A worker with its resource use. Lists omit resource use, because measuring reads every process of the machine. */
export const MeasuredWorker = v.object({
  ...Worker.entries,
  resources: described(
    v.nullable(Resources),
    'Resource use; null without a process, if the system does not report it (macOS), or without a recent measurement',
  ),
});
export type MeasuredWorker = v.InferOutput<typeof MeasuredWorker>;
