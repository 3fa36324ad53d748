/** What people and agents write: titles, prompts, addresses, names of files. */

/** Bytes of a prompt or message; larger work belongs into a file that the prompt names. */
export const PROMPT_MAX_BYTES = 100_000;
/** Characters of a title. */
export const TITLE_MAX_CHARS = 500;
/** Characters of a description or a report's summary. */
export const TEXT_MAX_CHARS = 20_000;
/** Characters of an e-mail address, as the mail standards allow. */
export const EMAIL_MAX_CHARS = 254;
/** Characters of the address of a picture. */
export const URL_MAX_CHARS = 2_000;
/** Files that a session's first prompt may name; their names stand in its agent's instructions for good. */
export const CONTEXT_FILES_MAX = 20;
/** Characters of the path of such a file. */
export const CONTEXT_PATH_MAX_CHARS = 500;
