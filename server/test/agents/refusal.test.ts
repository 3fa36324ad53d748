import { describe, expect, it } from 'vitest';
import { opencodeReading } from '../../src/agents/opencode/reading.ts';

/** As opencode 1.18.33 shows it when Escape was pressed at a permission question of its helper. */
const BOX = `
     I will.

     ⠇ General Task — Make it
       ↳ 1 toolcall

     ▣  Build · Scripted

  ┃
  ┃  △ Reject permission
  ┃
  ┃  Tell OpenCode what to do differently
  ┃
  ┃
  ┃  {typed}                                                                              enter confirm  esc cancel
  ┃
`;

const read = (screen: string) =>
  opencodeReading.readScreen({ lines: screen.split('\n'), title: null, alternateScreen: true });

describe('the box in which opencode wants a reason for a refusal', () => {
  it('is a question that makes sure of the refusal, with or without a reason in it', () => {
    for (const typed of ['', 'Use the other file.']) {
      expect(read(BOX.replace('{typed}', typed))).toMatchObject({
        state: 'asking',
        question: { confirms: 'deny', options: [{ kind: 'deny', keys: '\r' }, { keys: '\x1b' }] },
      });
    }
  });

  it('is nothing without its head or its keys, as while it is painted', () => {
    expect(read(BOX.replace('△ Reject permission', ''))).toBeNull();
    expect(read(BOX.replace('enter confirm  esc cancel', ''))).toBeNull();
  });
});
