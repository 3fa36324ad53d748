import * as v from 'valibot';

/** What may be said of a session by hand; the other states are what happens to it. */
export const SettableStatus = v.pipe(
  v.picklist(['idle', 'running', 'completed', 'failed']),
  v.description('completed or failed: its work is over, once its turn is; idle: it is not; running only confirms it'),
);
export type SettableStatus = v.InferOutput<typeof SettableStatus>;
