import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableActor, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { ActivitySource } from './worker.ts';

/**
 * `pending`: not answered yet; `answered`: answered with `approvals.answer`; `withdrawn`: answered in the agent's
 * terminal, or no longer asked.
 */
export const ApprovalState = v.picklist(['pending', 'answered', 'withdrawn']);
export type ApprovalState = v.InferOutput<typeof ApprovalState>;

/**
 * What an answer to a permission request over ACP does: it allows or rejects one use of a tool, or this use and all
 * later ones.
 */
export const PermissionEffect = v.picklist(['allow_once', 'allow_always', 'reject_once', 'reject_always']);
export type PermissionEffect = v.InferOutput<typeof PermissionEffect>;

export const ApprovalOption = v.object({
  id: described(v.string(), 'Option id, valid while the question is pending'),
  label: described(v.string(), 'Label of the answer, as shown by the agent'),
  kind: described(
    v.picklist(['allow', 'deny', 'other']),
    'allow or deny: permits or forbids what the agent wants to do; other: any other answer',
  ),
  effect: v.optional(
    described(
      PermissionEffect,
      'What the agent says the answer does: …_once for this use of the tool, …_always also for later uses; only in permission requests over ACP',
    ),
  ),
});
export type ApprovalOption = v.InferOutput<typeof ApprovalOption>;

/** Value of a form field; `string[]` for a field of type `choices`. */
export const FormValue = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]);
export type FormValue = v.InferOutput<typeof FormValue>;

/** A value that a person is asked to enter: in a form of an agent, or in a question about a budget. */
export const FormField = v.object({
  id: described(v.string(), 'Id of the field, under which the answer contains the value'),
  type: described(
    v.picklist(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
    'Type of the value; choice: one of the values in `choices`; choices: a list of these values',
  ),
  title: described(v.string(), 'Label of the field'),
  description: described(v.nullable(v.string()), 'Explanation of what a person should enter, or null'),
  required: described(v.boolean(), 'Whether a value must be entered'),
  secret: described(v.boolean(), 'Whether the value looks like a password, and is therefore not shown while typed'),
  default: described(v.nullable(FormValue), 'Value used if none is entered, or null'),
  choices: described(
    v.array(
      v.object({
        value: described(v.string(), 'Value that the answer contains if a person selects the choice'),
        label: described(v.string(), 'Label of the choice'),
      }),
    ),
    'Possible values for the types choice and choices; empty for other types',
  ),
  min: described(
    v.nullable(v.number()),
    'Minimum value of a number or integer, minimum characters of a text or minimum number of selected choices; null: no minimum',
  ),
  max: described(
    v.nullable(v.number()),
    'Maximum value of a number or integer, maximum characters of a text or maximum number of selected choices; null: no maximum',
  ),
  format: described(
    v.nullable(v.picklist(['email', 'uri', 'date', 'date-time'])),
    'Format of a text, or null; date: YYYY-MM-DD; date-time: with a time and a time zone',
  ),
  pattern: described(v.nullable(v.string()), 'Regular expression that a text must match, or null'),
});
export type FormField = v.InferOutput<typeof FormField>;

/**
 * Ids of answers. A form or link has `accept`, `decline` and `cancel`. A question about a budget has `accept` and
 * `decline`. A log-in has `retry`, `cancel` and `login:<method>` for each method.
 */
export const ANSWERS = { accept: 'accept', decline: 'decline', cancel: 'cancel', retry: 'retry' } as const;

/** A question with its possible answers: an agent asks before it continues, or the console asks about a budget. */
export const Approval = v.object({
  id: ownId('Approval'),
  sessionId: idOf('session', 'Id of the session that shows the question'),
  workerId: nullableIdOf('worker', 'Id of the worker that asks; null if the console asks about a budget'),
  orchestrationId: nullableIdOf('orchestration', 'Id of the orchestration whose budget is used up, or null'),
  taskId: nullableIdOf('task', 'Id of the task during which the agent asked, or null'),
  kind: described(
    v.picklist(['question', 'form', 'link', 'login', 'budget']),
    'question: choose one of the options; form: enter values, then choose accept; link: open a page, then choose accept; login: choose how to log in; budget: enter amounts, then choose accept to allow more',
  ),
  text: described(v.string(), 'Text of the question, with its details'),
  tool: described(
    v.nullable(v.string()),
    'Name of the tool that the agent wants to use, or null if the question names none',
  ),
  callId: described(
    v.nullable(v.string()),
    'Id of the tool call that an agent over ACP asks about (`callId` of a message part), or null',
  ),
  options: described(
    v.array(ApprovalOption),
    'Answers to choose from; empty if the agent expects free text, which a person must type into its terminal',
  ),
  fields: described(
    v.array(FormField),
    'Values that a form asks for, or amounts by which a budget is raised; empty for other kinds',
  ),
  url: described(
    v.nullable(v.string()),
    'URL of the page that a person should open, for a question of kind link; otherwise null',
  ),
  source: described(ActivitySource, 'How the console noticed the question, such as hook or screen'),
  state: described(
    ApprovalState,
    "pending: waits for an answer; answered: with approvals.answer; withdrawn: answered in the agent's terminal, or no longer asked",
  ),
  optionId: described(v.nullable(v.string()), 'Id of the option chosen through the console, or null'),
  answeredBy: nullableActor('Who answered: user:<id>, or null'),
  createdAt: described(Timestamp, 'Time when the question was asked'),
  endedAt: described(v.nullable(Timestamp), 'Time when the question was answered or withdrawn, or null'),
});
export type Approval = v.InferOutput<typeof Approval>;
