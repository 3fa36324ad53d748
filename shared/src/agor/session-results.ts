import * as v from 'valibot';
import { TOOL_SYNC_SUMMARY_BYTES } from '../limits/answers.ts';
import { TaskStatus } from '../models/task.ts';
import { rowTitle } from '../operations/session-views.ts';
import { AgorSessionStatus } from './sessions.ts';
import { bytesBeside, fittingRows, fittingText, jsonBytes } from './size.ts';
import { type ListArguments, snakeEntity } from './snake.ts';

/** This file defines the results of the tools that prompt, fork and spawn sessions, and of the genealogy tool. */

const Relative = v.object({
  session_id: v.string(),
  title: v.string(),
  agentic_tool: v.string(),
  status: AgorSessionStatus,
  relation: v.picklist(['spawn', 'fork']),
});

/**
 * Relatives of a session. `level` is the distance from the session; `parent_id` is the session from which the relative
 * was spawned or forked.
 */
export const GenealogyResult = v.object({
  session_id: v.string(),
  parent: v.nullable(Relative),
  siblings: v.array(Relative),
  children: v.array(v.object({ ...Relative.entries, parent_id: v.string(), level: v.number() })),
  truncated: v.boolean(),
});

interface Row {
  id: string;
  title: string;
  status: string;
  outcome: string | null;
  [field: string]: unknown;
}

/**
 * Formats a genealogy. Without a limit, it contains as many relatives as fit into one result; children take precedence
 * over siblings.
 */
export function genealogyResult(
  found: { sessionId: string; parent: Row | null; siblings: Row[]; children: Row[]; truncated: boolean },
  args: ListArguments,
) {
  const row = ({ title, status, outcome, ...each }: Row) =>
    snakeEntity('session', { ...each, title: rowTitle(title), status: outcome ?? status });
  const parent = found.parent === null ? null : row(found.parent);
  const all = { children: found.children.map(row), siblings: found.siblings.map(row) };
  const limit = args.limit ?? Number.POSITIVE_INFINITY;
  const fitting = (rows: Record<string, unknown>[], otherFields: unknown) =>
    args.limit === undefined ? fittingRows(rows, bytesBeside(otherFields)) : rows.slice(0, limit);
  const children = fitting(all.children, { parent });
  const siblings = fitting(all.siblings, { parent, children });
  const cut = children.length < all.children.length || siblings.length < all.siblings.length;
  return { session_id: found.sessionId, parent, siblings, children, truncated: found.truncated || cut };
}

/** Result of a fork or spawn: the new session, and the task created from its prompt. */
export const BranchResult = v.object({
  sessionId: v.string(),
  taskId: v.string(),
  status: TaskStatus,
  summary: v.optional(v.nullable(v.string())),
  timedOut: v.optional(v.literal(true)),
  warnings: v.optional(v.array(v.string())),
});

/**
 * Result of a prompt: `{ success, taskId }` if the same session runs it, otherwise the fields of `BranchResult` for the
 * fork or subsession.
 */
export const PromptResult = v.object({
  ...v.partial(BranchResult, ['sessionId', 'status']).entries,
  success: v.optional(v.literal(true)),
  queued: v.optional(v.boolean()),
  queue_position: v.optional(v.number()),
});

type Branch = Omit<v.InferOutput<typeof BranchResult>, 'warnings'> & { warnings: string[] };
type Prompted = Partial<Branch> & { sessionId: string; taskId: string; queued?: boolean; queuePosition?: number };

/**
 * Formats the result of a fork or spawn. An empty list of warnings is left out, to save space in the agent's context.
 */
export function branchResult({ warnings, summary, ...branch }: Branch) {
  const summaryField = summary === undefined ? {} : { summary: lastWords(summary) };
  return { ...branch, ...summaryField, ...(warnings.length === 0 ? {} : { warnings }) };
}

function lastWords(summary: string | null): string | null {
  if (summary === null || jsonBytes(summary) <= TOOL_SYNC_SUMMARY_BYTES) return summary;
  return `${fittingText(summary, TOOL_SYNC_SUMMARY_BYTES)}… [cut; use agor_tasks_get for the full text]`;
}

/** Formats the result of a prompt. Only the result of a fork or subsession has a `status`. */
export function promptResult({ queued, queuePosition, status, warnings = [], ...rest }: Prompted) {
  if (status !== undefined) return branchResult({ ...rest, status, warnings });
  return {
    success: true as const,
    taskId: rest.taskId,
    ...(queued === undefined ? {} : { queued }),
    ...(queuePosition === undefined ? {} : { queue_position: queuePosition }),
  };
}
