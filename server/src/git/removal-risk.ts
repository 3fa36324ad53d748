import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { RISK_LIST_MAX, RISK_WALK_MAX_ENTRIES } from '@agent-console/shared/limits/git';
import type { CountedRisk, RemovalRisk } from '../ports/git.ts';
import { type CheckoutView, registeredGitDir, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { type InProgress, inProgress } from './in-progress.ts';
import { planRecovery, type RecoveryPlan } from './recovery-plan.ts';
import { type BytePath, displayPath, readStatus, type Status } from './status.ts';

/**
 * Returns the data that removing a worktree would delete, and the part of it that a recovery ref would not contain, at
 * most RISK_LIST_MAX entries each, with the number of all entries.
 */
export async function removalRisk(context: GitContext, checkout: CheckoutLocation): Promise<CountedRisk> {
  const operation = await inProgress(await registeredGitDir(checkout));
  return withView(context, checkout, (view) => riskIn(view, operation));
}

async function riskIn(view: CheckoutView, operation: InProgress | null): Promise<CountedRisk> {
  const status = await readStatus(view);
  const commits = await unpushedCommits(view, status);
  const plan = await planRecovery(view.path, status);
  const lists = [status.changes, status.untracked, commits, status.ignored, plan.leftOut];
  return {
    uncommitted: status.changes.slice(0, RISK_LIST_MAX).map((change) => displayPath(change.path)),
    untracked: status.untracked.slice(0, RISK_LIST_MAX).map(displayPath),
    unpushed: commits.slice(0, RISK_LIST_MAX),
    ignored: await measure(view.path, unsavedFirst(status.ignored, plan), plan),
    leftOut: plan.leftOut.slice(0, RISK_LIST_MAX).map(displayPath),
    inProgress: operation,
    more: lists.reduce((sum, list) => sum + Math.max(0, list.length - RISK_LIST_MAX), 0),
    counts: {
      uncommitted: status.changes.length,
      untracked: status.untracked.length,
      unpushed: commits.length,
      unsavedIgnored: status.ignored.filter((path) => !plan.savedIgnored.has(path)).length,
      leftOut: plan.leftOut.length,
    },
  };
}

/**
 * Returns at most RISK_LIST_MAX of the ignored paths. If some must be omitted, the paths that would be lost come before
 * those that a recovery ref contains.
 */
function unsavedFirst(ignored: readonly BytePath[], { savedIgnored }: RecoveryPlan): BytePath[] {
  if (ignored.length <= RISK_LIST_MAX) return [...ignored];
  const unsaved = ignored.filter((path) => !savedIgnored.has(path));
  return [...unsaved, ...ignored.filter((path) => savedIgnored.has(path))].slice(0, RISK_LIST_MAX);
}

/** Returns the commits of this checkout's HEAD that no other local branch and no remote branch contains. */
async function unpushedCommits(view: CheckoutView, status: Status): Promise<string[]> {
  if (status.head === null) return [];
  // A branch name contains no glob characters, so this pattern excludes only the checkout's own branch.
  const others = [...(status.branch === null ? [] : [`--exclude=${status.branch}`]), '--branches', '--remotes'];
  const args = ['log', '--format=%H %s', '--no-show-signature', status.head, '--not', ...others, '--'];
  const { stdout } = await view.run(args);
  return stdout.toString().split('\n').filter(Boolean);
}

async function measure(
  root: string,
  paths: readonly BytePath[],
  { savedIgnored }: RecoveryPlan,
): Promise<RemovalRisk['ignored']> {
  const budget = { entries: RISK_WALK_MAX_ENTRIES };
  const measured: RemovalRisk['ignored'] = [];
  for (const each of paths) {
    const bytes = await bytesOf(path.join(root, displayPath(each)), budget);
    measured.push({ path: displayPath(each), bytes, saved: savedIgnored.has(each) });
  }
  return measured;
}

async function bytesOf(at: string, budget: { entries: number }): Promise<number> {
  if (budget.entries <= 0) return 0;
  budget.entries -= 1;
  try {
    const stat = await lstat(at);
    if (!stat.isDirectory()) return stat.size;
    let bytes = 0;
    for await (const entry of await opendir(at)) bytes += await bytesOf(path.join(at, entry.name), budget);
    return bytes;
  } catch {
    // A file that was deleted or cannot be read counts as 0 bytes.
    return 0;
  }
}
