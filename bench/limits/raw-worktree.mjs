import { join } from 'node:path';
import { git } from '../support/repository.mjs';

/** Error messages of git when concurrent `git worktree add` commands collide. */
const RACE = /commondir|could not lock|File exists/;

/**
 * Measures `git worktree add` with a new branch, one or several at once: the minimal cost of any delegation.
 * @param {string} repository
 * @param {string} folder parent directory of the worktrees
 */
export function rawWorktrees(repository, folder) {
  let made = 0;

  /**
   * @returns {Promise<{ms: number, races: number}>} time until all commands have ended, and how many failed in a
   * collision
   */
  async function add(count) {
    const names = Array.from({ length: count }, () => `raw-${++made}`);
    const since = performance.now();
    const results = await Promise.allSettled(
      names.map((name) => git(repository, 'worktree', 'add', '-b', name, join(folder, name))),
    );
    const ms = performance.now() - since;
    const failed = results.filter((result) => result.status === 'rejected').map((result) => result.reason);
    const strange = failed.find((error) => !RACE.test(String(error.stderr)));
    if (strange !== undefined) throw strange;
    for (const name of names) {
      await git(repository, 'worktree', 'remove', '--force', join(folder, name)).catch(() => {});
      await git(repository, 'branch', '-D', name).catch(() => {});
    }
    return { ms, races: failed.length };
  }

  return { add };
}
