import type { LanguageRegistration } from 'shiki/core';
import type { Language } from './languages.ts';

/** Token classes of highlighted code. */
export const COLOURS = ['plain', 'comment', 'string', 'keyword', 'number', 'name', 'type'] as const;
export type Colour = (typeof COLOURS)[number];

/** A run of characters in one colour: its length, and the index of the colour in COLOURS. */
export type Run = [length: number, colour: number];

/** Longer lines are data and stay plain. */
export const LINE_COLOURED_CHARS = 2_000;

/** Request to the worker, one at a time. */
export interface HighlightRequest {
  id: number;
  lines: readonly string[];
  language: Language;
  /** The grammar with those it embeds; sent once to each worker. */
  grammar: readonly LanguageRegistration[] | undefined;
}

/** Response of the worker; empty when the code could not be tokenized. */
export interface HighlightResponse {
  id: number;
  colours: readonly (readonly Run[])[];
}
