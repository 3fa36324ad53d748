import { describe, expect, it } from 'vitest';
import { createDetachKeys } from '../../../src/surfaces/cli/attach/detach-keys.ts';
import { createOutputFilter } from '../../../src/surfaces/cli/attach/output-filter.ts';

const filtered = (text: string) => createOutputFilter()(Buffer.from(text)).toString('utf8');

describe('the output of an attached terminal', () => {
  it.each([
    ['text and colours', '\u001b[31mrød 漢字 🙂\u001b[0m\r\n'],
    [
      'the cursor, the screen and modes',
      '\u001b[2J\u001b[H\u001b[?1049h\u001b[?25l\u001b7\u001b8\u001b[5;1H\u001b[u\u001b[2 q\u001b(B\u001b=',
    ],
    ['titles and links', '\u001b]0;title\u0007\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\'],
    ['a colour that is set', '\u001b]11;#000000\u0007'],
    ['colours that are reset', '\u001b]104\u0007\u001b]104;1\u0007\u001b]110\u001b\\'],
    [
      'edits of lines and the style of the cursor',
      '\u001b[3@\u001b[2P\u001b[1;5r\u001b[4:3m\u001b[!p\u001b[?2J\u001b[?7s',
    ],
  ])('keeps %s', (_, text) => {
    expect(filtered(text)).toBe(text);
  });

  it.each([
    ['status and attributes', '\u001b[6n\u001b[?6n\u001b[c\u001b[>c\u001b[=c\u001b[>q'],
    ['modes and keys', '\u001b[?2026$p\u001b[?u\u001b[>1u\u001b[<u\u001b[=5;1u\u001b[>4;2m'],
    ['windows', '\u001b[14t\u001b[21t\u001b[8;10;10t'],
    ['colours', '\u001b]10;?\u0007\u001b]11;?\u001b\\\u001b]4;1;?\u0007'],
    ['the clipboard', '\u001b]52;c;aGVsbG8=\u0007\u001b]52;c;?\u001b\\'],
    ['device control and other strings', '\u001bP$qm\u001b\\\u001bP+q544e\u001b\\\u001b_G\u001b\\\u001b^x\u001b\\'],
    ['controls of C1', '\u009b6n\u009d52;c;x'.slice(0, 1)],
    [
      'clipboards and files of some terminals',
      '\u001b]1337;Copy=:aGk=\u0007\u001b]1337;File=:aGk=\u0007\u001b]5522;t=r\u0007',
    ],
    [
      'notifications and commands',
      '\u001b]9;text\u0007\u001b]777;notify;a;b\u0007\u001b]99;;text\u0007\u001b]633;E;x\u0007',
    ],
    [
      'fonts, properties and prompts',
      '\u001b]50;?\u0007\u001b]3;?WM_NAME\u0007\u001b]133;A\u0007\u001b]20;/file\u0007\u001b]l\u0007',
    ],
    ['colours of other objects', '\u001b]12;?\u0007\u001b]13;?\u0007\u001b]5;0;?\u0007\u001b]21;foreground=?\u0007'],
    ['the type of the terminal', '\u001bZ\u0005\u001b[x\u001b[1x\u001b[?m\u001b[>q'],
    ['states and contents', '\u001b[1$w\u001b[1$u\u001b[&u\u001b[1;1;1;1;9;9*y\u001b[#R\u001b[?1;1S'],
    ['printers', '\u001b[5i\u001b[4i\u001b[?5i'],
  ])('drops queries and sequences that control the terminal: %s', (_, text) => {
    expect(filtered(`a${text}b`)).toBe('ab');
  });

  it('gives the same result wherever the output is cut', () => {
    const text = 'é\u001b[6n\u001b[31m漢\u001b]52;c;eA==\u001b\\\u001b[>1u\u001b]0;t\u0007\u001b[0mz';
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at += 1) {
      const filter = createOutputFilter();
      const parts = [filter(bytes.subarray(0, at)), filter(bytes.subarray(at))];
      expect(Buffer.concat(parts).toString('utf8'), String(at)).toBe('é\u001b[31m漢\u001b]0;t\u0007\u001b[0mz');
    }
  });

  it.each([
    ['in two parts', ['\xc2', '\x9b6n']],
    ['in one another', ['\xc2\xc2\x9b\x9b6n']],
    ['around a sequence', ['\xc2\u001b[6n', '\x9b6n']],
    ['around a control', ['\xc2\u0005', '\x9b6n']],
  ])('drops a C1 control %s', (_, parts) => {
    const filter = createOutputFilter();
    const passed = [...parts, '\xc2\xa9'].map((part) => filter(Buffer.from(part, 'latin1')).toString('latin1'));
    expect(passed.join('')).toBe('6n\xc2\xa9');
  });

  it('drops a sequence without an end, and continues', () => {
    const filter = createOutputFilter();
    expect(filter(Buffer.from(`a\u001b]0;${'x'.repeat(70_000)}`)).toString()).toBe('a');
    expect(filter(Buffer.from('b')).toString()).toBe('b');
  });
});

describe('the detach keys', () => {
  it('are recognized together or one by one, and the first is sent if another key follows', () => {
    expect(createDetachKeys()('ab\u0010\u0011c')).toEqual({ data: 'ab', detaches: true });
    const keys = createDetachKeys();
    expect(keys('a\u0010')).toEqual({ data: 'a', detaches: false });
    expect(keys('\u0010')).toEqual({ data: '\u0010', detaches: false });
    expect(keys('x')).toEqual({ data: '\u0010x', detaches: false });
    expect(keys('\u0010')).toEqual({ data: '', detaches: false });
    expect(keys('\u0011')).toEqual({ data: '', detaches: true });
  });
});
