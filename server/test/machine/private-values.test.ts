import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPrivateValues } from '../../src/machine/private-values.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agent-console-values-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const create = () => {
  let count = 0;
  return createPrivateValues({
    home,
    newId: () => {
      count += 1;
      return `id-${count}`;
    },
  });
};

it('stores a value unchanged and readable by the owner only', async () => {
  const values = create();
  const id = await values.store(' sesame\n');
  expect(await values.read(id)).toBe(' sesame\n');
  const modes = [join(home, 'private'), join(home, 'private', id)].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

it('removes values by id, and sweeps values that are no longer used', async () => {
  const values = create();
  await values.sweep(new Set());
  const ids = [await values.store('a'), await values.store('b'), await values.store('c')];
  await values.remove(ids.slice(0, 1));
  await values.sweep(new Set(ids.slice(2)));
  expect(readdirSync(join(home, 'private'))).toEqual(ids.slice(2));
  expect(await Promise.all(ids.map((id) => values.read(id)))).toEqual([null, null, 'c']);
});
