/** States of an input that is on its way, or whose turn goes on. */
export const LIVE_INPUT = [
  'queued',
  'pasting',
  'pasted',
  'submitting',
  'submitted',
  'uncertain',
  'accepted',
  'clearing',
  'interrupting',
] as const;
