import { describe, expect, it } from 'vitest';
import { opencodeReading } from '../../src/agents/opencode/reading.ts';

/** Screen of opencode 1.18.33 after Escape was pressed at a permission question of its subagent. */
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

describe('the box in which opencode asks for the reason of a denial', () => {
  it('is a question that confirms the denial, with or without a typed reason', () => {
    for (const typed of ['', 'Use the other file.']) {
      expect(read(BOX.replace('{typed}', typed))).toMatchObject({
        state: 'asking',
        question: { confirms: 'deny', options: [{ kind: 'deny', keys: '\r' }, { keys: '\x1b' }] },
      });
    }
  });

  it('is not recognized without its heading or its keys, e.g. while it is being painted', () => {
    expect(read(BOX.replace('△ Reject permission', ''))).toBeNull();
    expect(read(BOX.replace('enter confirm  esc cancel', ''))).toBeNull();
  });
});
