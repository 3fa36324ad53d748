import type { Reading, ScreenContent, ScreenQuestion, ScreenReading } from '../../ports/agents.ts';
import type { KindReading } from '../common/kind.ts';
import { findOptions } from '../common/options.ts';
import { questionText, withoutTail } from '../common/screen-text.ts';

/** The titles that the scripted agent sets in each state. */
const TITLES = new Map<string, Reading>([
  ['scripted: working', { state: 'active', confidence: 'likely' }],
  ['scripted: asking', { state: 'asking', confidence: 'likely' }],
  ['scripted: idle', { state: 'idle', confidence: 'likely' }],
]);
const QUESTION = /^\? (.*\S) \(y\/n\)$/;
const PERMISSION = /^\? Allow ([^\s:]+)(?::|$)/;

/** Reads a screen. The title shows the agent's state; the last lines of the screen contain its question, if any. */
function readScreen(screen: ScreenContent): ScreenReading | null {
  if (screen.title !== 'scripted: asking') return null;
  const lines = withoutTail(screen.lines);
  const question = readPermission(lines) ?? readYesOrNo(lines);
  return question === null ? null : { state: 'asking', confidence: 'likely', question };
}

function readYesOrNo(lines: readonly string[]): ScreenQuestion | null {
  const [, text] = QUESTION.exec(lines.at(-1) ?? '') ?? [];
  if (text === undefined) return null;
  const options = [
    { id: 'y', label: 'Yes', kind: 'allow', keys: 'y' },
    { id: 'n', label: 'No', kind: 'deny', keys: 'n' },
  ] as const;
  return { text, options };
}

/** Reads a permission question: a tool and its purpose, perhaps over several lines, with numbered answers below. */
function readPermission(lines: readonly string[]): ScreenQuestion | null {
  const start = lines.findLastIndex((line) => PERMISSION.test(line));
  const [, tool] = PERMISSION.exec(lines[start] ?? '') ?? [];
  const list = findOptions(lines.slice(start));
  if (tool === undefined || list === null || start + list.last !== lines.length - 1) return null;
  const text = questionText(lines.slice(start, start + list.first)).replace(/^\? /, '');
  return { text, tool, options: list.options };
}

export const scriptedReading: KindReading = {
  readTitle: (title) => TITLES.get(title) ?? null,
  readProgress: { 4: { state: 'asking', confidence: 'likely' } },
  readScreen,
  // The input line is not read. It is not needed, because the agent's title changes as soon as the agent has received a
  // prompt.
  readInput: null,
  readSignal: () => [],
};
