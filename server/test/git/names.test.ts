import { execFileSync } from 'node:child_process';
import { BranchName } from '@agent-console/shared/ref-name';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { validBranchName } from '../../src/git/names.ts';

/** Asks git which of the names are valid, with a single shell. The names are passed as arguments, never as code. */
function askGit(names: readonly string[]): boolean[] {
  const script = 'for name do if git check-ref-format "refs/heads/$name"; then echo 1; else echo 0; fi; done';
  const answer = execFileSync('sh', ['-c', script, 'sh', ...names]).toString();
  return answer
    .trim()
    .split('\n')
    .map((line) => line === '1');
}

/** Whether the console refuses this name, although git accepts it. */
const refusedByUs = (name: string) =>
  name.startsWith('-') || name === 'HEAD' || name === '@' || Buffer.byteLength(name) > 200;

describe('validBranchName', () => {
  it.each([
    ['feature/login', true],
    ['a', true],
    ['ünïcödé/分支', true],
    ['a@b', true],
    ['x.y', true],
    ['x./y', true],
    ['foo.lock.bar', true],
    ['', false],
    ['@', false],
    ['HEAD', false],
    ['-f', false],
    ['--force', false],
    ['a..b', false],
    ['a b', false],
    ['a\nb', false],
    ['a~1', false],
    ['a^', false],
    ['a:b', false],
    ['a?', false],
    ['a*', false],
    ['a[', false],
    ['a\\b', false],
    ['/a', false],
    ['a/', false],
    ['a//b', false],
    ['.a', false],
    ['a/.b', false],
    ['a.lock', false],
    ['a.lock/b', false],
    ['a.', false],
    ['a@{1}', false],
    ['\u{d800}', false],
    ['x'.repeat(201), false],
  ])('%j is %s', (name, valid) => {
    expect(validBranchName(name)).toBe(valid);
  });

  it('agrees with git about random names', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'a',
        'B',
        '7',
        '/',
        '.',
        '..',
        '@',
        '{',
        '@{',
        '-',
        '.lock',
        'HEAD',
        ' ',
        '~',
        '^',
        ':',
        '?',
        '*',
        '[',
      ),
      fc.constantFrom('\\', '\x01', '\x7f', '\n', 'é', '分', '"', "'", '$', '`', '\u{1f600}', '//', './', '/.'),
    );
    const names = fc.array(
      fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
      { minLength: 150, maxLength: 150 },
    );
    fc.assert(
      fc.property(names, (batch) => {
        const git = askGit(batch);
        for (const [at, name] of batch.entries()) {
          expect([name, validBranchName(name)]).toEqual([name, git[at] === true && !refusedByUs(name)]);
        }
      }),
      { numRuns: process.env.LONG ? 100 : 1 },
    );
  });
});

it('the name of a new branch cannot begin with refs/heads/', () => {
  const { issues } = v.safeParse(BranchName, 'refs/heads/login');
  expect(issues?.[0].message).toBe('branch name cannot begin with "refs/heads/"; omit it');
  expect(v.is(BranchName, 'refs/login')).toBe(true);
});
