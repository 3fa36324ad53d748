/**
 * Kind of a typed text: the prompt of a task, a reminder to report a result, a notice, or a continuation, which resumes
 * a task after a usage limit was reset.
 */
export type InputKind = 'prompt' | 'reminder' | 'continuation' | 'notice';

/**
 * States of an input that is queued or being typed, or whose turn is still running. In `pasting`, the text may already
 * have been typed. In `submitting`, Enter may already have been pressed. After a crash, the server sends the text or
 * key to the runner again with the same id, which the runner types only once. Two states belong to inputs whose task
 * was cancelled: `clearing` removes pasted text from the input line, and `interrupting` stops the agent's work on an
 * accepted prompt.
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
