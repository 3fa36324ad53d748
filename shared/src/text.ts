import * as v from 'valibot';
import { LABEL_MAX_CHARS, LABELS_MAX } from './limits/inbox.ts';
import { SEARCH_PREFIX_MIN_CHARS, SEARCH_QUERY_MAX_CHARS, SEARCH_WORDS_MAX } from './limits/search.ts';
import {
  CONTEXT_FILES_MAX,
  CONTEXT_PATH_MAX_CHARS,
  PROMPT_MAX_BYTES,
  TEXT_MAX_CHARS,
  TITLE_MAX_CHARS,
} from './limits/texts.ts';
import { SEARCHABLE } from './searchable.ts';

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Replaces `\r\n` and lone `\r` with `\n`, so that the line ends of a text are the same on every system. */
function unixNewlines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function describeControl(text: string): string | null {
  const index = text.search(CONTROL);
  if (index >= 0) {
    const code = text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0');
    return `contains control character U+${code} at position ${index}; only newline and tab are allowed`;
  }
  const surrogate = text.search(LONE_SURROGATE);
  return surrogate >= 0 ? `contains half of a surrogate pair at position ${surrogate}; use valid Unicode` : null;
}

const noControls = v.rawCheck<string>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const problem = describeControl(dataset.value);
  if (problem !== null) addIssue({ message: problem });
});

const promptSize = v.rawCheck<string>(({ dataset, addIssue }) => {
  if (!dataset.typed) return;
  const bytes = new TextEncoder().encode(dataset.value).length;
  if (bytes > PROMPT_MAX_BYTES) {
    addIssue({
      message: `has ${bytes} bytes, but at most ${PROMPT_MAX_BYTES} are allowed; put longer text into a file and pass its path`,
    });
  }
});

/**
 * Schema of a prompt or message: no control characters except newline and tab, not blank, at most PROMPT_MAX_BYTES
 * bytes.
 */
export const PromptText = v.pipe(
  v.string(),
  v.transform(unixNewlines),
  v.regex(/\S/, 'must not be blank'),
  noControls,
  promptSize,
);

/** Schema of a one-line title. An empty text clears the title; a blank text is invalid. */
export const Title = v.pipe(
  v.string(),
  v.maxLength(TITLE_MAX_CHARS),
  noControls,
  v.regex(/^[^\n\t\r]*$/, 'must be one line'),
  v.regex(/^$|\S/, 'must not be blank'),
);

/** A description or summary, possibly with several lines; may be empty. */
export const LongText = v.pipe(v.string(), v.transform(unixNewlines), v.maxLength(TEXT_MAX_CHARS), noControls);

const WORD = /[\p{L}\p{N}]+/gu;
const SHORT_PREFIX = new RegExp(
  `(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}]{1,${SEARCH_PREFIX_MIN_CHARS - 1}}\\*+(?![^\\s"])`,
  'u',
);

/**
 * A search query of one or more words. Quotes (`"`) enclose a phrase, and a trailing `*` marks a prefix. All other
 * characters except letters and digits separate words.
 */
export const SearchText = v.pipe(
  v.string(),
  v.transform(unixNewlines),
  v.maxLength(SEARCH_QUERY_MAX_CHARS),
  noControls,
  v.regex(SEARCHABLE, 'contains no word; enter words to search for, such as: login page'),
  v.check(
    (text) => [...text.matchAll(WORD)].length <= SEARCH_WORDS_MAX,
    `has too many words; use at most ${SEARCH_WORDS_MAX}, preferably the rarest`,
  ),
  v.check(
    (text) => !SHORT_PREFIX.test(text),
    `a prefix needs at least ${SEARCH_PREFIX_MIN_CHARS} characters before the *, such as: log*`,
  ),
);

/** A shell command that a person saves for a repository; runs in the worktree with `sh -c`. Null clears it. */
export const Command = v.nullable(
  v.pipe(v.string(), v.transform(unixNewlines), v.minLength(1), v.maxLength(4_000), noControls),
);

/** An absolute path on the machine of the server. */
export const AbsolutePath = v.pipe(
  v.string(),
  v.regex(/^\//, 'must be an absolute path'),
  v.maxLength(4_096),
  v.regex(/^[^\x00-\x1f\x7f]*$/, 'must not contain control characters'),
);

/**
 * A path inside a worktree; empty for the whole worktree. The operation checks that the path does not leave the
 * worktree.
 */
export const InnerPath = v.pipe(
  v.string(),
  v.maxLength(4_096),
  v.regex(/^[^\x00-\x1f\x7f]*$/, 'must not contain control characters'),
);

/** Files that an agent is asked to read first. The operation checks that each exists inside the working directory. */
export const ContextFiles = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(CONTEXT_PATH_MAX_CHARS),
      noControls,
      // The path becomes part of a prompt, so it must not contain line separators or direction overrides.
      v.regex(
        /^[^\n\t\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u,
        'must be one line, without characters that change the text direction',
      ),
    ),
  ),
  v.maxLength(CONTEXT_FILES_MAX),
  v.description(
    `Paths of files, relative to the working directory, at most ${CONTEXT_FILES_MAX}; the agent is asked to read them first`,
  ),
);

/** Removes control characters, so that a caller cannot forge terminal output or log lines. */
export function stripControls(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** Schema of a label: one lower-case word, so that it can be typed as `label:word` into a filter. */
export const Label = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(LABEL_MAX_CHARS),
  v.regex(/^[\p{L}\p{N}][\p{L}\p{N}._/-]*$/u, 'must be one word of letters, digits and . _ / -'),
);

/** Schema of the labels of a session. Repeated labels are dropped. */
export const Labels = v.pipe(
  v.array(Label),
  v.transform((labels) => [...new Set(labels)]),
  v.maxLength(LABELS_MAX),
);
