import type { ScreenContent, ShownQuestion } from '../../ports/agents.ts';
import type { Reading, ScreenReading } from '../kind.ts';
import type { KindReading } from './kind-reading.ts';
import { findOptions } from './options.ts';
import { asText, withoutTail } from './screen-text.ts';

/** Our own program; its titles are its contract. */
const TITLES = new Map<string, Reading>([
  ['scripted: working', { state: 'active', confidence: 'likely' }],
  ['scripted: asking', { state: 'asking', confidence: 'likely' }],
  ['scripted: idle', { state: 'idle', confidence: 'likely' }],
]);
const QUESTION = /^\? (.*\S) \(y\/n\)$/;
const PERMISSION = /^\? Allow ([^\s:]+)(?::|$)/;

/** The title says the state; the screen adds the words of a question, which stand in its last lines. */
function readScreen({ lines: all, title }: ScreenContent): ScreenReading | null {
  if (title !== 'scripted: asking') return null;
  const lines = withoutTail(all);
  const question = readPermission(lines) ?? readYesOrNo(lines);
  return question === null ? null : { state: 'asking', confidence: 'likely', question };
}

function readYesOrNo(lines: readonly string[]): ShownQuestion | null {
  const [, text] = QUESTION.exec(lines.at(-1) ?? '') ?? [];
  if (text === undefined) return null;
  const options = [
    { id: 'y', label: 'Yes', kind: 'allow', keys: 'y' },
    { id: 'n', label: 'No', kind: 'deny', keys: 'n' },
  ] as const;
  return { text, options };
}

/** A tool and what it is for, which may take several lines, and numbered answers below. */
function readPermission(lines: readonly string[]): ShownQuestion | null {
  const start = lines.findLastIndex((line) => PERMISSION.test(line));
  const [, tool] = PERMISSION.exec(lines[start] ?? '') ?? [];
  const list = findOptions(lines.slice(start));
  if (tool === undefined || list === null || start + list.last !== lines.length - 1) return null;
  const text = asText(lines.slice(start, start + list.first)).replace(/^\? /, '');
  return { text, tool, options: list.options };
}

export const scriptedReading: KindReading = {
  readTitle: (title) => TITLES.get(title) ?? null,
  readProgress: { 4: { state: 'asking', confidence: 'likely' } },
  readScreen,
  // It says itself what it took, at once.
  readLine: null,
  readSignal: () => [],
};
