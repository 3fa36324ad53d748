import type { TestApp } from '../../support/test-app.ts';

/** Returns functions that create boards and worktrees. `console` is called when they are used. */
export function boardsOf(console: () => TestApp) {
  let counter = 0;
  const unique = (word: string) => {
    counter += 1;
    return `${word}-${counter}`;
  };
  return {
    unique,
    newBoard: () => console().client.call('boards.create', { name: unique('board') }),
    /** Creates a managed worktree on a new branch, and waits until it is ready. */
    async newWorktree() {
      const c = console();
      const made = await c.client.call('worktrees.create', {
        repositoryId: c.repository.id,
        mode: 'custom',
        branch: unique('branch'),
        wait: true,
      });
      if (made.worktree === undefined) throw new Error('was waited for');
      return made.worktree;
    },
    place: (worktreeId: string, boardId: string | null, more: { zoneId?: string; x?: number; y?: number } = {}) =>
      console().client.call('worktrees.update', { worktreeId, boardId, ...more }),
  };
}
