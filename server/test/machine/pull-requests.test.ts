import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createPullRequests } from '../../src/machine/pull-requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-console-gh-'));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Returns a reader of pull requests that runs this script in place of `gh`. If the script is null, `gh` is not
 * installed.
 */
function reading(script: string | null, timeout?: number) {
  const file = join(folder, 'gh');
  if (script !== null) writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const host = { which: async () => (script === null ? null : file), environment: { PATH: process.env.PATH ?? '' } };
  return createPullRequests(host, timeout);
}
const URL = 'https://github.com/o/r/pull/7';

it('says why gh cannot be used: missing, logged out or too slow', async () => {
  expect(await reading(null).availability('github.com')).toBe('missing');
  expect(await reading('exit 1').availability('github.com')).toBe('logged-out');
  expect(await reading('exec sleep 600', 50).availability('github.com')).toBe('slow');
  expect(await reading('test "$*" = "auth status --hostname github.com"').availability('github.com')).toBe('ready');
});

it.each([
  ['gh is missing', null],
  ['gh fails', 'exit 1'],
  ['gh is too slow', 'exec sleep 600'],
  ['the answer is no JSON', 'echo no'],
  ['a field is missing', 'echo {}'],
  ['the address is not https', `echo '{"number":7,"url":"javascript:x","title":"","state":"OPEN","isDraft":false}'`],
])('reads no state if %s', async (_, script) => {
  expect(await reading(script, script === 'exec sleep 600' ? 50 : undefined).read(URL)).toBe(null);
});
