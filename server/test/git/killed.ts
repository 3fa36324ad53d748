import { createGitLine, createRunGit } from '../../src/git/command.ts';
import type { GitContext } from '../../src/git/context.ts';
import { createQueues } from '../../src/git/queue.ts';
import { type Fixture, runProcess } from './fixture.ts';

/**
 * Returns a context in which one git command never returns, as if the server had been killed before or after that
 * command. `at` is the name of the command, or its position, counted from 0.
 */
export function killedAt(fixture: Fixture, at: number | string, when: 'before' | 'after') {
  const run = createRunGit(fixture.env, runProcess, fixture.path('views'));
  let steps = 0;
  let reached = () => {};
  const killed = new Promise<'killed'>((resolve) => {
    reached = () => resolve('killed');
  });
  const dead = () => {
    reached();
    return new Promise<never>(() => {});
  };
  const context: GitContext = {
    runProcess,
    async run(args, options) {
      const step = steps;
      steps += 1;
      const isHere = step === at || args[0] === at;
      if (isHere && when === 'before') return dead();
      const output = run(args, options);
      if (!isHere) return output;
      await output.catch(() => undefined);
      return dead();
    },
    line: createGitLine(fixture.env, runProcess),
    queues: createQueues(),
    log: { warn: () => {} },
    clock: Date.now,
    viewsDir: fixture.path('views'),
  };
  return { context, killed };
}
