/** A search through prompts and messages. */
import { SECOND } from './units.ts';

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
