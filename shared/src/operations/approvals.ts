import * as v from 'valibot';
import { IdPrefix } from '../ids.ts';
import { Approval, ApprovalState } from '../models/approval.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const approvalId = IdPrefix('approval');
const ids = { approvalId: 'approval' } as const;

/** None of them is a tool: an agent that could answer them could approve itself. */
export const approvals = [
  operation({
    name: 'approvals.list',
    summary:
      'What agents ask before they go on, newest first; only what still waits for an answer unless a state is given',
    effect: 'read',
    access: 'workspace-read',
    ids: { sessionId: 'session' },
    rest: { method: 'GET', path: '/approvals' },
    cli: { command: 'approvals list', columns: ['id', 'sessionId', 'state', 'tool', 'text'] },
    input: v.strictObject({
      sessionId: v.optional(IdPrefix('session')),
      state: v.optional(ApprovalState, 'pending'),
      ...PageInput,
    }),
    output: pageOf(Approval),
  }),
  operation({
    name: 'approvals.get',
    summary: 'One question of an agent, with the answers it takes',
    effect: 'read',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/approvals/:approvalId' },
    cli: { command: 'approvals get', positional: ['approvalId'] },
    input: v.strictObject({ approvalId }),
    output: Approval,
  }),
  operation({
    name: 'approvals.answer',
    summary: 'Answer what an agent asks; CONFLICT where it is answered already or asks something else by now',
    effect: 'write',
    access: 'member',
    ids,
    target: 'approvalId',
    idempotent: true,
    rest: { method: 'POST', path: '/approvals/:approvalId' },
    cli: { command: 'approvals answer', positional: ['approvalId', 'optionId'] },
    input: v.strictObject({ approvalId, optionId: v.pipe(v.string(), v.nonEmpty(), v.maxLength(100)) }),
    output: Approval,
  }),
] as const;
