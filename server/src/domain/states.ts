import type { WorkerState } from '@agent-console/shared/models/worker';
import type { Worktree } from '@agent-console/shared/models/worktree';

/** States of a worker whose process runs or is being started. */
export const LIVE_STATES: readonly WorkerState[] = ['starting', 'running'];

/** Database filter for workers with a live process. A git-diff worker has no process. */
export const LIVE_WORKER = { state: LIVE_STATES, type: ['agent', 'terminal'] } as const;

/** States in which a worktree occupies its folder and branch and is shown on its board. */
export const PRESENT_STATES: readonly Worktree['state'][] = ['creating', 'ready', 'removing', 'restoring'];
