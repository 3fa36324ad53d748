import * as v from 'valibot';
import { described } from '../describe.ts';
import { Timestamp } from '../time.ts';

/**
 * Pull request of a worktree's branch, as reported by the command that the repository sets for pull requests, or by
 * `gh`. Its title may come from a person who does not use this console, so agents do not receive the title.
 */
export const PullRequest = v.object({
  number: described(
    v.nullable(v.number()),
    'Number of the pull request; null if the command that created it printed only a URL',
  ),
  url: described(v.string(), "URL of the pull request's page"),
  title: described(
    v.string(),
    'Title, which other people may have written; at most 2 000 characters; empty for agents',
  ),
  state: described(v.picklist(['open', 'draft', 'merged', 'closed', 'unknown']), 'State'),
  checks: described(
    v.nullable(v.picklist(['pending', 'passed', 'failed'])),
    "Result of the pull request's checks; null if there are none or the result is unknown",
  ),
  review: described(
    v.nullable(v.picklist(['required', 'approved', 'changes_requested'])),
    'Review decision, or null if there is none',
  ),
  readAt: described(Timestamp, 'Time when the state was last read'),
});
export type PullRequest = v.InferOutput<typeof PullRequest>;
