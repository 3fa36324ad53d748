export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 500;
/** Maximum subfolders of one folder that `folders.list` returns. */
export const FOLDERS_MAX = 1_000;
/** Default rows of `list_sessions`. The number is small, because the rows take space in an agent's context. */
export const TOOL_LIST_DEFAULT = 20;
/** Maximum characters of a task's summary in lists of sessions, which people only skim. */
export const SESSION_TASK_SUMMARY_CHARS = 300;
/**
 * Maximum characters of a task's summary in lists of tasks and in the tasks of a session. `tasks.get` returns the full
 * summary.
 */
export const TASK_SUMMARY_CHARS = 500;
/** Maximum messages that a call returns together with a session: the newest, or those from `messagesFrom` on. */
export const GET_MESSAGES_MAX = 50;
/** Maximum levels of descendants in a session's genealogy. */
export const GENEALOGY_DEPTH_MAX = 10;
/** Maximum sessions in each list of a genealogy: more than people or agents read. */
export const GENEALOGY_MAX = 500;
/** Maximum JSON bytes of a tool result, unless the caller requests more. Some clients cut larger results. */
export const TOOL_RESULT_BYTES = 9_000;
/** Bytes of a tool result reserved for the fields other than its rows or texts. */
export const TOOL_RESULT_SPARE_BYTES = 400;
/** Maximum characters of titles in rows for agents, so that fifty rows of sessions fit into TOOL_RESULT_BYTES. */
export const TOOL_ROW_TITLE_CHARS = 50;
/** Maximum characters of a prompt in a list of tasks for agents: enough to recognise the task. */
export const TOOL_ROW_PROMPT_CHARS = 200;
/**
 * Maximum characters of a description, or of a command of a repository, shown to agents. REST returns the full text.
 */
export const TOOL_DESCRIPTION_CHARS = 1_000;
/** Maximum child ids in an agent's view of a session: those of the newest children. The genealogy lists all of them. */
export const TOOL_CHILDREN_MAX = 25;
/** Maximum task ids in an agent's view of a session: those of the newest tasks. The task list contains all of them. */
export const TOOL_TASKS_MAX = 40;
/** Maximum workers of a session that agents see: its live workers and, if fewer than this, its newest ended workers. */
export const TOOL_WORKERS_MAX = 10;
/** Maximum worktree ids in an agent's view of a board: those of the newest worktrees. REST returns all of them. */
export const TOOL_BOARD_WORKTREES_MAX = 50;
/** Maximum bytes of a task's prompt, and of its summary, on one page of `agor_tasks_get`. */
export const TOOL_TASK_TEXT_BYTES = 3_000;
/** Maximum bytes of a task's artifacts shown to agents; REST returns all of them. */
export const TOOL_ARTIFACTS_BYTES = 1_000;
/**
 * Maximum bytes of the task's summary in the response to a call with `sync`; `agor_tasks_get` returns the full summary.
 */
export const TOOL_SYNC_SUMMARY_BYTES = 6_000;
/**
 * Maximum characters of each text in the newest messages. Messages requested with `messagesFrom` have complete texts.
 */
export const TOOL_MESSAGE_CHARS = 500;
/** Maximum characters of each text in a tool call or another structured message. REST returns the full text. */
export const TOOL_MESSAGE_PART_CHARS = 1_500;
/** Maximum messages on one page of output that consists of messages. */
export const OUTPUT_MESSAGES_MAX = 200;
/** Maximum characters of the line that shows a tool call, on a page of output that consists of messages. */
export const OUTPUT_CALL_MAX_CHARS = 200;

/** Shortest accepted id prefix, in characters. */
export const ID_PREFIX_MIN = 8;
/** Maximum characters of a name, title or path that a caller looks up. */
export const NAME_QUERY_MAX_CHARS = 4_096;
/** Maximum ids whose names one call returns; that many fit into the longest accepted URL. */
export const NAMED_IDS_MAX = 100;
/** Maximum rows that are searched for a name. Older rows are not searched. */
export const NAMES_SEARCHED_MAX = 5_000;
/** Maximum candidates that an AMBIGUOUS_ID error lists. */
export const AMBIGUOUS_MAX = 10;
