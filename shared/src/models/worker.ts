import * as v from 'valibot';
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

/** A source that says otherwise than the state that is shown. */
export const Dispute = v.object({ source: ActivitySource, state: ActivityState });
export type Dispute = v.InferOutput<typeof Dispute>;

/** A live unit of a session: an agent or terminal process, or a diff view (which has no process and is always `running`). */
export const Worker = v.object({
  id: v.string(),
  sessionId: v.string(),
  type: WorkerType,
  agentId: v.nullable(v.string()),
  pid: v.nullable(v.number()),
  state: WorkerState,
  /** Null while it lives and when a signal ended it. */
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  activityState: ActivityState,
  activitySource: ActivitySource,
  activitySince: Timestamp,
  confidence: Confidence,
  /** Sources that say otherwise, the most trusted first. */
  disputed: v.array(Dispute),
  /** Bytes of output written so far, as far as the server knows. */
  logOffset: v.number(),
  warnings: v.array(v.string()),
  createdAt: Timestamp,
});
export type Worker = v.InferOutput<typeof Worker>;

/** What all processes of a worker take of the machine: its agent and whatever that started, daemons too. */
export const Resources = v.object({
  /** Percent of one core, since the look before; null at the first look in a while. */
  cpuPercent: v.nullable(v.number()),
  /** Memory that each process holds for itself, and the largest part that it shares with others once. */
  memoryBytes: v.number(),
  processes: v.number(),
  at: Timestamp,
});
export type Resources = v.InferOutput<typeof Resources>;

/** A worker looked at by itself: lists do without, since measuring means a look at every process of the machine. */
export const MeasuredWorker = v.object({
  ...Worker.entries,
  /** Null without a process, where the machine does not tell (macOS), and where nobody has looked in a while. */
  resources: v.nullable(Resources),
});
export type MeasuredWorker = v.InferOutput<typeof MeasuredWorker>;
