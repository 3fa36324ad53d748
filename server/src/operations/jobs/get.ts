import { notFound } from '@agent-console/shared/errors';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { presentJob } from '../present.ts';

export function getJob({ storage, jobs }: Pick<Kit, 'storage' | 'jobs'>): Implementation<'jobs.get'> {
  return async ({ jobId }) => {
    const row = await storage.read.jobs.get(jobId);
    if (row === undefined) throw notFound('Job', jobId);
    const progress = row.state === 'running' ? jobs.progress(jobId) : undefined;
    return presentJob({ ...row, ...progress });
  };
}
