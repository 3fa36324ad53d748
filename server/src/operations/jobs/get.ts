import { notFound } from '@agent-console/shared/errors';
import { presentJob } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function getJob({ storage, jobs }: Pick<OperationContext, 'storage' | 'jobs'>): Implementation<'jobs.get'> {
  return async ({ jobId }) => {
    const row = await storage.read.jobs.get(jobId);
    if (row === undefined) throw notFound('Job', jobId);
    const progress = row.state === 'running' ? jobs.progress(jobId) : undefined;
    return presentJob({ ...row, ...progress });
  };
}
