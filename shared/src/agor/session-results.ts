import * as v from 'valibot';
import { SessionStatus } from '../models/session.ts';
import { TaskStatus } from '../models/task.ts';
import { snakeEntity, snakeKeys } from './snake.ts';

/** What the prompting tools answer, spelled as their design spells it. Pure presenters only. */

const Relative = v.object({
  session_id: v.string(),
  title: v.string(),
  agentic_tool: v.string(),
  status: SessionStatus,
  relation: v.picklist(['spawn', 'fork']),
});

/** A session's relatives; `level` counts from the session, `parent_id` is what each hangs below. */
export const GenealogyResult = v.object({
  session_id: v.string(),
  parent: v.nullable(Relative),
  siblings: v.array(Relative),
  children: v.array(v.object({ ...Relative.entries, parent_id: v.string(), level: v.number() })),
  truncated: v.boolean(),
});

interface Row {
  id: string;
  [field: string]: unknown;
}

export function genealogyResult(found: {
  sessionId: string;
  parent: Row | null;
  siblings: Row[];
  children: Row[];
  truncated: boolean;
}) {
  const row = (each: Row) => snakeEntity('session', each);
  const { parent, siblings, children, ...rest } = found;
  return {
    ...(snakeKeys(rest) as Record<string, unknown>),
    parent: parent === null ? null : row(parent),
    siblings: siblings.map(row),
    children: children.map(row),
  };
}

/** The session that a fork or subsession began. */
export const BranchResult = v.object({
  sessionId: v.string(),
  taskId: v.string(),
  status: TaskStatus,
  summary: v.optional(v.nullable(v.string())),
  timedOut: v.optional(v.literal(true)),
  warnings: v.optional(v.array(v.string())),
});

/** `{success, taskId}` of a prompt to the session itself, the other fields of a session that it began. */
export const PromptResult = v.object({
  ...v.partial(BranchResult, ['sessionId', 'status']).entries,
  success: v.optional(v.literal(true)),
  queued: v.optional(v.boolean()),
  queue_position: v.optional(v.number()),
});

type Branch = Omit<v.InferOutput<typeof BranchResult>, 'warnings'> & { warnings: string[] };
type Prompted = Partial<Branch> & { sessionId: string; taskId: string; queued?: boolean; queuePosition?: number };

/** Without warnings where there are none: agents read every byte. */
export function branchResult({ warnings, ...branch }: Branch) {
  return { ...branch, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Only a session that the prompt began has a `status` of its work in the answer. */
export function promptResult({ queued, queuePosition, status, warnings = [], ...rest }: Prompted) {
  if (status !== undefined) return branchResult({ ...rest, status, warnings });
  return {
    success: true as const,
    taskId: rest.taskId,
    ...(queued === undefined ? {} : { queued }),
    ...(queuePosition === undefined ? {} : { queue_position: queuePosition }),
  };
}
