import * as v from 'valibot';
import { approvalColumns } from '../columns.ts';
import { described } from '../describe.ts';
import { IdPrefix } from '../ids.ts';
import { FORM_FIELDS_MAX, FORM_NAME_MAX_CHARS } from '../limits/approvals.ts';
import { Approval, ApprovalState, FormValue } from '../models/approval.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const approvalId = IdPrefix('approval');
/** Arrays are rejected here, because `v.record` accepts an array as an object whose keys are indexes. */
const FormValues = v.pipe(
  v.custom<Record<string, unknown>>((input) => !Array.isArray(input), 'must be an object of field ids and values'),
  v.record(v.pipe(v.string(), v.maxLength(FORM_NAME_MAX_CHARS)), FormValue),
  v.maxEntries(FORM_FIELDS_MAX),
  v.description(
    "Values for the fields of the question's form, by field id; only used when optionId is accept. The console sends them to the agent and does not store them. Fields that are left out get their default",
  ),
);
const ids = { approvalId: 'approval' } as const;

/** Operations on approvals. None is an MCP tool, because agents could approve their own requests with it. */
export const approvals = [
  operation({
    name: 'approvals.list',
    summary: 'Questions from agents or about a budget, newest first; only pending questions unless a state is given',
    access: 'workspace-read',
    ids: { sessionId: 'session' },
    rest: { method: 'GET', path: '/approvals' },
    cli: { command: 'approvals list', columns: approvalColumns },
    input: v.strictObject({
      sessionId: v.optional(IdPrefix('session')),
      state: v.optional(described(ApprovalState, 'Filter by state'), 'pending'),
      ...PageInput,
    }),
    output: pageOf(Approval),
  }),
  operation({
    name: 'approvals.get',
    summary: 'One question from an agent or about a budget, with the possible answers',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/approvals/:approvalId' },
    cli: { command: 'approvals get', positional: ['approvalId'] },
    input: v.strictObject({ approvalId }),
    output: Approval,
  }),
  operation({
    name: 'approvals.answer',
    summary:
      'Answer a question from an agent or about a budget; refused if it was already answered or the agent now asks another question',
    access: 'member',
    ids,
    target: 'approvalId',
    idempotent: true,
    rest: { method: 'POST', path: '/approvals/:approvalId' },
    cli: { command: 'approvals answer', positional: ['approvalId', 'optionId'] },
    example: { optionId: 'y' },
    input: v.strictObject({
      approvalId,
      optionId: v.pipe(
        v.string(),
        v.nonEmpty(),
        v.maxLength(100),
        v.description("Id of one of the question's options"),
      ),
      values: v.optional(FormValues),
    }),
    output: Approval,
  }),
] as const;
