import * as v from 'valibot';
import { Timestamp } from '../time.ts';
import { ActivitySource } from './worker.ts';

/** `pending` until it is answered here; `withdrawn` when it was answered at the keyboard or is not asked any more. */
export const ApprovalState = v.picklist(['pending', 'answered', 'withdrawn']);
export type ApprovalState = v.InferOutput<typeof ApprovalState>;

export const ApprovalOption = v.object({
  id: v.string(),
  label: v.string(),
  kind: v.picklist(['allow', 'deny', 'other']),
});
export type ApprovalOption = v.InferOutput<typeof ApprovalOption>;

/** What an agent asks before it goes on, with the answers it takes. */
export const Approval = v.object({
  id: v.string(),
  sessionId: v.string(),
  workerId: v.string(),
  taskId: v.nullable(v.string()),
  text: v.string(),
  /** The tool it wants to use, where it names one. */
  tool: v.nullable(v.string()),
  /** Empty where the answer is free text, which is typed into its terminal. */
  options: v.array(ApprovalOption),
  source: ActivitySource,
  state: ApprovalState,
  optionId: v.nullable(v.string()),
  answeredBy: v.nullable(v.string()),
  createdAt: Timestamp,
  endedAt: v.nullable(Timestamp),
});
export type Approval = v.InferOutput<typeof Approval>;
