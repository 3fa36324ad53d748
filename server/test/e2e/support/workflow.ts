import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DOCUMENT = fileURLToPath(new URL('../../../../docs/workflows.md', import.meta.url));
/** Stands at the end of what is shortened: a text, or a list as a row of its own. */
const MORE = '…';

/** A block of the document: `what` is the tool, or what else stands behind its language. */
export interface Block {
  what: string;
  text: string;
}

/** One section that is run. */
export interface Workflow {
  title: string;
  blocks: Block[];
}

/** The sections of docs/workflows.md with their blocks, in order. */
export function readWorkflows(): Workflow[] {
  const [, ...sections] = readFileSync(DOCUMENT, 'utf8').split(/^## /m);
  return sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    blocks: [...section.matchAll(/^```\w+ (.+)\n([\s\S]*?)\n```$/gm)].map(([, what = '', text = '']) => ({
      what,
      text,
    })),
  }));
}

/** What the names of a workflow stand for. */
export type Names = Map<string, string>;

/** The text with every `<name>` replaced by what it stands for; throws for one that nothing has told yet. */
export function filled(text: string, names: Names): string {
  return text.replace(/<([a-z ]+)>/g, (whole, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new Error(`nothing says what ${whole} is`);
    return value;
  });
}

/** Where an answer is not what the document shows, or nothing; learns the names that it tells. */
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
  return `${at}: the document shows ${JSON.stringify(shown)}, it is ${JSON.stringify(answer)}`;
}

function textDifference(shown: string, answer: unknown, names: Names, at: string): string | undefined {
  const [, name] = /^<([a-z ]+)>$/.exec(shown) ?? [];
  if (name === undefined) {
    const right =
      shown.endsWith(MORE) && typeof answer === 'string' ? answer.startsWith(shown.slice(0, -1)) : answer === shown;
    return right ? undefined : unlike(at, shown, answer);
  }
  const known = names.get(name);
  if (known === undefined && typeof answer === 'string') names.set(name, answer);
  return names.get(name) === answer && typeof answer === 'string' ? undefined : unlike(at, known ?? shown, answer);
}

/** Rows in their order and as many; before a last row `…` each of them somewhere among the others. */
function listDifference(shown: unknown[], answer: unknown, names: Names, at: string): string | undefined {
  if (!Array.isArray(answer)) return unlike(at, shown, answer);
  if (shown.at(-1) !== MORE) {
    if (shown.length !== answer.length) return unlike(at, shown, answer);
    return shown.map((row, index) => difference(row, answer[index], names, `${at}[${index}]`)).find(Boolean);
  }
  const left = [...answer];
  for (const row of shown.slice(0, -1)) {
    const found = left.findIndex((each) => {
      const learnt = new Map(names);
      if (difference(row, each, learnt) !== undefined) return false;
      for (const [name, value] of learnt) names.set(name, value);
      return true;
    });
    if (found < 0) return unlike(`${at}[…]`, row, left);
    left.splice(found, 1);
  }
  return undefined;
}
