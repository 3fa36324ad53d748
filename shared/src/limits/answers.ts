/** What one answer holds: pages of a list, and how much of each thing is shown where many are. */

/** Rows of a page where the caller does not say. */
export const PAGE_DEFAULT = 50;
/** Rows of a page at most. */
export const PAGE_MAX = 500;
/** Rows that `list_sessions` shows where the agent does not say: agents read every byte. */
export const TOOL_LIST_DEFAULT = 20;
/** Characters of a task's summary in lists of sessions, which are read at a glance. */
export const SESSION_TASK_SUMMARY_CHARS = 300;
/** Characters of a prompt in a list of tasks for agents: enough to know which it is. */
export const AGOR_TASK_PROMPT_CHARS = 300;
/** Newest messages that come with a session where they are asked for; the rest is paged. */
export const GET_MESSAGES_MAX = 50;
/** Levels of children in one answer about a session's genealogy. */
export const GENEALOGY_DEPTH_MAX = 10;
/** Sessions in one answer about a session's genealogy, in each of its lists: people and agents read them. */
export const GENEALOGY_MAX = 500;
/** Messages of one page of output; the rest follows with the next. */
export const OUTPUT_MESSAGES_MAX = 200;
/** Characters of a tool call in a page of output, where each is one line. */
export const OUTPUT_CALL_MAX_CHARS = 200;

/** Shortest id prefix accepted in place of an id, in characters. */
export const ID_PREFIX_MIN = 8;
/** Candidates named by AMBIGUOUS_ID. */
export const AMBIGUOUS_MAX = 10;
