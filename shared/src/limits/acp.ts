/** Maximum bytes of one line from an agent. The longest lines contain a whole file, as part of a tool call. */
export const ACP_LINE_MAX_BYTES = 16 * 1024 * 1024;

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
