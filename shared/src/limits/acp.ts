import { PROMPT_IMAGES_BODY_MAX_BYTES } from './images.ts';

/** Maximum bytes of one line from an agent. The longest lines contain a whole file, as part of a tool call. */
export const ACP_LINE_MAX_BYTES = 16 * 1024 * 1024;

/** Maximum time in milliseconds for an agent to close its conversation. After that, its process is ended. */
export const ACP_CLOSE_MS = 2_000;

/**
 * Maximum time in milliseconds for an agent to end a cancelled turn. After that, the next prompt is shown as blocked.
 * If a person sends this prompt anyway, the console ends the agent's process.
 */
export const ACP_CANCEL_MS = 10_000;

/**
 * Maximum characters of text in one message from an agent. A longer message continues in the next message. The limit
 * exists because the whole row of a message is rewritten for each new part of its text.
 */
export const ACP_MESSAGE_MAX_CHARS = 100_000;
/**
 * Maximum parts, such as texts and images, in one message from an agent. Further parts continue in the next message.
 */
export const ACP_MESSAGE_PARTS_MAX = 200;
/**
 * Maximum characters of the contents, the input or the output of a tool call, and of one image. Content beyond the
 * limit is left out and marked.
 */
export const ACP_VALUE_MAX_CHARS = 1_000_000;
/**
 * Maximum entries of lists and objects, all levels together, in the contents, the input or the output of a tool call.
 */
export const ACP_VALUE_ENTRIES_MAX = 10_000;
/** Maximum nesting of lists and objects in a stored value from an agent. */
export const ACP_NESTING_MAX = 50;
/** Texts of at most this many characters, such as paths and names, stay uncut even if a tool call is too large. */
export const ACP_SHORT_TEXT_MAX_CHARS = 200;
/**
 * Maximum characters of a tool call's title, of a plan's entry, and of the name or description of an option from an
 * agent.
 */
export const ACP_LABEL_MAX_CHARS = 2_000;
/** Maximum turns, newest first, that are searched for a tool call whose update arrives after the end of its turn. */
export const ACP_CALL_TURNS = 20;
export const ACP_PLAN_ENTRIES_MAX = 500;
/**
 * Maximum number of slash commands that an agent offers, of its options, of the values of one option, and of the ways
 * to log in. The rest is left out.
 */
export const ACP_OFFERS_MAX = 500;
/** Maximum characters of the ids that an agent chooses for its requests, messages, tool calls and terminals. */
export const ACP_ID_MAX_CHARS = 500;

/**
 * Maximum requests of an agent that run at the same time. Further requests are answered with an error. Agents send one
 * request for each tool call that runs.
 */
export const ACP_REQUESTS_MAX = 200;
/**
 * Maximum unanswered requests of an agent, including refused requests. An agent that exceeds this limit probably reads
 * no responses, so the console ends its process.
 */
export const ACP_REQUESTS_WAITING_MAX = 1_000;

/** Maximum questions of one agent that wait for a person. Further questions are answered with an error. */
export const ACP_QUESTIONS_MAX = 100;

/** Timeout in milliseconds of the request `initialize` to an agent. Real agents take up to 8 s on a slow machine. */
export const ACP_INITIALIZE_MS = 30_000;

/**
 * Maximum time in milliseconds for an agent to open its conversation and to accept its mode and options. Before it
 * answers, an agent may install and start its MCP servers, or send all messages of a long conversation again.
 */
export const ACP_OPENING_MS = 180_000;

/**
 * Maximum terminals that an agent has open over ACP. A terminal is open until the agent releases it. Each is a worker
 * with a log.
 */
export const ACP_TERMINALS_MAX = 32;

/**
 * Maximum bytes of a terminal's newest output that its agent receives. The agent receives less if the response, with
 * its control characters escaped, would exceed INPUT_MAX_BYTES.
 */
export const ACP_TERMINAL_OUTPUT_BYTES = 128 * 1024;

/** Maximum bytes of a terminal's newest output that a tool call shows after the terminal was released. */
export const ACP_TERMINAL_STORED_BYTES = 32 * 1024;

/**
 * Maximum bytes of a file from which an agent can read through the console. A read whose response would exceed
 * INPUT_MAX_BYTES is refused, so agents read a large file in parts.
 */
export const ACP_FILE_MAX_BYTES = 4 * 1024 * 1024;

/** Maximum characters of one line from an editor. The longest lines are prompts with images, as base64. */
export const EDITOR_LINE_MAX_CHARS = PROMPT_IMAGES_BODY_MAX_BYTES;

/** Maximum seconds that the response to an editor's `session/new` waits for the options of the session's agent. */
export const EDITOR_START_WAIT_SECONDS = 10;

/** Maximum seconds that the response to an editor's cancelled prompt waits for the agent to stop. */
export const EDITOR_CANCEL_WAIT_SECONDS = 5;
