/** Maximum bytes of a prompt or message. Larger content belongs in a file that the prompt names. */
export const PROMPT_MAX_BYTES = 100_000;
export const TITLE_MAX_CHARS = 500;
/** Maximum characters of a description or of a report's summary. */
export const TEXT_MAX_CHARS = 20_000;
/** Maximum characters of an e-mail address, as in the mail standards. */
export const EMAIL_MAX_CHARS = 254;
export const URL_MAX_CHARS = 2_000;
/** Maximum context files of a session. Their paths are typed above its first prompt. */
export const CONTEXT_FILES_MAX = 20;
export const CONTEXT_PATH_MAX_CHARS = 500;
/** Maximum characters of the settings editorCommand and editorUrl. */
export const EDITOR_TEMPLATE_MAX_CHARS = 500;
