/** Search through prompts and messages. */
import { SECOND } from './units.ts';

/** Characters of a query: more than anybody types, less than a pasted page. */
export const SEARCH_QUERY_MAX_CHARS = 500;
/** Words of a query; each is one more list of positions to compare. */
export const SEARCH_WORDS_MAX = 40;
/** Characters before a `*`: prefixes of one or two match half of all words, and each word is looked up. */
export const SEARCH_PREFIX_MIN_CHARS = 3;
/** Maximum sessions in one answer to a search. */
export const SEARCH_LIMIT_MAX = 200;
/** Default sessions in one answer to a search: agents read every byte. */
export const SEARCH_LIMIT_DEFAULT = 20;

/** Matching texts examined, newest first; for more, another word helps, not another page. */
export const SEARCH_MATCHES_MAX = 2_000;
/** Matching texts examined between two turns of the event loop: a few milliseconds. */
export const SEARCH_SLICE = 1_000;
/** Texts examined between two turns of the event loop where each text must be read. */
export const SEARCH_READ_SLICE = 500;
/** Texts looked up for one slice, including those of sessions that are filtered out or hidden: a microsecond each. */
export const SEARCH_LOOKUPS = 3_000;
/** Time of one search; then older texts are omitted. */
export const SEARCH_MS = 1 * SECOND;

/** Characters of a snippet. */
export const SEARCH_SNIPPET_CHARS = 240;
/** Characters of a snippet before the first match. */
export const SEARCH_SNIPPET_LEAD_CHARS = 60;
/** Matches marked in one snippet. */
export const SEARCH_MARKS_MAX = 20;
