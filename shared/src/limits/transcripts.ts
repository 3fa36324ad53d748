import { KIB, MIB, SECOND } from './units.ts';

/** Maximum directories searched at each level for an agent's conversation: ten years with one directory per day. */
export const TRANSCRIPT_FOLDERS_MAX = 4_000;
/**
 * Bytes that are read to find the first line of a conversation file. The first line can be long, because it may contain
 * the agent's instructions.
 */
export const TRANSCRIPT_HEAD_BYTES = 512 * KIB;
/** Rows read at once from an agent's database. Each may contain the whole result of a tool call. */
export const TRANSCRIPT_ROWS_MAX = 500;
/**
 * Maximum ancestors of a forked conversation that the console reads together with the fork. To find each ancestor's
 * file, the console searches the agent's directories.
 */
export const TRANSCRIPT_BASES_MAX = 20;
/** Bytes of a conversation file that are ingested at once, in a transaction of some milliseconds. */
export const TRANSCRIPT_READ_BYTES = 256 * KIB;
/**
 * Length from which a line of a conversation file is skipped. Only results of tool calls are that long, and they are
 * not ingested.
 */
export const TRANSCRIPT_LINE_MAX_BYTES = 8 * MIB;
/**
 * Number of bytes before the read position that the console remembers. If the conversation file later contains other
 * bytes there, the file was replaced.
 */
export const TRANSCRIPT_MARK_BYTES = 48;
/**
 * Time for which the console reads the newest rows of an agent's database again. The read position is a time in
 * milliseconds, and the agent may still add or change rows with that time.
 */
export const TRANSCRIPT_SETTLED_MS = 2 * SECOND;

/** Maximum characters of one message. The longest prompt fits, and agents' messages are far shorter. */
export const TRANSCRIPT_TEXT_MAX_CHARS = 100_000;
/** Maximum characters of one tool call: enough for a command, not for the content of a file that the call writes. */
export const TRANSCRIPT_CALL_MAX_CHARS = 4_000;
/**
 * Minimum interval between two polls of one conversation. Each signal of the agent's activity causes a poll, and the
 * signals of a turn come in bursts.
 */
export const TRANSCRIPT_POLL_GAP_MS = 250;
/** Poll interval of a live agent's conversation when no signal arrives. */
export const TRANSCRIPT_POLL_MS = 5 * SECOND;
/**
 * Maximum time that the console waits at the end of a turn to ingest the agent's last message, which may become the
 * task's summary.
 */
export const TRANSCRIPT_LAST_WORDS_MS = 1 * SECOND;
/** Poll interval of a transcript from the reported end of a turn until the transcript contains this end. */
export const TRANSCRIPT_END_POLL_MS = 50;
/**
 * Maximum inputs, newest first, that are compared with a message to recognise text that the console typed. Older inputs
 * belong to earlier messages.
 */
export const TRANSCRIPT_INPUTS_MAX = 50;
