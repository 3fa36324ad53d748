import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableActor, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { ActivitySource } from './worker.ts';

/** `answered`: through the console; `withdrawn`: answered at the keyboard, or the agent no longer asks. */
export const ApprovalState = v.picklist(['pending', 'answered', 'withdrawn']);
export type ApprovalState = v.InferOutput<typeof ApprovalState>;

export const ApprovalOption = v.object({
  id: described(v.string(), 'Option id, valid while the question is pending'),
  label: described(v.string(), 'Label of the answer, as shown by the agent'),
  kind: described(
    v.picklist(['allow', 'deny', 'other']),
    'allow or deny: permits or forbids what the agent wants to do; other: any other answer',
  ),
});
export type ApprovalOption = v.InferOutput<typeof ApprovalOption>;

/** A question that an agent asks before it continues, with the possible answers. */
export const Approval = v.object({
  id: ownId('Approval'),
  sessionId: idOf('session', 'Session whose agent asks'),
  workerId: idOf('worker', 'Worker that asks'),
  taskId: nullableIdOf('task', 'Task during which the agent asked, or null'),
  text: described(v.string(), 'Question and its context'),
  tool: described(v.nullable(v.string()), 'Tool that the agent wants to use, or null if the question names none'),
  options: described(
    v.array(ApprovalOption),
    'Answers to choose from; empty if the agent expects free text, which a person must type into its terminal',
  ),
  source: described(ActivitySource, 'How the console noticed the question, such as hook or screen'),
  state: described(
    ApprovalState,
    'pending: waits for an answer; answered: through the console; withdrawn: answered at the keyboard, or no longer asked',
  ),
  optionId: described(v.nullable(v.string()), 'Option chosen through the console, or null'),
  answeredBy: nullableActor('Who answered: user:<id>, or null'),
  createdAt: described(Timestamp, 'Time when the agent asked'),
  endedAt: described(v.nullable(Timestamp), 'Time when the question was answered or withdrawn, or null'),
});
export type Approval = v.InferOutput<typeof Approval>;
