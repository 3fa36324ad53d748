/** Conversations that agents keep, and what is taken in of them. */
import { KIB, MIB, SECOND } from './units.ts';

/** Folders of one level looked through for an agent's conversation: ten years of days. */
export const TRANSCRIPT_FOLDERS_MAX = 4_000;
/** Bytes read of a conversation's first line, which holds the agent's whole instructions. */
export const TRANSCRIPT_HEAD_BYTES = 512 * KIB;
/** Rows taken at once from the database of an agent that keeps its conversations in one; each may hold a tool's answer. */
export const TRANSCRIPT_ROWS_MAX = 500;
/** Forks of forks whose beginnings are read too, files; each costs a look through the folders, and people make a few. */
export const TRANSCRIPT_BASES_MAX = 20;
/** Bytes of a conversation's file taken in at once: one transaction of some milliseconds. */
export const TRANSCRIPT_READ_BYTES = 256 * KIB;
/** A longer line is passed over: only a tool's answer is that long, and those are not taken in. */
export const TRANSCRIPT_LINE_MAX_BYTES = 8 * MIB;
/** Bytes remembered before the place read up to, by which a file that was replaced is known. */
export const TRANSCRIPT_MARK_BYTES = 48;
/** A place in an agent's database is read again until it is this old, since rows change within a millisecond. */
export const TRANSCRIPT_SETTLED_MS = 2 * SECOND;

/** Characters of one message; whole prompts fit, and what an agent says at once is far shorter. */
export const TRANSCRIPT_TEXT_MAX_CHARS = 100_000;
/** Characters of one tool call: enough for a command, not for the file it writes. */
export const TRANSCRIPT_CALL_MAX_CHARS = 4_000;
/** Between two looks at one conversation: signs of a turn come in bursts. */
export const TRANSCRIPT_LOOK_GAP_MS = 250;
/** A living agent's conversation is looked at this often even when nothing says that it grew. */
export const TRANSCRIPT_LOOK_EACH_MS = 5 * SECOND;
/** The end of a turn waits this long for the agent's last words, which may be its summary. */
export const TRANSCRIPT_LAST_WORDS_MS = 1 * SECOND;
/** Between two looks for the end of a turn that the agent's reports or its screen have shown already. */
export const TRANSCRIPT_END_LOOK_MS = 50;
/** Newest inputs of a session that a message of its conversation may be; older ones were found long ago. */
export const TRANSCRIPT_INPUTS_MAX = 50;
