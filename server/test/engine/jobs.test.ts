import { ConsoleError } from '@agent-console/shared/errors';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJobs } from '../../src/engine/scheduling/jobs.ts';
import { openStorage } from '../support/storage.ts';

const author = { actor: 'system' };
let opened: ReturnType<typeof openStorage>;
beforeEach(() => {
  opened = openStorage();
});
afterEach(() => opened.close());

it.each([
  [new TypeError('no such property'), /See the server log/, 1],
  [new ConsoleError('CONFLICT', 'The branch is in use. Choose another name.'), /Choose another name/, 0],
])('a job that fails with %s is logged only if its stored error refers to the log', async (error, message, logged) => {
  const { storage } = opened;
  const log: unknown[] = [];
  const onError = (each: unknown, jobId: string) => log.push([each, jobId]);
  const jobs = createJobs({ storage, now: () => new Date(), newId: uuidv7, onError });
  const job = await storage.write(author, (tx) => jobs.create(tx, author, 'worktree-creation', {}));
  await jobs.run(job, () => Promise.reject(error));
  expect((await storage.read.jobs.get(job.id))?.error?.message).toMatch(message);
  expect(log).toEqual(logged === 0 ? [] : [[error, job.id]]);
});
