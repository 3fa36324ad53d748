import type { Resources, Worker } from '@agent-console/shared/models/worker';
import { isLive } from '../badge.ts';
import { cpuHistory, formatResources } from './resources.ts';

/** One worker: state, and resource usage while live. */
export function WorkerLine({ worker, taken }: { worker: Worker; taken: Resources | undefined }) {
  const how = worker.signal ?? (worker.exitCode === null ? '' : `code ${worker.exitCode}`);
  return (
    <li>
      <div className="flex items-baseline justify-between gap-2">
        <span className={isLive(worker) ? '' : 'text-quiet'}>
          {worker.type} · {worker.state} {how}
        </span>
        <span className="font-mono text-sm text-quiet">{worker.pid === null ? '' : `pid ${worker.pid}`}</span>
      </div>
      {taken === undefined ? null : (
        <div className="flex items-center justify-between gap-2 text-sm text-quiet">
          <span
            className="tabular-nums"
            title="CPU (100 % is one core), memory and processes, including child processes"
          >
            {formatResources(taken)}
          </span>
          <Trace points={cpuHistory(worker.id, taken)} />
        </div>
      )}
    </li>
  );
}

const WIDTH = 60;
const HEIGHT = 12;
/** Percent at full height, unless more was used. */
const TOP = 100;

function Trace({ points }: { points: readonly number[] }) {
  if (points.length < 2) return null;
  const top = Math.max(TOP, ...points);
  const step = WIDTH / (points.length - 1);
  const at = (point: number, index: number) =>
    `${(index * step).toFixed(1)},${(HEIGHT - (point / top) * HEIGHT).toFixed(1)}`;
  return (
    <svg
      aria-hidden="true"
      className="shrink-0 text-quiet"
      height={HEIGHT}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
      width={WIDTH}
    >
      <polyline fill="none" points={points.map(at).join(' ')} stroke="currentColor" />
    </svg>
  );
}
