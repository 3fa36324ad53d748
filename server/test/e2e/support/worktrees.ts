import { expect } from 'vitest';
import { send } from '../../support/calling.ts';
import type { TestApp } from '../../support/test-app.ts';

/**
 * Returns functions for worktrees of the repository with which the console was started. `console` is called when they
 * are used.
 */
export function worktreesIn(console: () => TestApp) {
  async function jobEnd(jobId: string) {
    return console().until('the end of a job', async () => {
      const job = await console().client.call('jobs.get', { jobId });
      return job.state !== 'running' && job;
    });
  }

  /** Creates a worktree and returns the result of its job. */
  async function make(fields: Record<string, unknown>) {
    const { status, body } = await send(
      console(),
      'POST',
      `/repositories/${console().repository.id}/worktrees`,
      fields,
    );
    expect({ status, body }).toEqual({ status: 202, body: { jobId: expect.any(String) } });
    const job = await jobEnd(String(body.jobId));
    expect(job).toMatchObject({
      kind: 'worktree-creation',
      state: 'succeeded',
      progress: { fraction: 1, phase: 'done' },
    });
    return job.result as {
      worktreeId: string;
      branch: string;
      worktreePath: string;
      warnings: string[];
      sessionId?: string;
      taskId?: string;
    };
  }

  const worktreesOf = async (id = console().repository.id) =>
    (await console().client.call('worktrees.list', { repositoryId: id, limit: 500 })).data;

  return { jobEnd, make, worktreesOf };
}
