import {
  codeToTokensBase,
  createShikiPrimitiveAsync,
  type LanguageRegistration,
  type ShikiPrimitive,
} from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { COLOURS, type Colour, LINE_COLOURED_CHARS, type Run } from './colours.ts';
import type { Language } from './languages.ts';

/**
 * Time limit for tokenizing one line, in milliseconds; the rest of a slower line stays plain. The first line of a
 * language is the slowest, because the language's regular expressions are compiled for it.
 */
const LINE_MS = 2_000;

/** TextMate scopes of each colour. If two equally specific scopes match, the later one in this object applies. */
const SCOPES: Readonly<Record<Exclude<Colour, 'plain'>, readonly string[]>> = {
  comment: ['comment', 'punctuation.definition.comment', 'meta.diff.header', 'markup.quote'],
  string: ['string', 'punctuation.definition.string', 'markup.inline.raw', 'markup.fenced_code', 'markup.inserted'],
  keyword: [
    'keyword',
    'storage',
    'variable.language',
    'entity.name.tag',
    'punctuation.definition.tag',
    'keyword.operator.expression',
    'keyword.operator.logical.python',
    'keyword.operator.new',
    'markup.heading',
    'markup.deleted',
  ],
  number: ['constant.numeric', 'constant.language', 'constant.character.escape', 'keyword.other.unit', 'markup.link'],
  name: [
    'entity.name.function',
    'support.function',
    'entity.other.attribute-name',
    'support.type.property-name',
    'entity.name.tag.yaml',
    'variable.other.key',
    'support.type.property-name.json',
    'keyword.other.definition.ini',
    'entity.name.section',
  ],
  type: ['entity.name.type', 'entity.name.class', 'entity.other.inherited-class', 'support.class', 'support.type'],
};
/** Scopes shown as plain text, although grammars mark them as keywords or strings. */
const PLAIN = ['keyword.operator', 'storage.type.function.arrow', 'meta.template.expression', 'meta.embedded'];

/** A theme in which each colour is an index into COLOURS. diff.css defines the colours that are shown. */
const THEME = {
  name: 'review',
  type: 'light' as const,
  fg: code('plain'),
  bg: '#ffffff',
  settings: [
    { settings: { foreground: code('plain') } },
    { scope: PLAIN, settings: { foreground: code('plain') } },
    ...Object.entries(SCOPES).map(([colour, scopes]) => ({
      scope: [...scopes],
      settings: { foreground: code(colour as Colour) },
    })),
  ],
};

/** Languages in which lines of a block comment usually start with an asterisk. */
const STARRED: ReadonlySet<Language> = new Set<Language>([
  ...(['typescript', 'tsx', 'javascript', 'jsx', 'css', 'scss', 'less', 'go', 'rust', 'java', 'kotlin'] as const),
  ...(['scala', 'csharp', 'c', 'cpp', 'swift', 'dart', 'php'] as const),
]);

let shiki: Promise<ShikiPrimitive> | undefined;

/**
 * Returns the colours of each line of a hunk, by index; lines without an entry stay plain. Tokenizes the old and the
 * new version separately.
 * @param lines Diff lines with their sign.
 * @param grammar The language's grammar and the grammars it embeds; needed only in the first call for the language.
 */
export async function coloursOf(
  lines: readonly string[],
  language: Language,
  grammar: readonly LanguageRegistration[] | undefined,
): Promise<Run[][]> {
  shiki ??= createShikiPrimitiveAsync({
    themes: [THEME],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const primitive = await shiki;
  if (grammar !== undefined) await primitive.loadLanguage([...grammar]);
  const colours: Run[][] = [];
  const read = (without: string, wanted: (sign: string) => boolean) => {
    const own = [...lines.keys()].filter((at) => !/^\\/.test(lines[at] ?? '') && !lines[at]?.startsWith(without));
    const last = own.findLastIndex((at) => wanted(lines[at]?.[0] ?? ''));
    const shown = own.slice(0, last + 1);
    const texts = shown.map((at) => {
      const text = (lines[at] ?? '').slice(1).replace(/\r$/, '');
      return text.length > LINE_COLOURED_CHARS ? '' : text;
    });
    const leading = leadingLines(texts, language);
    const tokens = codeToTokensBase(primitive, [...leading, ...texts].join('\n'), {
      lang: language,
      theme: THEME.name,
      tokenizeTimeLimit: LINE_MS,
    });
    for (const [index, at] of shown.entries()) {
      if (!wanted(lines[at]?.[0] ?? '')) continue;
      const runs: Run[] = [];
      for (const { content, color } of tokens[index + leading.length] ?? []) {
        const colour = color === undefined ? 0 : Number.parseInt(color.slice(1), 16);
        const before = runs.at(-1);
        if (before?.[1] === colour) before[0] += content.length;
        else runs.push([content.length, colour]);
      }
      colours[at] = runs;
    }
  };
  read('-', (sign) => sign !== '-');
  read('+', (sign) => sign === '-');
  return colours;
}

/**
 * Returns lines to tokenize before a hunk, so that its lines get the right colours: for example `/**`, if the hunk
 * probably starts inside a comment.
 */
function leadingLines(texts: readonly string[], language: Language): string[] {
  const inComment = STARRED.has(language) && /^\s*\*(?:\/|\s|$)/.test(texts.find((text) => text.trim() !== '') ?? '');
  const code = language === 'php' && !texts.some((text) => text.includes('<?')) ? ['<?php'] : [];
  return inComment ? [...code, '/**'] : code;
}

function code(colour: Colour): string {
  return `#${COLOURS.indexOf(colour).toString(16).padStart(6, '0')}`;
}
