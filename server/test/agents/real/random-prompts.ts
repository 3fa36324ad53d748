import fc from 'fast-check';
import type { CliId } from './harness/clis.ts';

/** What stands first in these commands an agent, unless it is a person who types it. */
const COMMANDS = ['/', '!', '#', '@'];

const PIECES = [
  '\n',
  '\n\n',
  '\t',
  '  ',
  '"double"',
  "it's",
  '`backtick`',
  '$(touch owned)',
  '$HOME \x24{HOME}',
  '\\n \\',
  '; rm -rf -- "$PWD" || :',
  '| & && > < * ? [a-z] {1..3} ~ %s',
  '<b>&amp;</b>',
  '[Pasted text #1 +2 lines]',
  'user@example.com @readme.md /help !ls #1 ?',
  'ünïcödé',
  '日本語の文章',
  '한국어',
  'العربية עברית',
  '🌍',
  '👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽',
  'e\u0301 a\u0308\u0323',
  '1. one\n2. two\n- three',
  '```sh\necho hi\n```',
];

/** Texts that every surface allows, of one character to some kB; the same for the same seed. */
export function randomPrompts(count: number, seed: number): string[] {
  const word = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzäöüß0123456789'),
    minLength: 1,
    maxLength: 9,
  });
  const piece = fc.oneof(
    { weight: 5, arbitrary: word.map((text) => `${text} `) },
    { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
  );
  const sized = (maxLength: number) =>
    fc.array(piece, { minLength: 1, maxLength, size: 'max' }).map((parts) => parts.join(''));
  const text = fc
    .tuple(
      fc.option(fc.constantFrom(...COMMANDS), { nil: '', freq: 3 }),
      fc.oneof(
        { weight: 4, arbitrary: sized(12) },
        { weight: 2, arbitrary: sized(80) },
        { weight: 1, arbitrary: sized(500) },
        { weight: 1, arbitrary: fc.constantFrom('x', '?', '1', '語', '🌍', 'é') },
      ),
    )
    .map(([first, rest]) => first + allowed(rest))
    .filter((made) => /\S/.test(made));
  return fc.sample(text, { numRuns: count, seed });
}

/** A prompt of 100 000 bytes with everything in it. */
export function longestPrompt(): string {
  const body = `the longest\n${PIECES.join('\n')}\n`;
  const lines = `${body}${'an ordinary line of a long prompt, ä €\n'.repeat(3_000)}`;
  const cut = Buffer.from(lines)
    .subarray(0, 99_980)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${cut}${'.'.repeat(100_000 - Buffer.byteLength(cut) - 3)}€`;
}

function allowed(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** A paste as Claude Code hands it on: marked as pasted when it has more than three lines or some hundred characters. */
const MARKED = /^\s*<pasted_content id="([^"]*)">\n([\s\S]*)\n<\/pasted_content id="\1">\s*$/;

/**
 * A text as far as the agents' programs leave it alone; the same is done to what was given and to what was heard. All trim
 * blanks at the ends (opencode adds one behind a long paste); Claude Code makes four blanks of a tab, joins letters with
 * their marks where a text is short, marks a paste, makes a line of each paragraph and leaves invisible letters out;
 * Gemini CLI takes a backslash away that stands before `@`.
 */
export function comparable(agentId: CliId, text: string): string {
  if (agentId === 'claude-code') {
    return (MARKED.exec(text)?.[2] ?? text)
      .normalize('NFC')
      .replaceAll('\t', '    ')
      .replace(/[\u2028\u2029]/g, '\n')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .trim();
  }
  if (agentId === 'gemini') return text.replace(/(?<!\\)\\@/g, '@').trim();
  return text.trim();
}

/** What a program adds to a prompt in texts of its own. */
const ADDED = /^\s*(?:<(?:system-reminder|environment_context|session_context|user_instructions)>|Tool loaded\.$)/;

interface Fields {
  [key: string]: unknown;
}

/** Texts of the user in a request to a model, in order, without those that the program added. */
export function saidByUser(raw: string): string[] {
  const body = JSON.parse(raw) as Fields;
  const entries = [body.messages ?? body.input ?? body.contents ?? []].flat() as Fields[];
  return entries
    .filter((entry) => entry.role === 'user')
    .flatMap((entry) => {
      const content = entry.content ?? entry.parts ?? [];
      if (typeof content === 'string') return [content];
      return (content as Fields[]).flatMap((part) => (typeof part.text === 'string' ? [part.text] : []));
    })
    .filter((text) => !ADDED.test(text));
}
