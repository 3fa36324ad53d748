import * as v from 'valibot';
import { Timestamp } from '../time.ts';
import { CheckResult } from './check-result.ts';
import { CleanupResult, MergeConflict } from './integration.ts';
import { PullRequest } from './pull-request.ts';

/**
 * Results of the jobs that check, change, push or integrate a worktree, by kind of job. Results stored by older
 * versions of the console lack the fields that have a default.
 */
const JobResults = {
  check: v.object({ check: CheckResult, timedOut: v.boolean(), output: v.string() }),
  commit: v.object({
    commit: v.string(),
    files: v.number(),
    leftOut: v.array(v.string()),
    hooks: v.boolean(),
    warnings: v.array(v.string()),
  }),
  /** `commit` is null if there are conflicts. It equals `before` if the base has no new commits. */
  'base-update': v.object({
    commit: v.nullable(v.string()),
    before: v.string(),
    base: v.string(),
    conflicts: v.array(MergeConflict),
    warnings: v.optional(v.array(v.string()), []),
  }),
  push: v.object({
    remote: v.string(),
    branch: v.string(),
    commit: v.string(),
    upstreamSet: v.boolean(),
    forced: v.boolean(),
  }),
  'pull-request': v.object({ pullRequest: PullRequest, created: v.boolean() }),
  /**
   * `commit` is null if there are conflicts. It equals `before`, the commit of the target branch, if the target branch
   * already contained the work.
   */
  integration: v.object({
    integrationId: v.string(),
    commit: v.nullable(v.string()),
    before: v.optional(v.nullable(v.string()), null),
    into: v.string(),
    conflicts: v.array(MergeConflict),
    check: v.nullable(CheckResult),
    cleanup: v.nullable(v.object({ ...CleanupResult.entries, warnings: v.optional(v.array(v.string()), []) })),
    resolvingSessionId: v.nullable(v.string()),
    problems: v.array(v.string()),
    undoableUntil: v.nullable(Timestamp),
  }),
};
export type JobResultOf<K extends keyof typeof JobResults> = v.InferOutput<(typeof JobResults)[K]>;

export function parseJobResult<K extends keyof typeof JobResults>(kind: K, result: unknown): JobResultOf<K> {
  return v.parse(JobResults[kind] as v.GenericSchema<unknown, JobResultOf<K>>, result);
}

/**
 * Results of dry runs, by kind of job. `dryRun` is always true. `commit` is null if only the real job creates the
 * commit.
 */
export interface JobPreviews {
  check: {
    dryRun: true;
    command: string;
    /** Folder in which the check command would run. */
    folder: string;
    commit: string;
    /** Whether the check would test exactly `commit`, because the worktree has no uncommitted changes. */
    clean: boolean;
    /** Newest stored result of a check of this commit, or null. */
    check: CheckResult | null;
  };
  commit: {
    dryRun: true;
    commit: null;
    message: string;
    files: number;
    /** Paths of the files that the job would commit; only the first ones if there are many. */
    paths: string[];
    /** Repositories inside the worktree, which are not committed. */
    leftOut: string[];
    /** Whether the repository's hooks would run. */
    hooks: boolean;
  };
  /** Preview of a push, compared with the remote branch as of the last fetch. The remote is not contacted. */
  push: {
    dryRun: true;
    remote: string;
    url: string;
    branch: string;
    commit: string;
    /** Commit of the remote branch, or null if the push would create the branch. */
    before: string | null;
    upstreamSet: boolean;
    forced: boolean;
    /** Number of commits that the push would send. */
    ahead: number;
    /**
     * Number of commits that only the remote branch has. If `forced` is true, the push replaces them; otherwise the
     * remote refuses the push.
     */
    behind: number;
    /** The newest commits that the push would send, newest first. */
    commits: { commit: string; subject: string }[];
    /** Whether the repository has hooks that may refuse the push. */
    hooks: boolean;
  };
  'pull-request': {
    dryRun: true;
    title: string;
    body: string;
    draft: boolean;
    base: string;
    branch: string;
    /** Command that would create the pull request: the repository's own command, or `gh pr create`. */
    command: string;
    push: JobPreviews['push'];
  };
}

/** Result of a dry run of an integration. */
const IntegrationPreview = v.object({ into: v.string(), conflicts: v.array(MergeConflict) });
export type IntegrationPreview = v.InferOutput<typeof IntegrationPreview>;

export function parseIntegrationPreview(result: unknown): IntegrationPreview {
  return v.parse(IntegrationPreview, result);
}
