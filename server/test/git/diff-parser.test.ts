import { describe, expect, it } from 'vitest';
import { createDiffParser } from '../../src/git/diff-parser.ts';

describe('createDiffParser', () => {
  it('does not depend on chunk boundaries', () => {
    const output = Buffer.from(
      [
        ':100644 100644 aaa bbb M\ta.txt',
        ':000000 100644 000 ccc A\t"\\303\\274.txt"',
        '1\t1\ta.txt',
        '1\t0\t"\\303\\274.txt"',
        '',
        'diff --git a/a.txt b/a.txt',
        'index aaa..bbb 100644',
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,2 +1,2 @@ function x()',
        '-old',
        '+new ü',
        ' same',
        'diff --git "a/\\303\\274.txt" "b/\\303\\274.txt"',
        'new file mode 100644',
        '@@ -0,0 +1 @@',
        '+ü',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
    const read = (size: number) => {
      const parser = createDiffParser(new Set(['ü.txt']));
      for (let at = 0; at < output.length; at += size) parser.push(output.subarray(at, at + size));
      return parser.finish(false);
    };
    const whole = read(output.length);
    expect(whole.files.map((each) => [each.path, each.status, each.hunks.map((hunk) => hunk.lines)])).toEqual([
      ['a.txt', 'modified', [['-old', '+new ü', ' same']]],
      ['ü.txt', 'untracked', [['+ü', '\\ No newline at end of file']]],
    ]);
    for (const size of [1, 2, 3, 7, 50]) expect(read(size)).toEqual(whole);
  });
});
