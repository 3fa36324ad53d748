import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { RISK_LIST_MAX, RISK_WALK_MAX_ENTRIES } from '@agent-console/shared/limits/git';
import type { Checkout, RemovalRisk } from '../operations/ports/git.ts';
import { type CheckoutView, withView } from './checkout-view.ts';
import type { GitContext } from './context.ts';
import { type BytePath, readStatus, type Status, shown } from './status.ts';

/** What would be lost with a worktree; lists hold RISK_LIST_MAX entries and `more` counts the others. */
export function removalRisk(context: GitContext, checkout: Checkout): Promise<RemovalRisk> {
  return withView(context, checkout, riskIn);
}

async function riskIn(view: CheckoutView): Promise<RemovalRisk> {
  const status = await readStatus(view, true);
  const commits = await unpushedCommits(view, status);
  const ignored = await measure(view.path, status.ignored.slice(0, RISK_LIST_MAX));
  const lists = [status.changes, status.untracked, commits, status.ignored];
  return {
    uncommitted: status.changes.slice(0, RISK_LIST_MAX).map((change) => shown(change.path)),
    untracked: status.untracked.slice(0, RISK_LIST_MAX).map(shown),
    unpushed: commits.slice(0, RISK_LIST_MAX),
    ignored,
    more: lists.reduce((sum, list) => sum + Math.max(0, list.length - RISK_LIST_MAX), 0),
  };
}

/** Commits that only this checkout's branch (or detached HEAD) holds. */
async function unpushedCommits(view: CheckoutView, status: Status): Promise<string[]> {
  if (status.head === null) return [];
  // A branch name holds no glob characters, so that the pattern means this branch alone.
  const others = [...(status.branch === null ? [] : [`--exclude=${status.branch}`]), '--branches', '--remotes'];
  const args = ['log', '--format=%H %s', '--no-show-signature', status.head, '--not', ...others, '--'];
  const { stdout } = await view.run(args);
  return stdout.toString().split('\n').filter(Boolean);
}

async function measure(root: string, paths: readonly BytePath[]): Promise<{ path: string; bytes: number }[]> {
  const budget = { entries: RISK_WALK_MAX_ENTRIES };
  const measured: { path: string; bytes: number }[] = [];
  for (const each of paths) {
    measured.push({ path: shown(each), bytes: await bytesOf(path.join(root, shown(each)), budget) });
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
    // It vanished or cannot be read: its size is unknown, and it is listed all the same.
    return 0;
  }
}
