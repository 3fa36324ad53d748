import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/machine/log.ts';

describe('the log', () => {
  it('writes one line of JSON for each entry, without tokens', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'log-')), 'server.log');
    const fd = openSync(file, 'a');
    const log = createLog(fd);
    log.info({ token: 'secret', port: 1 }, 'ready');
    log.error('wrong');
    closeSync(fd);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 30, port: 1, token: '[Redacted]', msg: 'ready' },
      { level: 50, msg: 'wrong' },
    ]);
  });

  it('raises no error while the disk is full', async () => {
    const raised: unknown[] = [];
    const note = (error: unknown) => raised.push(error);
    process.on('uncaughtException', note);
    const fd = openSync('/dev/full', 'a');
    try {
      const log = createLog(fd);
      log.error('first');
      log.error('second');
      await nextTurn();
    } finally {
      process.off('uncaughtException', note);
      closeSync(fd);
    }
    expect(raised).toEqual([]);
  });
});
