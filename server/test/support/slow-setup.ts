import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { TestApp } from './test-app.ts';

/** A setup command that runs in each new worktree until `end` is called. */
export interface SlowSetup {
  /** Waits until the command runs in the new worktree of a branch. */
  runs(branch: string): Promise<void>;
  /** Ends the command in all worktrees. */
  end(): void;
}

/** Configures a setup command of the console's repository that runs until `end`, and then runs `last`. */
export async function slowSetup({ client, folder, repository, until }: TestApp, last = 'true'): Promise<SlowSetup> {
  const file = (name: string) => join(folder, `setup-${name}`);
  const setupCommand = `touch "${file('of-$(git branch --show-current)')}"; while [ ! -e ${file('end')} ]; do sleep 0.05; done; ${last}`;
  rmSync(file('end'), { force: true });
  await client.call('repositories.update', { repositoryId: repository.id, setupCommand });
  return {
    runs: async (branch) => void (await until(`the setup of ${branch}`, () => existsSync(file(`of-${branch}`)))),
    end: () => writeFileSync(file('end'), ''),
  };
}

/**
 * Stops the timers of this process, and with them those of an app in this process. `vi.advanceTimersByTime` lets time
 * pass for them, `vi.useRealTimers` ends this. Git and the commands of repositories still run, and take real time.
 * `vi.useRealTimers` must directly follow the last advance, without an `await`: it drops the timers that were set since.
 */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
}
