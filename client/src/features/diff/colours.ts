import type { LanguageRegistration } from 'shiki/core';
import type { Language } from './languages.ts';

/** How parts of code are told apart. */
export const COLOURS = ['plain', 'comment', 'string', 'keyword', 'number', 'name', 'type'] as const;
export type Colour = (typeof COLOURS)[number];

/** Some characters of a line in one colour: how many, and the colour's position in COLOURS. */
export type Run = [length: number, colour: number];

/** Longer lines are data, not something to read, and stay plain. */
export const LINE_COLOURED_CHARS = 2_000;

/** What the worker is asked, one at a time. */
export interface Question {
  id: number;
  lines: readonly string[];
  language: Language;
  /** Its grammar with those that it contains; sent once to each worker. */
  grammar: readonly LanguageRegistration[] | undefined;
}

/** What it answers; no colours where the language could not be read. */
export interface Answer {
  id: number;
  colours: readonly (readonly Run[])[];
}
