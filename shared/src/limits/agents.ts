/** Programs of agents: what they say of themselves, their starts, checks, and questions to them without a terminal. */
import { KIB, MIB, MINUTE, SECOND } from './units.ts';

/** A program is asked for its version and help this long; the slowest known needs 3 s on a busy machine. */
export const PROGRAM_ANSWER_MS = 20 * SECOND;
/** Bytes read of what a program prints of itself. */
export const PROGRAM_ANSWER_MAX_BYTES = 256 * KIB;
/** Time-out that agents are told for our tools: more than any call lasts, with room for a restart meanwhile. */
export const TOOL_TIMEOUT_MS = 180 * SECOND;
/** Bytes of a person's configuration file that is read for a start; larger ones are left alone. */
export const USER_FILE_MAX_BYTES = 4 * MIB;

/** Agents that run without a terminal at once: each is a whole program of some 200 MB that may want a core. */
export const ONE_SHOTS_MAX = 4;
/** Bytes of an answer without a terminal; who prints more is not answering what it was asked. */
export const ONE_SHOT_OUTPUT_MAX_BYTES = 64 * KIB;
/** An agent that is asked for a branch name without a terminal; a call that waits for it must still answer in time. */
export const BRANCH_NAMING_MS = 20 * SECOND;
/** Characters of a prompt that an agent is shown when it names the branch: the beginning says what it is about. */
export const BRANCH_NAMING_PROMPT_CHARS = 2_000;

/** Checks of different agents at once. */
export const AGENT_CHECKS_MAX = 2;
/** A check of an agent looks at most this long; the slowest known starts in 25 s and takes as long for its first turn. */
export const AGENT_CHECK_MS = 2 * MINUTE;
/** A check asks an agent without a terminal this long, so that one which is too slow to name branches is told from a broken one. */
export const AGENT_CHECK_ONE_SHOT_MS = 1 * MINUTE;
/** One call waits this long for a check, and says before CALL_MAX_MS how far it has come. */
export const AGENT_CHECK_ANSWER_MS = 40 * SECOND;
/** A check that ended while nobody waited is told to who asks within this time; later it is tried anew. */
export const AGENT_CHECK_KEPT_MS = 2 * MINUTE;
/** A check is over when nothing new was seen for this long: what tells something at the start tells it by then. */
export const AGENT_CHECK_QUIET_MS = 8 * SECOND;
/** Characters of a screen or question in a check's answer. */
export const AGENT_CHECK_TEXT_CHARS = 400;
