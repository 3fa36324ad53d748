/** What one answer holds: pages of a list, and how much of each thing is shown where many are. */

/** Rows of a page where the caller does not say. */
export const PAGE_DEFAULT = 50;
/** Rows of a page at most. */
export const PAGE_MAX = 500;
/** Rows that `list_sessions` shows where the agent does not say: agents read every byte. */
export const TOOL_LIST_DEFAULT = 20;
/** Characters of a task's summary in lists of sessions, which are read at a glance. */
export const SESSION_TASK_SUMMARY_CHARS = 300;
/** Characters of a task's summary wherever several tasks are shown, or one is looked at again and again; the task has all. */
export const TASK_SUMMARY_CHARS = 500;
/** Messages that come with a session where they are asked for; the rest is paged. */
export const GET_MESSAGES_MAX = 50;
/** Levels of children in one answer about a session's genealogy. */
export const GENEALOGY_DEPTH_MAX = 10;
/** Sessions in one answer about a session's genealogy, in each of its lists: people and agents read them. */
export const GENEALOGY_MAX = 500;
/**
 * Bytes of a tool's result as JSON, unless its caller asks for more rows or bytes: some clients cut larger ones, and
 * agents read every byte.
 */
export const TOOL_RESULT_BYTES = 9_000;
/** Bytes of such a result kept free for the fields around its rows or texts. */
export const TOOL_RESULT_SPARE_BYTES = 400;
/** Characters of titles in rows for agents: fifty rows of the list of sessions fit into TOOL_RESULT_BYTES. */
export const TOOL_ROW_TITLE_CHARS = 50;
/** Characters of a prompt in a list of tasks for agents: enough to know which it is. */
export const TOOL_ROW_PROMPT_CHARS = 200;
/** Characters of a description that agents are shown; REST has all of it. */
export const TOOL_DESCRIPTION_CHARS = 1_000;
/** Newest children of a session that agents are shown the ids of; its genealogy has all. */
export const TOOL_CHILDREN_MAX = 25;
/** Newest tasks of a session that agents are shown the ids of; the list of its tasks has all. */
export const TOOL_TASKS_MAX = 40;
/** Workers of a session that agents are shown: those that live, and the newest of the others. */
export const TOOL_WORKERS_MAX = 10;
/** Newest worktrees of a board that agents are shown the ids of; REST has all. */
export const TOOL_BOARD_WORKTREES_MAX = 50;
/** Bytes of a task's prompt, and of its summary, in one answer of `agor_tasks_get`; the next page has more. */
export const TOOL_TASK_TEXT_BYTES = 3_000;
/** Bytes of a task's artifacts that agents are shown; REST has all. */
export const TOOL_ARTIFACTS_BYTES = 1_000;
/** Bytes of the last words that a call with `sync` answers; the task has all. */
export const TOOL_SYNC_SUMMARY_BYTES = 6_000;
/** Characters of each text of a message where the newest messages are shown; from a number on they are whole. */
export const TOOL_MESSAGE_CHARS = 500;
/** Characters of each text in a message that is no plain text, such as a tool call; REST has all of it. */
export const TOOL_MESSAGE_PART_CHARS = 1_500;
/** Messages of one page of output; the rest follows with the next. */
export const OUTPUT_MESSAGES_MAX = 200;
/** Characters of a tool call in a page of output, where each is one line. */
export const OUTPUT_CALL_MAX_CHARS = 200;

/** Shortest id prefix accepted in place of an id, in characters. */
export const ID_PREFIX_MIN = 8;
/** Candidates named by AMBIGUOUS_ID. */
export const AMBIGUOUS_MAX = 10;
