/** Conversations recorded by agents, and their ingestion. */
import { KIB, MIB, SECOND } from './units.ts';

/** Maximum directories of one level searched for an agent's conversation: one per day for ten years. */
export const TRANSCRIPT_FOLDERS_MAX = 4_000;
/** Bytes read of a conversation's first line, which contains all of the agent's instructions. */
export const TRANSCRIPT_HEAD_BYTES = 512 * KIB;
/** Rows read at once from an agent's database; each may contain the result of a tool call. */
export const TRANSCRIPT_ROWS_MAX = 500;
/**
 * Maximum originals that are ingested with a fork, along its chain of forks. Each costs a search through the
 * directories.
 */
export const TRANSCRIPT_BASES_MAX = 20;
/** Bytes of a conversation file ingested at once: one transaction of some milliseconds. */
export const TRANSCRIPT_READ_BYTES = 256 * KIB;
/** A longer line is skipped. Only results of tool calls are that long, and they are not ingested. */
export const TRANSCRIPT_LINE_MAX_BYTES = 8 * MIB;
/** Bytes before the read position that are remembered, so that a replaced file can be detected. */
export const TRANSCRIPT_MARK_BYTES = 48;
/**
 * A position in an agent's database is a time in milliseconds. Rows of that millisecond are read again until it is this
 * long ago, because they may still be added or changed.
 */
export const TRANSCRIPT_SETTLED_MS = 2 * SECOND;

/** Maximum characters of one message. Whole prompts fit, and what an agent writes at once is far shorter. */
export const TRANSCRIPT_TEXT_MAX_CHARS = 100_000;
/** Maximum characters of one tool call: enough for a command, not for the file it writes. */
export const TRANSCRIPT_CALL_MAX_CHARS = 4_000;
/** Minimum interval between two polls of one conversation, because signals of a turn come in bursts. */
export const TRANSCRIPT_POLL_GAP_MS = 250;
/** Poll interval of a live agent's conversation when no signal arrives. */
export const TRANSCRIPT_POLL_MS = 5 * SECOND;
/** When a turn ends, the console waits this long for the agent's last message, which may be its summary. */
export const TRANSCRIPT_LAST_WORDS_MS = 1 * SECOND;
/** Poll interval of a conversation for the end of a turn that the agent's hooks or its screen have already reported. */
export const TRANSCRIPT_END_POLL_MS = 50;
/** Newest inputs compared with a message of the conversation; older ones were matched long ago. */
export const TRANSCRIPT_INPUTS_MAX = 50;
