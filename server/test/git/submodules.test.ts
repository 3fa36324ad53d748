import { mkdirSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { emptySubmodules } from '../../src/git/submodules.ts';
import { createFixture, type Fixture } from './fixture.ts';

let fixture: Fixture;
afterEach(() => fixture.remove());

it('finds each submodule that is not checked out, however many there are', async () => {
  fixture = createFixture();
  const paths = Array.from({ length: 200 }, (_, at) => `vendor/library-${at}`);
  const entries = paths.map((each) => `[submodule "${each}"]\n\tpath = ${each}\n\turl = https://example.com/${each}\n`);
  fixture.write('.gitmodules', entries.join(''));
  for (const each of paths) mkdirSync(`${fixture.repository}/${each}`, { recursive: true });
  expect(await emptySubmodules(fixture.repository)).toEqual(paths);
});
