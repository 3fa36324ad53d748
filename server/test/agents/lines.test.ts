import { describe, expect, it } from 'vitest';
import { lineContainsText } from '../../src/domain/typing.ts';
import { createOfflineScreen } from '../../src/screens/offline.ts';
import { allCaptures, bytesOf, type Capture } from './support/captures.ts';

/**
 * Labels of each recorded session at which the input line contains an unsent prompt, or a prompt that the agent put
 * back after an interruption.
 */
const STANDING: Readonly<Record<string, readonly string[]>> = {
  'claude-2.1.197/plan': ['9-idle-interrupted'],
  'claude-2.1.197/work': ['15-idle-interrupted'],
  'claude-2.1.330/narrow': ['15-idle-interrupted'],
  'claude-2.1.330/plan': ['9-idle-interrupted'],
  'claude-2.1.330/small': ['15-idle-interrupted'],
  'claude-2.1.330/work': ['14-interrupted'],
  'gemini-0.61.0/small': ['2-working-waiting', '3-working-streaming', '4-idle-after-answer'],
  'opencode-1.18.33/wide': ['2-working-waiting', '3-working-streaming'],
};
/** Points in recorded sessions, as `<name> <mark>`, at which a menu hides the agent's input line. */
const HIDDEN = ['gemini-0.61.0/more 4-slash-menu'];
const PROMPT = 'say hello slowly';

/**
 * Replays a recorded session. Returns the text on the agent's input line at each label whose state is idle or asking.
 */
async function linesOf(capture: Capture) {
  const screen = createOfflineScreen(capture.cols, capture.rows);
  const bytes = bytesOf(capture);
  const lines: { mark: string; state: string; line: string | null }[] = [];
  let from = 0;
  for (const { mark, end, state, ended } of capture.labels) {
    await screen.write(bytes.subarray(from, end));
    from = end;
    if (ended || (state !== 'idle' && state !== 'asking')) continue;
    lines.push({ mark, state, line: capture.reading.readInput?.(screen.content()) ?? null });
  }
  return lines;
}

describe.each(allCaptures().map((capture) => [capture.name, capture] as const))('in %s', (name, capture) => {
  it('the input line is found only while the agent is idle, and a prompt in the line is recognized', async () => {
    const lines = await linesOf(capture);
    const seen = lines.filter(({ line }) => line !== null).map(({ mark }) => mark);
    const resting = lines.filter(({ mark, state }) => state === 'idle' && !HIDDEN.includes(`${name} ${mark}`));
    expect(seen).toEqual(resting.map(({ mark }) => mark));
    const standing = lines
      .filter(({ line }) => line !== null && lineContainsText(line, PROMPT))
      .map(({ mark }) => mark);
    expect(standing).toEqual(STANDING[name] ?? []);
  });
});
