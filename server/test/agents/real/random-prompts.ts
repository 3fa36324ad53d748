import fc from 'fast-check';
import type { CliId } from './harness/clis.ts';

/** Characters that make a prompt a command for an agent if they come first. */
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

/**
 * Returns random prompts of one character to several kB that REST, MCP and the command line accept. The same seed gives
 * the same prompts.
 */
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

/** Returns a prompt of 100 000 bytes that contains all of `PIECES`. */
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

/** The form in which Claude Code sends a paste of more than three lines or a few hundred characters to its model. */
const MARKED = /^\s*<pasted_content id="([^"]*)">\n([\s\S]*)\n<\/pasted_content id="\1">\s*$/;

/**
 * Normalizes a text as the agents do, to compare prompts with what the model received.
 * - All agents trim spaces at both ends. opencode adds a space after a long paste.
 * - Claude Code replaces tabs by four spaces, composes letters with their diacritics in short texts, marks a paste,
 *   replaces line and paragraph separators by newlines, and removes invisible characters.
 * - Gemini CLI removes a backslash before `@`.
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

/** Beginnings of texts that an agent itself adds to a prompt. */
const ADDED = /^\s*(?:<(?:system-reminder|environment_context|session_context|user_instructions)>|Tool loaded\.$)/;

interface Fields {
  [key: string]: unknown;
}

/** Returns the texts of the user in a request to a model, in order, without those that the agent added. */
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
