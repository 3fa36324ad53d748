/** Maximum bytes of one line from an agent. The longest lines contain a whole file, as part of a tool call. */
export const ACP_LINE_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Characters of text in one message from an agent. A longer message continues in the next one, so that nothing is cut.
 * The row of a growing message is written again for each batch of chunks, so it must not grow without end.
 */
export const ACP_MESSAGE_MAX_CHARS = 100_000;
/** Parts in one message from an agent, such as texts and images in turn. More parts continue in the next message. */
export const ACP_MESSAGE_PARTS_MAX = 200;
/**
 * Characters that are stored of the contents, the input or the output of a tool call, and of one image. A file of this
 * size and its replacement are two texts of the contents. What does not fit is left out and marked.
 */
export const ACP_VALUE_MAX_CHARS = 1_000_000;
/** Entries of the lists and objects in the contents, the input or the output of a tool call, all levels together. */
export const ACP_VALUE_ENTRIES_MAX = 10_000;
/** Levels of lists and objects in each other that are stored of an agent's value. */
export const ACP_NESTING_MAX = 50;
/** Characters of a text, such as a path or a name, that is stored even if the value that contains it is too large. */
export const ACP_SHORT_TEXT_MAX_CHARS = 200;
/** Characters of the title of a tool call, of an entry of a plan, and of a name or description of what an agent offers. */
export const ACP_LABEL_MAX_CHARS = 2_000;
/** Entries of an agent's plan. */
export const ACP_PLAN_ENTRIES_MAX = 500;
/** Slash commands, options, values of an option and ways to log in that an agent offers. Further ones are left out. */
export const ACP_OFFERS_MAX = 500;
/** Characters of the ids that an agent chooses for its requests, messages, tool calls and terminals. */
export const ACP_ID_MAX_CHARS = 500;

/**
 * Requests of an agent that are carried out at the same time. Each further one is answered with an error. Agents send
 * one request for each tool call that runs.
 */
export const ACP_REQUESTS_MAX = 200;
/**
 * Requests of an agent that wait for their answers, refused ones included. An agent that sends more does not read the
 * answers, and is ended.
 */
export const ACP_REQUESTS_WAITING_MAX = 1_000;

/** Questions of one agent that wait for a person. Each further one is answered with an error. */
export const ACP_QUESTIONS_MAX = 100;

/** How long an agent may take to answer `initialize`, in ms. Real agents take up to 8 s on a slow machine. */
export const ACP_INITIALIZE_MS = 30_000;

/** Terminals that an agent has opened over its protocol and not released. Each is a worker with a log. */
export const ACP_TERMINALS_MAX = 32;

/**
 * Bytes of a terminal's newest output that its agent receives at most. The answer must fit into one input of the runner
 * (INPUT_MAX_BYTES), also with its control characters escaped.
 */
export const ACP_TERMINAL_OUTPUT_BYTES = 128 * 1024;

/** Bytes of a terminal's newest output that its tool call shows after the terminal was released. */
export const ACP_TERMINAL_STORED_BYTES = 32 * 1024;

/**
 * Largest file that an agent can read through the console, in bytes. A larger file may not fit into one line of the
 * protocol.
 */
export const ACP_FILE_MAX_BYTES = 4 * 1024 * 1024;

/** How long the answer to an editor's `session/new` waits for the options of the session's agent, in seconds. */
export const EDITOR_START_WAIT_SECONDS = 10;

/** How long the answer to an editor's cancelled prompt waits for the agent to stop, in seconds. */
export const EDITOR_CANCEL_WAIT_SECONDS = 5;
