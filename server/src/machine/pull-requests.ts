import { execFile } from 'node:child_process';
import { PULL_REQUEST_READ_MS } from '@agent-console/shared/limits/commands';
import { MIB } from '@agent-console/shared/limits/units';
import type { PullRequest } from '@agent-console/shared/models/pull-request';
import * as v from 'valibot';
import { commandEnvironment } from '../domain/environment.ts';
import { foreignText } from '../domain/pull-request.ts';
import type { Host } from '../ports/host.ts';
import type { PullRequests } from '../ports/pull-requests.ts';

/**
 * Reads pull requests with `gh` from the server's PATH, without prompts. `gh` runs outside every repository, because
 * inside one git would read the repository's configuration.
 */
export function createPullRequests(
  host: Pick<Host, 'which' | 'environment'>,
  timeout = PULL_REQUEST_READ_MS,
): PullRequests {
  async function run(args: readonly string[]): Promise<{ ended: 'ok' | 'failed' | 'slow'; stdout: string } | null> {
    const file = await host.which('gh');
    if (file === null) return null;
    const env = { ...commandEnvironment(host.environment), GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1' };
    const options = { cwd: '/', env, timeout, maxBuffer: MIB, killSignal: 'SIGKILL' } as const;
    return new Promise((resolve) => {
      execFile(file, [...args], options, (error, stdout) => {
        resolve({ ended: error === null ? 'ok' : error.killed ? 'slow' : 'failed', stdout });
      });
    });
  }

  return {
    async availability(at) {
      const end = await run(['auth', 'status', '--hostname', at]);
      if (end === null) return 'missing';
      return end.ended === 'ok' ? 'ready' : end.ended === 'slow' ? 'slow' : 'logged-out';
    },
    async read(url) {
      const end = await run(['pr', 'view', url, '--json', VIEWED_FIELDS.join(',')]);
      return end?.ended === 'ok' ? pullRequestFrom(end.stdout) : null;
    },
  };
}

const Check = v.object({
  status: v.optional(v.nullable(v.string())),
  conclusion: v.optional(v.nullable(v.string())),
  state: v.optional(v.nullable(v.string())),
});

const Viewed = v.object({
  number: v.number(),
  url: v.string(),
  title: v.string(),
  state: v.string(),
  isDraft: v.boolean(),
  reviewDecision: v.optional(v.nullable(v.string())),
  statusCheckRollup: v.optional(v.nullable(v.array(Check))),
});

/** Fields that are requested from `gh pr view --json`. */
const VIEWED_FIELDS = Object.keys(Viewed.entries);

/** Returns the pull request that `gh pr view --json` printed, or null if it cannot be read. */
function pullRequestFrom(printed: string): Omit<PullRequest, 'readAt'> | null {
  let value: unknown;
  try {
    value = JSON.parse(printed);
  } catch {
    return null;
  }
  const found = v.safeParse(Viewed, value);
  if (!found.success || !/^https:\/\/\S+$/.test(found.output.url)) return null;
  const { number, url, title, state, isDraft, reviewDecision, statusCheckRollup } = found.output;
  return {
    number,
    url: foreignText(url),
    title: foreignText(title),
    state: stateOf(state, isDraft),
    checks: checksOf(statusCheckRollup ?? []),
    review: REVIEWS[reviewDecision ?? ''] ?? null,
  };
}

function stateOf(state: string, isDraft: boolean): PullRequest['state'] {
  if (state === 'MERGED') return 'merged';
  if (state === 'CLOSED') return 'closed';
  if (state !== 'OPEN') return 'unknown';
  return isDraft ? 'draft' : 'open';
}

const REVIEWS: Partial<Record<string, NonNullable<PullRequest['review']>>> = {
  REVIEW_REQUIRED: 'required',
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
};

const PASSED_CONCLUSIONS = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED']);
const PENDING = new Set(['', 'PENDING', 'EXPECTED', 'QUEUED', 'IN_PROGRESS', 'WAITING', 'REQUESTED']);

/** In the output of `gh`, a check run has a status and a conclusion; a commit status has only a state. */
function checksOf(checks: readonly v.InferOutput<typeof Check>[]): PullRequest['checks'] {
  if (checks.length === 0) return null;
  const ends = checks.map(({ conclusion, state }) => conclusion || state || '');
  if (ends.some((each) => !PASSED_CONCLUSIONS.has(each) && !PENDING.has(each))) return 'failed';
  return ends.some((each) => PENDING.has(each)) ? 'pending' : 'passed';
}
