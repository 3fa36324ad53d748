import type { Reading, ScreenPicture, ScreenReading } from '../kind.ts';
import type { KindReading } from './kind-reading.ts';
import { withoutTail } from './screen-text.ts';

/** Our own program; its titles are its contract. */
const TITLES = new Map<string, Reading>([
  ['scripted: working', { state: 'active', confidence: 'likely' }],
  ['scripted: asking', { state: 'asking', confidence: 'likely' }],
  ['scripted: idle', { state: 'idle', confidence: 'likely' }],
]);
const QUESTION = /^\? (.*\S) \(y\/n\)$/;

/** The title says the state; the screen adds the words of a question, which stand in its last line. */
function readScreen({ lines, title }: ScreenPicture): ScreenReading | null {
  if (title !== 'scripted: asking') return null;
  const asked = withoutTail(lines).at(-1) ?? '';
  const [, text] = QUESTION.exec(asked) ?? [];
  if (text === undefined) return null;
  return {
    state: 'asking',
    confidence: 'likely',
    question: {
      text,
      options: [
        { id: 'y', label: 'Yes', kind: 'allow', keys: 'y' },
        { id: 'n', label: 'No', kind: 'deny', keys: 'n' },
      ],
    },
  };
}

export const scriptedReading: KindReading = {
  readTitle: (title) => TITLES.get(title) ?? null,
  readProgress: { 4: { state: 'asking', confidence: 'likely' } },
  readScreen,
  readSignal: () => [],
};
