/** Texts of people and agents: titles, prompts, addresses, paths. */

/** Bytes of a prompt or message; larger work belongs into a file that the prompt names. */
export const PROMPT_MAX_BYTES = 100_000;
/** Characters of a title. */
export const TITLE_MAX_CHARS = 500;
/** Characters of a description or of a report's summary. */
export const TEXT_MAX_CHARS = 20_000;
/** Characters of an e-mail address, as the mail standards allow. */
export const EMAIL_MAX_CHARS = 254;
/** Characters of a URL. */
export const URL_MAX_CHARS = 2_000;
/** Context files of a session; their names remain in its agent's instructions. */
export const CONTEXT_FILES_MAX = 20;
/** Characters of the path of a context file. */
export const CONTEXT_PATH_MAX_CHARS = 500;
