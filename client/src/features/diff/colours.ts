import type { LanguageRegistration } from 'shiki/core';
import type { Language } from './languages.ts';

/** Kinds of code that have a colour of their own. CSS sets the colours. */
export const COLOURS = ['plain', 'comment', 'string', 'keyword', 'number', 'name', 'type'] as const;
export type Colour = (typeof COLOURS)[number];

/** A run of characters with one colour: its length, and the colour's index in COLOURS. */
export type Run = [length: number, colour: number];

/** Maximum length, in characters, of a line that is highlighted. Longer lines are probably data. */
export const LINE_COLOURED_CHARS = 2_000;

/** A request to the web worker that highlights code. The web worker handles one request at a time. */
export interface HighlightRequest {
  id: number;
  lines: readonly string[];
  language: Language;
  /** The language's grammar and the grammars it embeds; undefined if the web worker has already received them. */
  grammar: readonly LanguageRegistration[] | undefined;
}

/** A response of the highlighting web worker. `colours` is empty if the code could not be tokenized. */
export interface HighlightResponse {
  id: number;
  colours: readonly (readonly Run[])[];
}
