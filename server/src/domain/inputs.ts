/**
 * Kind of a typed text: the prompt of a task, a reminder to report a result, a notice, or a continuation, which resumes
 * a task after a usage limit was reset.
 */
export type InputKind = 'prompt' | 'reminder' | 'continuation' | 'notice';

/**
 * States of an input that is queued or being typed, or whose turn is still running:
 * - `pasting`: the text may already have been typed.
 * - `submitting`: Enter may already have been pressed.
 * - `uncertain`: Enter was pressed, but the agent has not acknowledged the text in time.
 * - `clearing`: the task was cancelled, and its pasted text is being removed from the input line.
 * - `interrupting`: the task was cancelled, and the agent's work on the submitted prompt is being stopped.
 *
 * After a crash, the server sends the text or key to the runner again, with the same input id. So the runner types the
 * text or key only once.
 */
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

export type LiveInputState = (typeof LIVE_INPUT)[number];

/**
 * `ended`: the agent has ended the turn of this input. `dropped`: the console does not wait for a turn of this input,
 * for example because its task was cancelled or its worker ended.
 */
export type InputState = LiveInputState | 'ended' | 'dropped';
