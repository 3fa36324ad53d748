import type { Job } from '@agent-console/shared/models/job';
import { useEffect, useRef } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { closeDialog } from '../../shell/dialogs.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Progress } from '../../ui/Progress.tsx';
import { openJobTerminal } from '../integrations/command-terminal.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { announceEnd, type LateEnd } from './late-job.ts';

/** Poll interval in milliseconds. Polling is needed because progress within a job causes no event. */
const POLL_MS = 500;

/**
 * Progress of a job or, if the job failed, its error. Calls `onEnd` once with the ended job. If the component is
 * removed from the page before the job ends, `late` announces the outcome.
 */
export function JobProgress(props: { jobId: string; label: string; late: LateEnd; onEnd(job: Job): void }) {
  const { jobId, label, late, onEnd } = props;
  const job = useOperationQuery('jobs.get', { jobId }, { refetchInterval: POLL_MS });
  const ended = useRef(false);
  const openSession = useOpenSession();
  const { data } = job;
  useEffect(() => {
    if (data === undefined || data.state === 'running' || ended.current) return;
    ended.current = true;
    onEnd(data);
  }, [data, onEnd]);
  const latest = useRef(late);
  useEffect(() => {
    latest.current = late;
  });
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      queueMicrotask(() => {
        // In strict mode, React unmounts each new component and mounts it again at once. The microtask therefore checks
        // whether the component is still unmounted.
        if (!isMounted.current && !ended.current) void announceEnd(jobId, latest.current);
      });
    };
  }, [jobId]);
  if (job.error !== null) return <Problem error={job.error} />;
  if (data?.error !== undefined) return <Problem error={data.error} />;
  const { fraction = 0, phase = '' } = data?.progress ?? {};
  return (
    <>
      <Progress fraction={fraction === 0 ? undefined : fraction} label={phase === '' ? label : `${label}: ${phase}`} />
      {data?.progress.terminal === undefined ? null : (
        <button
          className="self-start rounded text-accent hover:underline max-md:py-3"
          onClick={() => {
            closeDialog();
            openJobTerminal(openSession, data);
          }}
          type="button"
        >
          Open terminal
        </button>
      )}
    </>
  );
}
