import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** Timeout for an agent program to print its version or help. The slowest known program needs 3 s on a busy machine. */
export const PROGRAM_ANSWER_MS = 20 * SECOND;
/**
 * Time after which an agent program that did not answer in time is asked again. The machine may have been busy, but a
 * program that never answers must not delay each start of its agent.
 */
export const PROGRAM_RETRY_MS = 5 * MINUTE;
/** Bytes read from a program's version or help output. */
export const PROGRAM_ANSWER_MAX_BYTES = 256 * KIB;
/**
 * Timeout of tool calls. The console writes this timeout into the configuration of agents. It is longer than any call,
 * even if the server restarts during the call.
 */
export const TOOL_TIMEOUT_MS = 180 * SECOND;
/** Maximum bytes of a user's configuration file that is read when an agent starts; larger files are skipped. */
export const USER_FILE_MAX_BYTES = 4 * MIB;

/**
 * Maximum agents that answer one prompt without a terminal at the same time. Each agent is a whole program that takes
 * some 200 MB and may use a whole CPU core.
 */
export const ONE_SHOTS_MAX = 4;
/**
 * Maximum bytes of the answer of an agent that answers one prompt without a terminal. The console ends an agent that
 * prints more, and drops its answer.
 */
export const ONE_SHOT_OUTPUT_MAX_BYTES = 64 * KIB;
/**
 * Timeout of an agent that chooses the name of a branch. The call that waits for the name must still end before
 * CALL_MAX_MS.
 */
export const BRANCH_NAMING_MS = 20 * SECOND;
/**
 * Maximum characters of a prompt that are sent to the agent that names the branch. The beginning of a prompt is enough
 * to choose a name.
 */
export const BRANCH_NAMING_PROMPT_CHARS = 2_000;

/** Maximum agents checked at the same time. */
export const AGENT_CHECKS_MAX = 2;
/** Timeout of an agent check. The slowest known agent needs 25 s to start and 25 s for its first turn. */
export const AGENT_CHECK_MS = 2 * MINUTE;
/**
 * Timeout of the prompt that a check sends to an agent. It is longer than BRANCH_NAMING_MS, so that the check can tell
 * a slow agent from a broken one.
 */
export const AGENT_CHECK_ONE_SHOT_MS = 1 * MINUTE;
/**
 * Maximum time that a call waits for a check to end. After this time, the call returns the progress. It is shorter than
 * CALL_MAX_MS.
 */
export const AGENT_CHECK_ANSWER_MS = 40 * SECOND;
/** Time for which the result of a check is kept for the next call, if no call was waiting when the check ended. */
export const AGENT_CHECK_RESULT_MS = 2 * MINUTE;
/**
 * Time without output and without new reports after which the check of an agent ends if its screen shows text. The
 * output of an idle or asking agent is ignored.
 */
export const AGENT_CHECK_QUIET_MS = 8 * SECOND;
/** Maximum characters of a screen or question in the result of an agent check. */
export const AGENT_CHECK_TEXT_CHARS = 400;
