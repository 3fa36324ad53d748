/** Matches a text that contains a word to search for. The console refuses a search or filter query without one. */
export const SEARCHABLE = /[\p{L}\p{N}]/u;
