import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createOneShots } from '../../src/machine/one-shots.ts';
import { readStat } from '../../src/runner/processes.ts';
import { until } from '../support/until.ts';

const home = mkdtempSync(join(tmpdir(), 'agent-console-one-shots-'));
afterAll(() => rmSync(home, { recursive: true }));

describe('a one-shot agent', () => {
  it('is ended if its pid cannot be stored for the next server, for example on a full disk', async () => {
    let pid = 0;
    const oneShots = createOneShots({
      home,
      git: { createRepository: async () => undefined },
      processes: {
        startTimeOf(started) {
          pid = started;
          // A folder named `process.json` makes the writing of the file with this name fail.
          const [place = ''] = readdirSync(join(home, 'scratch'));
          mkdirSync(join(home, 'scratch', place, 'process.json'));
          return '1';
        },
        sessionMembers: async () => [],
        bootId: () => '',
      },
    });
    const spec = { file: '/bin/sleep', args: ['600'], env: {}, limitMs: 600_000 };
    await expect(oneShots.run(spec)).rejects.toThrow('process.json');
    await until('its end', () => readStat(pid) === undefined);
    expect(readdirSync(join(home, 'scratch'))).toEqual([]);
  });
});
