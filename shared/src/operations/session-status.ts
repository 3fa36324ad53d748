import * as v from 'valibot';

/** Statuses that a call may set. The others result from what happens to the session. */
export const SettableStatus = v.pipe(
  v.picklist(['idle', 'running', 'completed', 'failed']),
  v.description(
    'completed or failed: its work is over once its turn ends; idle: its work is not over; running: only confirms the status',
  ),
);
export type SettableStatus = v.InferOutput<typeof SettableStatus>;
