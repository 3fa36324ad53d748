/** Agent programs: version and help, starts, checks, and questions without a terminal. */
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Timeout of a program that is args for its version or help; the slowest known needs 3 s on a busy machine. */
export const PROGRAM_ANSWER_MS = 20 * SECOND;
/** Bytes read of a program's version or help. */
export const PROGRAM_ANSWER_MAX_BYTES = 256 * KIB;
/** Tool timeout that agents are configured with: longer than any call, with room for a restart in between. */
export const TOOL_TIMEOUT_MS = 180 * SECOND;
/** Bytes of a person's configuration file that is read for a start; larger files are skipped. */
export const USER_FILE_MAX_BYTES = 4 * MIB;

/** Agents running without a terminal at once: each is a whole program of some 200 MB that may need a core. */
export const ONE_SHOTS_MAX = 4;
/** Bytes of an answer without a terminal; longer output is not an answer to the question. */
export const ONE_SHOT_OUTPUT_MAX_BYTES = 64 * KIB;
/** Timeout of an agent that names a branch without a terminal; a call that waits for it must still return in time. */
export const BRANCH_NAMING_MS = 20 * SECOND;
/** Characters of a prompt shown to the agent that names the branch: the beginning says what it is about. */
export const BRANCH_NAMING_PROMPT_CHARS = 2_000;

/** Checks of different agents at once. */
export const AGENT_CHECKS_MAX = 2;
/** Timeout of an agent check; the slowest known agent starts in 25 s and needs as long for its first turn. */
export const AGENT_CHECK_MS = 2 * MINUTE;
/**
 * Timeout of the check without a terminal: long enough to tell an agent that is too slow for branch names from a broken
 * one.
 */
export const AGENT_CHECK_ONE_SHOT_MS = 1 * MINUTE;
/** A call waits this long for a check and reports its progress before CALL_MAX_MS. */
export const AGENT_CHECK_ANSWER_MS = 40 * SECOND;
/** The result of a check that ended without a waiting caller is returned for this long; then the check starts again. */
export const AGENT_CHECK_RESULT_MS = 2 * MINUTE;
/** A check ends when nothing changed for this long; every signal of a start has arrived by then. */
export const AGENT_CHECK_QUIET_MS = 8 * SECOND;
/** Characters of a screen or question in the answer of a check. */
export const AGENT_CHECK_TEXT_CHARS = 400;
