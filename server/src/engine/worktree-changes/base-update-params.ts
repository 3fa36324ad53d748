import * as v from 'valibot';
import type { JobRow } from '../../ports/rows.ts';

const Move = v.object({ branch: v.string(), from: v.string(), to: v.string(), reason: v.string() });

const BaseUpdateParams = v.object({
  worktreeId: v.string(),
  branch: v.string(),
  base: v.string(),
  strategy: v.picklist(['merge', 'rebase']),
  /** Whether the upstream of the base is fetched first. Absent in jobs of earlier builds. */
  fetch: v.optional(v.boolean(), false),
  /** The fast-forward of the base, stored before it is made. */
  baseMove: v.optional(Move),
  /** The move of the branch, with the commit of the base; stored before the branch is moved. */
  moved: v.optional(v.object({ move: Move, baseSha: v.string() })),
});
export type BaseUpdateParams = v.InferOutput<typeof BaseUpdateParams>;

export function baseUpdateParams({ params }: Pick<JobRow, 'params'>): BaseUpdateParams {
  return v.parse(BaseUpdateParams, params);
}
