/**
 * Every bound in the product, with its unit and its reason. A number that limits a queue, buffer, retry, list or
 * wait stands here, so that it can be found, doubted and tested.
 */
const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Bytes of a prompt or message; larger work belongs into a file that the prompt names. */
export const PROMPT_MAX_BYTES = 100_000;
/** Bytes of a request body: a prompt, its JSON escaping (up to 6x) and room for the other fields. */
export const BODY_MAX_BYTES = 1 * MIB;
/** Characters of a title. */
export const TITLE_MAX_CHARS = 500;
/** Characters of a description or a report's summary. */
export const TEXT_MAX_CHARS = 20_000;
/** Characters of a notice's summary as typed to an agent; more would crowd out its own context. */
export const NOTICE_SUMMARY_MAX_CHARS = 2_000;
/** Notices typed as one block; the rest follows with the next turn. */
export const NOTICES_PER_TURN = 20;
/** Rows of a page where the caller does not say. */
export const PAGE_DEFAULT = 50;
/** Rows of a page at most. */
export const PAGE_MAX = 500;
/** Characters of a task's summary in lists of sessions, which are read at a glance. */
export const SESSION_TASK_SUMMARY_CHARS = 300;
/** Rows that `list_sessions` shows where the agent does not say: agents read every byte. */
export const TOOL_LIST_DEFAULT = 20;
/** Shortest id prefix accepted in place of an id, in characters. */
export const ID_PREFIX_MIN = 8;
/** Candidates named by AMBIGUOUS_ID. */
export const AMBIGUOUS_MAX = 10;

/** A delegated worktree must be ready within this time, else it is undone. */
export const DELEGATION_LIMIT_MS = 120 * SECOND;
/** No call lasts longer: real MCP clients give up silent calls at 60 s. */
export const CALL_MAX_MS = 45 * SECOND;
/** `wait_for_session` where the caller does not say, in seconds. */
export const WAIT_DEFAULT_SECONDS = 30;
/** `wait_for_session` at most, in seconds. */
export const WAIT_MAX_SECONDS = 45;
/** With `sync`, the call that began a session waits for its work this long, in seconds: a call's time less its answer's way. */
export const BRANCH_SYNC_SECONDS = 44;
/** Newest messages that come with a session where they are asked for; the rest is paged. */
export const GET_MESSAGES_MAX = 50;
/** Levels of children in one answer about a session's genealogy. */
export const GENEALOGY_DEPTH_MAX = 10;
/** Sessions in one answer about a session's genealogy, in each of its lists: people and agents read them. */
export const GENEALOGY_MAX = 500;
/** A setup, cleanup or check command is ended after this time unless a delegation's own limit ends it first. */
export const COMMAND_LIMIT_MS = 10 * MINUTE;
/** Output kept of a setup or cleanup command for its warning. */
export const COMMAND_OUTPUT_MAX_BYTES = 8 * KIB;
/** A git command that talks to nobody is stuck after this time. */
export const GIT_LOCAL_LIMIT_MS = 60 * SECOND;
/** A clone or fetch may take long on a slow line. */
export const GIT_REMOTE_LIMIT_MS = 10 * MINUTE;

/** Delegation below a root session (root 0, child 1, grandchild 2). */
export const DELEGATION_DEPTH_DEFAULT = 2;
/** Children of one session whose task has not ended. */
export const DELEGATION_CHILDREN_DEFAULT = 5;
/** Live sessions in all. */
export const LIVE_SESSIONS_DEFAULT = 50;
/** Prompts waiting in one session. */
export const QUEUED_TASKS_MAX = 100;

/** A delegated agent idle this long without a report is reminded once. */
export const REMINDER_AFTER_MS = 60 * SECOND;
/** A delegated session whose work ended is paused after this much idling. */
export const IDLE_PAUSE_AFTER_MS = 30 * MINUTE;
/** Between two looks for idle sessions, at most; shorter where the setting is. */
export const IDLE_LOOK_MS = 1 * MINUTE;
/** Between two looks for idle sessions, at least, however short the setting is. */
export const IDLE_LOOK_MIN_MS = 250;
/** Workers whose last key is remembered; the longest untouched is forgotten first. */
export const KEYS_REMEMBERED = 1_000;

/** What workers take of the machine is measured at most this often; a look reads a file of every process. */
export const RESOURCES_FRESH_MS = 3 * SECOND;
/** ... and the pause grows to this many times what the last look took, so that looking costs at most 1% of a core. */
export const RESOURCES_PAUSE_FACTOR = 100;
/** Between the two looks that a first answer about CPU time needs: 50 ticks of the clock it is counted in. */
export const RESOURCES_INTERVAL_MS = 500;
/** CPU time since a look further back than this is the average of another time, and not shown. */
export const RESOURCES_INTERVAL_MAX_MS = 30 * SECOND;
/** Processes of which a look reads; on a machine with more, nothing is said. */
export const RESOURCES_PROCESSES_MAX = 20_000;
/** Processes read between two turns of the event loop: about a millisecond. */
export const RESOURCES_SLICE = 40;
/** Bytes of a process's environment that are searched for the worker it belongs to. */
export const RESOURCES_ENVIRONMENT_MAX_BYTES = 64 * KIB;
/** An input that the agent does not acknowledge within this time is shown as uncertain. */
export const ACCEPT_WITHIN_MS = 30 * SECOND;
/** A human's unfinished line counts as abandoned after this much quiet. */
export const DIRTY_LINE_MS = 10 * MINUTE;
/** A session silent and unknown this long shows its queued prompt as blocked. */
export const UNKNOWN_SILENT_MS = 30 * SECOND;
/** Between a paste and its Enter: agents merge a faster Enter into the paste. */
export const PASTE_SETTLE_MS = 120;
/** One that shows its paste has this much silence before its Enter too, but goes on to print no longer than this. */
export const PASTE_DRAWN_WITHIN_MS = 1 * SECOND;
/** An agent's screen is looked at this often for a paste that it should show. */
export const LINE_LOOK_MS = 100;
/** An idle agent that shows no input line, or has not reported its start, is typed to after this much silence nevertheless ... */
export const READY_SILENT_MS = 15 * SECOND;
/** ... and after this time although it goes on printing: its reports are switched off, or nobody can read its line. */
export const READY_WITHIN_MS = 45 * SECOND;
/** An agent that was just started has loaded what it takes up when it printed nothing for this long. */
export const FRESH_SETTLED_MS = 1 * SECOND;
/** A paste that the screen does not show within this time gets its Enter nevertheless; 100 kB are shown within a second. */
export const PASTE_SHOWN_WITHIN_MS = 10 * SECOND;
/** Presses of Enter for one input: an agent that starts may take one for a line break, on a busy machine more. */
export const ENTERS_MAX = 6;
/** An unacknowledged input whose text still stands in the line is given this much longer for them. */
export const ENTERS_WITHIN_MS = 90 * SECOND;
/** Inputs whose repeated presses are remembered; of one that is forgotten the runner still does each press once. */
export const ENTERS_REMEMBERED = 1_000;
/** Between the first two presses, doubled for each further one: an agent that took the first has emptied its line by then. */
export const ENTER_AGAIN_AFTER_MS = 2 * SECOND;
/** While an input is not acknowledged, screen and conversation are looked at this often. */
export const ACCEPT_LOOK_MS = 500;
/** A process that was asked to end is forced after this time. */
export const END_GRACE_MS = 5 * SECOND;

/** Output log kept per worker; the oldest segment goes first. */
export const LOG_CAP_BYTES = 64 * MIB;
/** One segment file of an output log. */
export const LOG_SEGMENT_BYTES = 8 * MIB;
/** Bytes of one `read_session_output` where the caller does not say. */
export const OUTPUT_DEFAULT_BYTES = 32 * KIB;
/** Bytes of one `read_session_output` at most. */
export const OUTPUT_MAX_BYTES = 256 * KIB;
/** Bytes of one keyboard input. */
export const INPUT_MAX_BYTES = 256 * KIB;
/** Input ids that the runner remembers per worker. */
export const INPUT_IDS_KEPT = 1_000;
/** Unacknowledged bytes on the way to one reader of a stream. */
export const STREAM_WINDOW_BYTES = 1 * MIB;
/** A viewer that lags this far and is silent gets a fresh snapshot. */
export const VIEWER_LAG_BYTES = 8 * MIB;
/** ... and has not acknowledged anything for this long. */
export const VIEWER_SILENT_MS = 2 * SECOND;
/** Stored output read for a viewer that is behind: one read of the log, one message, and more than one batch of the runner. */
export const STREAM_BLOCK_BYTES = 128 * KIB;
/** Files of output logs that the server keeps open for viewers that are behind, ... */
export const LOG_FILES_OPEN = 32;
/** ... until nobody has read them for this long. */
export const LOG_FILES_OPEN_MS = 1 * SECOND;
/** Resizes remembered per watched worker, for viewers that are behind; older ones only matter to old lines. */
export const RESIZES_KEPT = 1_000;

/** Terminals that a page keeps alive, so that going between them takes no time: each has a connection and its lines. */
export const PAGE_TERMINALS_MAX = 12;
/** Lines above the screen of a page's terminal; at 120 columns about 15 MB. */
export const PAGE_SCROLLBACK_LINES = 10_000;
/** Lines of earlier output shown at once, in one terminal and on request; at 120 columns about 75 MB. */
export const PAGE_HISTORY_LINES = 50_000;
/** Stored output by which each request for earlier output reaches further back; some 25 000 lines of a log. */
export const PAGE_HISTORY_STEP_BYTES = 2 * MIB;
/** Typed and pasted bytes of one terminal that a page keeps until the console has them. */
export const PAGE_INPUT_KEPT_BYTES = 256 * KIB;
/** Inputs of one page on their way at once: far fewer than INPUT_IDS_KEPT, which all who type share. */
export const PAGE_INPUTS_TRAVELLING = 128;
/** An input that nobody accepted for this long is sent again under its id. */
export const PAGE_INPUT_REPEAT_MS = 5 * SECOND;

/** Lines kept above a server-side screen; with them an agent's screen takes about 2.3 MB at 120 columns. */
export const SCREEN_HISTORY_LINES = 1_000;
/** Lines above the screen in a `workers.screen` answer, at most: all that are kept. */
export const SCREEN_ANSWER_LINES_MAX = 1_000;
/** Bytes on their way to one screen that it has not written yet: about 15 ms of its work. */
export const SCREEN_WINDOW_BYTES = 512 * KIB;
/** A screen this far behind its output skips ahead: a quarter of a second of work, which no reader should wait for. */
export const SCREEN_LAG_BYTES = 8 * MIB;
/** What a screen that skips begins in: more than a screen and its history of ordinary lines. */
export const SCREEN_SKIP_TO_BYTES = 1 * MIB;
/** Between two looks at whether a worker floods; the screen is right at most two of them after a flood. */
export const SCREEN_LOOK_MS = 200;
/** More output than this between two looks is a flood, in which a screen rests: 10 MB/s, which no reader can follow. */
export const SCREEN_FLOOD_BYTES = 2 * MIB;
/** Output after which a screen's state is stored; a restart has to parse no more than this. */
export const SCREEN_CHECKPOINT_BYTES = 1 * MIB;
/** ... at most this often, since storing one takes about 10 ms. */
export const SCREEN_CHECKPOINT_MS = 1 * SECOND;
/** A screen's state is also stored when its output has paused this long. */
export const SCREEN_IDLE_MS = 300;
/** Bytes of a stored screen; larger files are not read. A full history in changing colours stays far below. */
export const SCREEN_CHECKPOINT_MAX_BYTES = 32 * MIB;
/** A screen that nobody needs any more is let go after this time. */
export const SCREEN_KEPT_MS = 60 * SECOND;
/** The thread of the screens ends when there was none for this time. */
export const SCREEN_THREAD_IDLE_MS = 30 * SECOND;
/** A thread that has work and says nothing for this long hangs, and is started again. */
export const SCREEN_HANG_MS = 10 * SECOND;
/** Memory of the thread's heap; beyond it the thread ends and starts again, and the server does not notice. */
export const SCREEN_HEAP_MB = 1_024;
/** First pause before a thread that died is started again; it doubles up to SCREEN_RESTART_MAX_MS. */
export const SCREEN_RESTART_MS = 50;
export const SCREEN_RESTART_MAX_MS = 10 * SECOND;
/** A thread that lived this long starts again without a longer pause. */
export const SCREEN_THREAD_STEADY_MS = 30 * SECOND;
/** A screen is waited for this long to reach the newest output; then it is shown as it is. */
export const SCREEN_ASK_MS = 5 * SECOND;
/** Resizes on their way to one screen; the oldest are passed over beyond. */
export const SCREEN_RESIZES_MAX = 1_000;
/** Output before a page that is rendered with it, so that lines drawn anew are known. */
export const SCREEN_LEAD_BYTES = 128 * KIB;
/** Lines that a rendering terminal keeps between two looks: more than a piece of output can scroll. */
export const SCREEN_RENDER_HISTORY_LINES = 2_000;

/** An activity must last this long before viewers hear of it, else lists flicker. */
export const ACTIVITY_SETTLE_MS = 500;
/** Events kept: this many ... */
export const EVENTS_KEPT = 1_000_000;
/** ... or this old, whichever is less. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * MINUTE;
/** The longest that a timer of Node can wait: 2^31 - 1 ms, 24.8 days. */
export const TIMER_MAX_MS = 2_147_483_647;
/** Rows of the audit kept, at some 200 bytes each; none is older than events are. */
export const AUDIT_KEPT = 1_000_000;
/** Events waiting for one slow subscriber before it has to start again from its cursor. */
export const EVENT_QUEUE_MAX = 10_000;
/** Sessions in the snapshot of `/ws/app`; the rest by REST. */
export const APP_SNAPSHOT_SESSIONS = 1_000;
/** Sessions a page keeps in its list; older ones that do nothing are left out, since nobody scrolls that far. */
export const PAGE_SESSIONS_MAX = 5_000;
/** What clients of the event stream are told to wait before they connect again. */
export const EVENT_STREAM_RETRY_MS = 1 * SECOND;
/** WebSocket heartbeat. */
export const HEARTBEAT_MS = 15 * SECOND;
/** A new WebSocket must identify itself within this time. */
export const SOCKET_AUTH_MS = 10 * SECOND;
/** Bytes waiting in one socket before nothing more is put into it; a reader that is slower is served from the store. */
export const SOCKET_BUFFER_BYTES = 256 * KIB;
/** Input bytes of one WebSocket on their way to the runner before its socket is no longer read. */
export const SOCKET_INPUT_BYTES = 1 * MIB;
/** Open WebSockets, and open event streams: each holds a descriptor and at most its buffers. */
export const LIVE_CONNECTIONS_MAX = 1_000;
/** Frames that make no sense from one WebSocket before it is closed. */
export const BAD_FRAMES_MAX = 20;
/** A closing WebSocket has this long to say goodbye. */
export const SOCKET_CLOSE_MS = 1 * SECOND;

/** An idempotency key is remembered this long. */
export const IDEMPOTENCY_KEY_MS = 24 * 60 * MINUTE;
/** Without a key, an identical call of the same worker is a retry of an undelivered answer this long. */
export const UNDELIVERED_RETRY_MS = 10 * MINUTE;
/** A login code works once, for this long. */
export const LOGIN_CODE_MS = 60 * SECOND;
/** MCP sessions of the 2025 era that nobody used are forgotten after this time. */
export const MCP_SESSION_IDLE_MS = 24 * 60 * MINUTE;
/** Our own clients retry a refused connection this long. */
export const CLIENT_RETRY_MS = 60 * SECOND;

/** Untracked files saved by the recovery ref of a removed worktree. */
export const RECOVERY_UNTRACKED_MAX_BYTES = 100 * MIB;
/** Recovery refs are kept this long. */
export const RECOVERY_KEPT_MS = 30 * 24 * 60 * MINUTE;

/** Bytes of one paste into the scripted agent; prompts are at most a tenth of it. */
export const SCRIPTED_PASTE_MAX_BYTES = 1 * MIB;
/** Bytes typed ahead of a running turn of the scripted agent; more is refused aloud. */
export const SCRIPTED_AHEAD_MAX_BYTES = 4 * MIB;
/** Kept lines (`@after`) of the scripted agent that wait at once. */
export const SCRIPTED_KEPT_MAX = 100;
/** Characters shown and recorded of one tool result or git message in the scripted agent. */
export const SCRIPTED_RESULT_MAX_CHARS = 64 * KIB;
/** Bytes of an escape sequence that reports title, progress or a notification; longer ones carry data, not status. */
export const STATUS_SEQUENCE_MAX_BYTES = 4 * KIB;
/** Bytes of a worker's signals file; a day of hooks is far less, and a hook that runs wild must not fill the disk. */
export const SIGNALS_MAX_BYTES = 8 * MIB;
/** Read of a signals file at once; a longer line than this is passed over: the largest prompt is a tenth of it. */
export const SIGNALS_READ_BYTES = 1 * MIB;
/** A signals file is looked at this often, also where the system does not tell of its growth. */
export const SIGNALS_LOOK_MS = 1 * SECOND;
/** An agent's screen is looked at this often while it prints: three looks tell work from a half-painted screen. */
export const SCREEN_GLANCE_MS = 100;
/** A screen has settled when nothing was printed for this long. */
export const SCREEN_SETTLED_MS = 300;
/** Whoever waits for an agent is told that it asks by then, also where nobody could read what: ten settled screens. */
export const QUESTION_READ_MS = 3 * SECOND;
/** An agent that still asks the same so long after its answer was typed did not take it, and is shown as asking again. */
export const ANSWER_TAKEN_MS = 5 * SECOND;
/** Looks for a question before its answer is typed: one may fall into a repaint. */
export const ANSWER_LOOKS_MAX = 4;
/** Between two of them. */
export const ANSWER_LOOK_EACH_MS = 150;
/** Characters of a question; a screen holds less, an agent's report of it may bring a whole file. */
export const APPROVAL_TEXT_MAX_CHARS = 4_000;
/** Characters of a question in events and notices, which are read at a glance. */
export const APPROVAL_CUT_CHARS = 500;
/** Answers of one question; no dialog shows as many on one screen. */
export const APPROVAL_OPTIONS_MAX = 30;
/** Characters of one answer. */
export const APPROVAL_LABEL_MAX_CHARS = 300;
/** Pause up to which looks at a screen that lags behind its output become rarer. */
export const SCREEN_GLANCE_MAX_MS = 5 * SECOND;
/** A program is asked for its version and help this long; the slowest known needs 3 s on a busy machine. */
export const PROGRAM_ANSWER_MS = 20 * SECOND;
/** Bytes read of what a program prints of itself. */
export const PROGRAM_ANSWER_MAX_BYTES = 256 * KIB;
/** An agent that is asked for a branch name without a terminal; a call that waits for it must still answer in time. */
export const BRANCH_NAMING_MS = 20 * SECOND;
/** Characters of a prompt that an agent is shown when it names the branch: the beginning says what it is about. */
export const BRANCH_NAMING_PROMPT_CHARS = 2_000;
/** Bytes of an answer without a terminal; who prints more is not answering what it was asked. */
export const ONE_SHOT_OUTPUT_MAX_BYTES = 64 * KIB;
/** Agents that run without a terminal at once: each is a whole program of some 200 MB that may want a core. */
export const ONE_SHOTS_MAX = 4;
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
/** Checks of different agents at once. */
export const AGENT_CHECKS_MAX = 2;
/** Characters of a screen or question in a check's answer. */
export const AGENT_CHECK_TEXT_CHARS = 400;
/** Bytes of a person's configuration file that is read for a start; larger ones are left alone. */
export const USER_FILE_MAX_BYTES = 4 * MIB;
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
/** Characters of one message; whole prompts fit, and what an agent says at once is far shorter. */
export const TRANSCRIPT_TEXT_MAX_CHARS = 100_000;
/** Characters of one tool call: enough for a command, not for the file it writes. */
export const TRANSCRIPT_CALL_MAX_CHARS = 4_000;
/** Between two looks at one conversation: signs of a turn come in bursts. */
export const TRANSCRIPT_LOOK_GAP_MS = 250;
/** A living agent's conversation is looked at this often even when nothing says that it grew. */
export const TRANSCRIPT_LOOK_EACH_MS = 5 * SECOND;
/** A place in an agent's database is read again until it is this old, since rows change within a millisecond. */
export const TRANSCRIPT_SETTLED_MS = 2 * SECOND;
/** The end of a turn waits this long for the agent's last words, which may be its summary. */
export const TRANSCRIPT_LAST_WORDS_MS = 1 * SECOND;
/** Newest inputs of a session that a message of its conversation may be; older ones were found long ago. */
export const TRANSCRIPT_INPUTS_MAX = 50;
/** Messages of one page of output; the rest follows with the next. */
export const OUTPUT_MESSAGES_MAX = 200;
/** Characters of a tool call in a page of output, where each is one line. */
export const OUTPUT_CALL_MAX_CHARS = 200;
/** Time-out that agents are told for our tools: more than any call lasts, with room for a restart meanwhile. */
export const TOOL_TIMEOUT_MS = 180 * SECOND;
/** Bytes of a recording read by hand; a worker's whole log is no more. */
export const RECORDING_MAX_BYTES = 64 * MIB;

/** Output gathered into one log write and one frame: below it, writes and frames cost more than the bytes. */
export const RUNNER_BATCH_BYTES = 64 * KIB;
/** A flooding process delays its batches by this much at most, a quiet one not at all. */
export const RUNNER_BATCH_MS = 2;
/** Read buffer of a flooding process: two batches, so that one is filled while the other travels. */
export const RUNNER_SLAB_BYTES = 128 * KIB;
/** Read buffer of a quiet process: about one kernel read. */
export const RUNNER_SLAB_SMALL_BYTES = 4 * KIB;
/** Large read buffers kept for reuse. */
export const RUNNER_SLABS_KEPT = 16;
/** Payload of one frame between runner and server: a whole environment, or the longest input with its envelope. */
export const RUNNER_FRAME_MAX_BYTES = 2 * MIB;
/** Bytes waiting in one connection before its readers are fed from the log instead. */
export const RUNNER_CONNECTION_HIGH_BYTES = 1 * MIB;
/** A connection that asks without reading answers is closed at this many waiting bytes. */
export const RUNNER_CONNECTION_MAX_BYTES = 8 * MIB;
/** Connections to one runner: a server, the commands of a busy user, and some on their way out. */
export const RUNNER_CONNECTIONS_MAX = 64;
/** Input waiting for a process that does not read it; more is refused with BUSY. */
export const RUNNER_INPUT_QUEUE_BYTES = 1 * MIB;
/** Output still in the kernel that is fetched when a process ends (measured: 23 kB); a child left behind may add for ever. */
export const RUNNER_DRAIN_MAX_BYTES = 1 * MIB;
/** Ended processes a runner remembers until they are forgotten. */
export const RUNNER_ENDED_KEPT = 1_000;
/** Size changes of one terminal kept for readers that lag. */
export const RUNNER_RESIZES_KEPT = 1_000;
/** A log that cannot be written (disk full) is tried again after this time; its process waits. */
export const RUNNER_LOG_RETRY_MS = 200;
/** A runner without process, server and connection ends after this time. */
export const RUNNER_IDLE_MS = 60 * SECOND;
/** How often a runner looks whether its data directory is still there, and how long its log files are. */
export const RUNNER_WATCH_MS = 3 * SECOND;
/** A runner that does not answer within this time after its start has failed. */
export const RUNNER_START_MS = 10 * SECOND;
/** A runner that was asked to end waits this long for processes (asked, then forced) and server, then goes. */
export const RUNNER_STOP_MS = 20 * SECOND;
/** A request to the runner without an answer fails after this time. */
export const RUNNER_REQUEST_MS = 30 * SECOND;
/** A server that is not ready within this time has failed to start. */
export const SERVER_READY_MS = 60 * SECOND;
/** A server that was asked to stop is forced after this time. */
export const SERVER_STOP_MS = 10 * SECOND;
/** A server that lived this long is started again at once after a crash ... */
export const SERVER_STEADY_MS = 5 * SECOND;
/** ... an earlier crash waits this long, doubling with each further one ... */
export const SERVER_BACKOFF_MIN_MS = 100;
/** ... up to this. */
export const SERVER_BACKOFF_MAX_MS = 10 * SECOND;
/** `runner.log` and `server.log` are put aside as `.1` at this size. */
export const PROCESS_LOG_MAX_BYTES = 4 * MIB;
/** `stderr.log` of a piped process is put aside as `.1` at this size. */
export const STDERR_LOG_MAX_BYTES = 1 * MIB;

/** Bytes of one git command's answer held in memory; the listings of very large repositories stay far below. */
export const GIT_OUTPUT_MAX_BYTES = 64 * MIB;
/** Bytes kept of git's error output, from its end: the reason stands there. */
export const GIT_STDERR_MAX_BYTES = 16 * KIB;
/** Bytes read of a file that only names a folder or a ref: a path has at most 4 096, and words stand before it. */
export const GIT_POINTER_MAX_BYTES = 8 * KIB;
/** Attempts of a git command that met another git's lock; with doubling waits this is about 1.3 s. */
export const GIT_ATTEMPTS_MAX = 8;
/** Changes of one repository that wait for their turn. */
export const GIT_QUEUE_MAX = 1_000;
/** Processes that write one checkout: more did not help on 2 cores, fewer took three times as long on 10 000 files. */
export const CHECKOUT_WORKERS = 4;
/** Files below which a checkout is written by one process: starting the others costs about 4 ms. */
export const CHECKOUT_WORKERS_FROM_FILES = 1_000;
/** Files of a diff; the others are counted. */
export const DIFF_FILES_MAX = 2_000;
/** Bytes of hunks of one file in a diff: more is not read by anybody line by line. */
export const DIFF_FILE_MAX_BYTES = 256 * KIB;
/** Bytes of hunks of a whole diff, so that its JSON stays digestible for a browser. */
export const DIFF_MAX_BYTES = 4 * MIB;
/** Bytes of patch text read for one diff; git is stopped there. */
export const DIFF_READ_MAX_BYTES = 256 * MIB;
/** Files larger than this are shown as binary, since git holds both sides in memory to compare them. */
export const DIFF_BLOB_MAX_BYTES = 16 * MIB;
/** Entries of each list that says what a removal would lose; the others are counted. */
export const RISK_LIST_MAX = 1_000;
/** Entries visited to measure ignored folders such as `node_modules`; sizes are lower bounds beyond. */
export const RISK_WALK_MAX_ENTRIES = 100_000;
/** Untracked files saved by one recovery: each becomes an object file of its own. */
export const RECOVERY_UNTRACKED_MAX_FILES = 50_000;
/** Output of one git command in the scripted agent. */
export const SCRIPTED_GIT_OUTPUT_BYTES = 8 * MIB;
/** The scripted agent waits this long for another git command that holds the index. */
export const SCRIPTED_GIT_LOCK_MS = 5 * SECOND;
/** One tool call of our own clients; the server answers within CALL_MAX_MS. */
export const CLIENT_CALL_MS = 60 * SECOND;
/** An agent of unknown activity whose definition says "send" gets its prompt after this much silence. */
export const SEND_UNKNOWN_AFTER_MS = 2 * SECOND;

/** A caller recognised by its process is looked at again after this time: processes end, and their sockets pass on. */
export const PEER_TRUSTED_MS = 1 * SECOND;
/** Processes whose open files are read side by side when a peer is sought: twice libuv's threads. */
export const PEER_SCAN_PROCESSES = 8;
/** Steps from a peer's process towards the root of the process tree; deeper nesting is nobody's work. */
export const PROCESS_ANCESTORS_MAX = 256;
/** After CALL_MAX_MS a tool call's wait is cut; what it knows by then must be answered within this time. */
export const CALL_GRACE_MS = 2 * SECOND;
/** Time a planned stop gives the answers to open calls to reach their callers. */
export const DRAIN_MAX_MS = 2 * SECOND;
/** MCP sessions of the 2025 era held in memory; the least recently used one is revived from its row when it calls again. */
export const MCP_SESSIONS_MAX = 500;
/** Open `subscriptions/listen` streams of the 2026 era. */
export const MCP_SUBSCRIPTIONS_MAX = 1_024;
/** Characters of an idempotency key. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 200;
/** Resources one MCP stream or session may watch. */
export const RESOURCE_SUBSCRIPTIONS_MAX = 100;
/** A watcher is told of a resource at once, then at most this often; what came between is told together. */
export const RESOURCE_UPDATE_PAUSE_MS = 200;
/** Events named in one update of a resource; older ones are found by reading. */
export const RESOURCE_UPDATE_EVENTS_MAX = 20;
/** Completions of one argument, as many as the protocol allows. */
export const COMPLETIONS_MAX = 100;
/** Bytes that wait for a reader of an MCP stream; one that is slower loses the stream and opens another. */
export const MCP_STREAM_BYTES_MAX = 1 * MIB;
/** Connections of the older HTTP+SSE transport. */
export const MCP_SSE_CONNECTIONS_MAX = 100;
/** Requests of one stdio client that wait for their answer. */
export const MCP_BRIDGE_OPEN_MAX = 1_000;
/** First pause of our own clients between two attempts; it doubles up to CLIENT_RETRY_PAUSE_MAX_MS. */
export const CLIENT_RETRY_PAUSE_MS = 100;
/** Longest pause of our own clients between two attempts. */
export const CLIENT_RETRY_PAUSE_MAX_MS = 2 * SECOND;
/** MCP sessions of the 2025 era that can be revived; beyond, the least recently used row goes first. */
export const MCP_SESSION_ROWS_MAX = 10_000;
/** Rows of unused MCP sessions are looked for this often. */
export const MCP_SESSION_SWEEP_MS = 10 * MINUTE;
/** The last use of an MCP session is written down at most this often. */
export const MCP_SESSION_TOUCH_MS = 1 * MINUTE;
/** Characters of an e-mail address, as the mail standards allow. */
export const EMAIL_MAX_CHARS = 254;
/** Characters of the address of a picture. */
export const URL_MAX_CHARS = 2_000;
/** Files that a session's first prompt may name; their names stand in its agent's instructions for good. */
export const CONTEXT_FILES_MAX = 20;
/** Characters of the path of such a file. */
export const CONTEXT_PATH_MAX_CHARS = 500;
/** Entries of other MCP servers; each name is one that people tell apart. */
export const MCP_SERVERS_MAX = 200;
/** Other MCP servers of one session; the tools of each stand in its agent's context. */
export const SESSION_MCP_SERVERS_MAX = 20;
/** Characters of such a server's name: agents put it before the name of each tool, which models take up to 64 long. */
export const MCP_SERVER_NAME_MAX_CHARS = 32;
/** Variables or headers of one MCP server. */
export const MCP_SERVER_VALUES_MAX = 50;
/** Characters of the value of one of them. */
export const PRIVATE_VALUE_MAX_CHARS = 8_000;
/** Users whose view of the stores is kept ready; each holds up to some MB of prepared statements. */
export const VIEWERS_KEPT_MAX = 50;
/** Notices waiting for one session; beyond it a child says no more until its parent has read some. */
export const PENDING_NOTICES_MAX = 1_000;
/** Characters of a prompt in a list of tasks for agents: enough to know which it is. */
export const AGOR_TASK_PROMPT_CHARS = 300;
/** Boards in all; a list of more is nothing that a person arranges. */
export const BOARDS_MAX = 1_000;
/** Boards that one session may have made, as more than an agent lays its work out on; so none takes all of them. */
export const BOARDS_PER_SESSION_MAX = 20;
/** Zones of one board; more could not be told apart. */
export const BOARD_ZONES_MAX = 100;
/** Worktrees on one board: its answer names them all. */
export const BOARD_WORKTREES_MAX = 500;
/** How far from a board's middle something may lie, and how large a zone may be, in the board's own units. */
export const BOARD_EXTENT = 1_000_000;
/** Worktrees that are copied with a board in one call, which must end before CALL_MAX_MS. */
export const BOARD_COPY_WORKTREES_MAX = 20;
/** Worktrees that are checked out side by side while a board is copied: each checkout has workers of its own. */
export const BOARD_COPY_PARALLEL = 2;
/** A copy that is not whole after this time is undone; undoing it ends before CALL_MAX_MS. */
export const BOARD_COPY_MS = 35 * SECOND;
/** Worktrees that one session may make by hand (delegations have their own limit); each is a folder on the disk. */
export const SESSION_WORKTREES_MAX = 50;
/** Characters of a search: more than anybody types, less than a pasted page. */
export const SEARCH_QUERY_MAX_CHARS = 500;
/** Words of a search; each is one more list of places to compare. */
export const SEARCH_WORDS_MAX = 40;
/** Characters before a `*`: beginnings of one or two match half of all words, and each is looked up. */
export const SEARCH_BEGINNING_MIN_CHARS = 3;
/** Sessions of one answer to a search. */
export const SEARCH_LIMIT_MAX = 200;
/** Sessions of one answer to a search where the caller does not say: agents read every byte. */
export const SEARCH_LIMIT_DEFAULT = 20;
/** Matching texts looked at in all, the newest; who finds more needs another word, not another page. */
export const SEARCH_MATCHES_MAX = 2_000;
/** Matching texts looked at between two turns of the event loop: a few milliseconds. */
export const SEARCH_SLICE = 1_000;
/** The same where each text itself must be read. */
export const SEARCH_READ_SLICE = 500;
/** Texts looked up for one slice, with those of sessions not asked for or not the caller's to see: a microsecond each. */
export const SEARCH_PASSED = 3_000;
/** Time one search may take; older texts are left out then. */
export const SEARCH_MS = 1 * SECOND;
/** Characters of the piece of text that a search shows. */
export const SEARCH_SNIPPET_CHARS = 240;
/** Characters of it before the first match. */
export const SEARCH_SNIPPET_LEAD_CHARS = 60;
/** Matches marked in one piece of text. */
export const SEARCH_MARKS_MAX = 20;
