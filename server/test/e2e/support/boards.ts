import type { TestApp } from '../../support/test-app.ts';

/** Boards and worktrees for tests about them, in a console that has begun by the time they are asked for. */
export function boardsOf(console: () => TestApp) {
  let counter = 0;
  const unique = (word: string) => {
    counter += 1;
    return `${word}-${counter}`;
  };
  return {
    unique,
    newBoard: () => console().client.call('boards.create', { name: unique('board') }),
    /** A managed worktree on a branch of its own, which is there. */
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
