import { SECOND } from './units.ts';

/** Maximum characters of a query: more than anyone types, less than a pasted page. */
export const SEARCH_QUERY_MAX_CHARS = 500;
/** Maximum words of a query. Each word adds a list of positions to compare. */
export const SEARCH_WORDS_MAX = 40;
/** Minimum characters before a `*`. Shorter prefixes match half of all words, and each matching word is looked up. */
export const SEARCH_PREFIX_MIN_CHARS = 3;
/** Maximum sessions in one search result. */
export const SEARCH_LIMIT_MAX = 200;
/** Default number of sessions in one search result. It is low, because results take space in an agent's context. */
export const SEARCH_LIMIT_DEFAULT = 20;

/** Maximum matching messages returned for one session. People open the session to see the rest. */
export const SEARCH_EXCERPTS_MAX = 5;

/** Maximum matching texts examined, newest first. Older matches are found only with a more specific query. */
export const SEARCH_MATCHES_MAX = 2_000;
/** Maximum texts examined between two turns of the event loop. Examining them takes a few milliseconds. */
export const SEARCH_SLICE = 1_000;
/**
 * Maximum texts examined between two turns of the event loop if the index does not contain all parts of the query. The
 * missing parts are searched in the texts themselves, which is slower.
 */
export const SEARCH_READ_SLICE = 500;
/**
 * Maximum texts that a search looks up in the database between two turns of the event loop, including texts that the
 * caller may not see or that a filter excludes.
 */
export const SEARCH_LOOKUPS = 3_000;
/** Maximum duration of a search. Texts that were not searched in this time are missing in the result. */
export const SEARCH_MS = 1 * SECOND;

export const SEARCH_SNIPPET_CHARS = 240;
/** Maximum characters of a snippet before the first match. */
export const SEARCH_SNIPPET_LEAD_CHARS = 60;
export const SEARCH_MARKS_MAX = 20;
