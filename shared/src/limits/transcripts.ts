/** Conversations that agents record, and their ingestion. */
import { KIB, MIB, SECOND } from './units.ts';

/** Directories of one level searched for an agent's conversation: ten years of days. */
export const TRANSCRIPT_FOLDERS_MAX = 4_000;
/** Bytes read of a conversation's first line, which contains the agent's whole instructions. */
export const TRANSCRIPT_HEAD_BYTES = 512 * KIB;
/**
 * Rows read at once from the database of an agent that records its conversations there; each may contain a tool's
 * answer.
 */
export const TRANSCRIPT_ROWS_MAX = 500;
/** Forks of forks whose originals are read too; each costs a search through the directories, and people make a few. */
export const TRANSCRIPT_BASES_MAX = 20;
/** Bytes of a conversation's file ingested at once: one transaction of some milliseconds. */
export const TRANSCRIPT_READ_BYTES = 256 * KIB;
/** A longer line is skipped: only a tool's answer is that long, and those are not ingested. */
export const TRANSCRIPT_LINE_MAX_BYTES = 8 * MIB;
/** Bytes remembered before the read position, by which a replaced file is recognised. */
export const TRANSCRIPT_MARK_BYTES = 48;
/** A position in an agent's database is read again until it is this old, since rows change within a millisecond. */
export const TRANSCRIPT_SETTLED_MS = 2 * SECOND;

/** Characters of one message; whole prompts fit, and what an agent writes at once is far shorter. */
export const TRANSCRIPT_TEXT_MAX_CHARS = 100_000;
/** Characters of one tool call: enough for a command, not for the file it writes. */
export const TRANSCRIPT_CALL_MAX_CHARS = 4_000;
/** Shortest interval between two polls of one conversation: signals of a turn come in bursts. */
export const TRANSCRIPT_POLL_GAP_MS = 250;
/** Poll interval of a living agent's conversation without a signal. */
export const TRANSCRIPT_POLL_MS = 5 * SECOND;
/** The end of a turn waits this long for the agent's last message, which may be its summary. */
export const TRANSCRIPT_LAST_WORDS_MS = 1 * SECOND;
/** Poll interval of a conversation for the end of a turn that the agent's reports or its screen have shown already. */
export const TRANSCRIPT_END_POLL_MS = 50;
/** Newest inputs of a session that a message of its conversation may match; older ones were matched long ago. */
export const TRANSCRIPT_INPUTS_MAX = 50;
