import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noteRemovedWorkers, sweepRemovedWorkers } from '../../src/engine/processes/removed-workers.ts';
import { createWorkerFiles } from '../../src/machine/worker-files.ts';
import { openStorage } from '../support/storage.ts';

it('the next server removes the files of removed workers, even without a runner, and no others', async () => {
  const { storage, folder, close } = openStorage();
  const files = (id: string) => join(folder, 'workers', id);
  for (const id of ['removed', 'other']) {
    mkdirSync(join(files(id), 'output'), { recursive: true });
    writeFileSync(join(files(id), 'signals.ndjson'), '{"prompt":"secret words"}\n');
  }
  await storage.write({ actor: 'system' }, (tx) => noteRemovedWorkers(tx, ['removed']));
  const runner = { gone: true, dropLog: () => Promise.reject(new Error('the runner is gone')) };
  const deps = { storage, runner, host: createWorkerFiles({ home: folder, environment: {} }) };
  await sweepRemovedWorkers(deps);
  expect([existsSync(files('removed')), existsSync(files('other'))]).toEqual([false, true]);
  mkdirSync(files('removed'));
  await sweepRemovedWorkers(deps);
  expect(existsSync(files('removed'))).toBe(true);
  close();
});
