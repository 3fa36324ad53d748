/** Limits for the scripted agent, which follows a script instead of a model, for tests and demonstrations. */
import { KIB, MIB, SECOND } from './units.ts';

/** Maximum bytes pasted into the scripted agent at once; a prompt has at most a tenth of this size. */
export const SCRIPTED_PASTE_MAX_BYTES = 1 * MIB;
/** Maximum bytes typed to the scripted agent during a turn; more is refused with a message. */
export const SCRIPTED_AHEAD_MAX_BYTES = 4 * MIB;
/** Maximum scheduled lines (`@after`) that wait in the scripted agent. */
export const SCRIPTED_KEPT_MAX = 100;
/** Maximum characters of one tool result or git message that the scripted agent shows and records. */
export const SCRIPTED_RESULT_MAX_CHARS = 64 * KIB;
/** Maximum bytes of output of one git command that the scripted agent runs. */
export const SCRIPTED_GIT_OUTPUT_BYTES = 8 * MIB;
/** Maximum time that the scripted agent waits for another git command to release the index lock. */
export const SCRIPTED_GIT_LOCK_MS = 5 * SECOND;
