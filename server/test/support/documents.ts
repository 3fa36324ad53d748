import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Reads the examples of README and docs/guide. Their conventions:
 * - In a `console` block, `$ ` begins a command, and its output follows. A JSON output shows some of the fields.
 * - `…` stands for any text; alone on a line, for any lines; as the last item of a list, for further items.
 * - `<name>` stands for an id. Its first occurrence in an output defines the id for later commands and outputs.
 * - Every line of a `sh` block is a command whose output is not shown. `no-run` after the language exempts a block.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MORE = '…';
/** Tables show only the first 18 characters of ids. */
const SHORT_ID_CHARS = 18;

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const guides = (): string[] => readdirSync(join(ROOT, 'docs/guide')).map((name) => `docs/guide/${name}`);

/** A fenced block: ```` ```<language> <info> ````. */
export interface Block {
  language: string;
  info: string;
  text: string;
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', info = '', text = '']) => ({
      language,
      info,
      text: text.trimEnd(),
    }),
  );
}

/** A command and the output shown below it. */
export interface Step {
  command: string;
  /** The expected output. Null in a `sh` block, which shows no output. */
  shown: string | null;
}

/** The commands of a `console` or `sh` block, in order; none for other languages. */
export function stepsOf({ language, text }: Block): Step[] {
  if (language === 'sh') {
    const commands = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return commands.map((command) => ({ command, shown: null }));
  }
  if (language !== 'console') return [];
  const [, ...parts] = `\n${text}`.split('\n$ ');
  return parts.map((part) => {
    const lines = part.split('\n');
    const isComplete = (command: string) => command.split("'").length % 2 === 1 && !command.endsWith('\\');
    const length = lines.findIndex((_, at) => isComplete(lines.slice(0, at + 1).join('\n'))) + 1;
    return { command: lines.slice(0, length).join('\n'), shown: lines.slice(length).join('\n') };
  });
}

/** Values of the `<name>` placeholders of a document. */
export type Names = Map<string, string>;

/** Replaces every `<name>` with its value. @throws when no output has defined the name */
export function fill(text: string, names: Names): string {
  return text.replace(/<([a-z]+(?: [a-z]+)*)>/g, (whole, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new Error(`No output above defines ${whole}`);
    return value;
  });
}

/**
 * Returns how an output differs from the one in the document; undefined if it does not. Stores in `names` the value of
 * each `<name>` that occurs for the first time.
 */
export function outputDifference(shown: string, printed: string, names: Names): string | undefined {
  if (/^[{[]/.test(shown)) return difference(JSON.parse(shown), parseOrText(printed), names, 'output');
  const { pattern, defined } = patternOf(shown, names);
  const found = pattern.exec(collapse(printed));
  if (found === null) return `the document shows\n${shown}\nbut the command prints\n${printed}`;
  for (const [at, name] of defined.entries()) names.set(name, found[at + 1] ?? '');
  return undefined;
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Removes the padding of tables, since the widths of columns depend on their contents. Documents show tables as a
 * terminal does; the tests read them from a pipe, where tabs separate the columns.
 */
const collapse = (text: string) =>
  `${text
    .split('\n')
    .map((line) => line.replace(/ {2,}|\t/g, ' ').trimEnd())
    .join('\n')
    .trimEnd()}\n`;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function patternOf(shown: string, names: Names): { pattern: RegExp; defined: string[] } {
  const defined: string[] = [];
  const lines = collapse(shown)
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (line.trim() === MORE) return '(?:.*\\n)*?';
      const parts = line.split(/(…|<[a-z]+(?: [a-z]+)*>)/).map((part) => {
        if (part === MORE) return '.*?';
        const [, name] = /^<(.*)>$/.exec(part) ?? [];
        if (name === undefined) return escaped(part);
        const known = names.get(name);
        if (known !== undefined) return `${escaped(known.slice(0, SHORT_ID_CHARS))}[\\w-]*`;
        const earlier = defined.indexOf(name);
        if (earlier >= 0) return `\\${earlier + 1}`;
        defined.push(name);
        return '([\\w-]+)';
      });
      return `${parts.join('')}\\n`;
    });
  return { pattern: new RegExp(`^${shown === '' ? '\\n?' : lines.join('')}$`), defined };
}

/**
 * Returns the first difference between a value and the one in the document; undefined if there is none. Stores in
 * `names` the value of each `<name>` that occurs for the first time.
 */
export function difference(shown: unknown, answer: unknown, names: Names, at = 'answer'): string | undefined {
  if (typeof shown === 'string') return textDifference(shown, answer, names, at);
  if (Array.isArray(shown)) return listDifference(shown, answer, names, at);
  if (typeof shown !== 'object' || shown === null) return shown === answer ? undefined : unlike(at, shown, answer);
  if (typeof answer !== 'object' || answer === null) return unlike(at, shown, answer);
  for (const [field, value] of Object.entries(shown)) {
    const found = difference(value, (answer as Record<string, unknown>)[field], names, `${at}.${field}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unlike(at: string, shown: unknown, answer: unknown): string {
  return `${at}: the document shows ${JSON.stringify(shown)}, but it is ${JSON.stringify(answer)}`;
}

function textDifference(shown: string, answer: unknown, names: Names, at: string): string | undefined {
  const [, name] = /^<([a-z]+(?: [a-z]+)*)>$/.exec(shown) ?? [];
  if (name === undefined) {
    const matches =
      typeof answer === 'string' && new RegExp(`^${shown.split(MORE).map(escaped).join('[\\s\\S]*')}$`).test(answer);
    return matches ? undefined : unlike(at, shown, answer);
  }
  if (typeof answer !== 'string') return unlike(at, shown, answer);
  const known = names.get(name);
  // Tables show only the beginning of an id. If a name got its value from a table, a later whole id replaces this
  // beginning.
  if (known === undefined || (known.length === SHORT_ID_CHARS && answer.startsWith(known))) names.set(name, answer);
  return names.get(name) === answer ? undefined : unlike(at, known ?? shown, answer);
}

/**
 * Compares lists item by item. If the last item in the document is `…`, the items before it may be anywhere in the
 * actual list.
 */
function listDifference(shown: unknown[], answer: unknown, names: Names, at: string): string | undefined {
  if (!Array.isArray(answer)) return unlike(at, shown, answer);
  if (shown.at(-1) !== MORE) {
    if (shown.length !== answer.length) return unlike(at, shown, answer);
    return shown.map((item, index) => difference(item, answer[index], names, `${at}[${index}]`)).find(Boolean);
  }
  const unmatched = [...answer];
  for (const item of shown.slice(0, -1)) {
    const found = unmatched.findIndex((each) => {
      const tentative = new Map(names);
      if (difference(item, each, tentative) !== undefined) return false;
      for (const [name, value] of tentative) names.set(name, value);
      return true;
    });
    if (found < 0) return unlike(`${at}[…]`, item, unmatched);
    unmatched.splice(found, 1);
  }
  return undefined;
}
