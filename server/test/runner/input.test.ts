import { RUNNER_INPUT_QUEUE_BYTES } from '@agent-console/shared/limits/runner';
import { describe, expect, it } from 'vitest';
import { connectRunner } from '../../src/runner/client.ts';
import { until } from '../support/until.ts';
import { follow, script, sha256, shell, useRunner } from './helpers.ts';

const setup = useRunner();

describe('input', () => {
  it('is typed once per input id, even if repeated over another connection', async () => {
    const { home, runner } = await setup.start();
    const spec = shell('stty -echo; echo ready; read one; read two; echo "got $one, $two"');
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await until('it is ready', () => followed.text().includes('ready'));
    const first = await runner.input(spec.workerId, 'id-1', Buffer.from('first\n'));
    expect(first).toEqual({ offset: 7, duplicate: false });
    expect(await runner.input(spec.workerId, 'id-1', Buffer.from('first\n'))).toEqual({ offset: 7, duplicate: true });
    runner.close();
    const again = await connectRunner({ home });
    expect(await again.input(spec.workerId, 'id-1', Buffer.from('first\n'))).toEqual({ offset: 7, duplicate: true });
    const rest = follow(again, spec.workerId, 7);
    expect(await again.input(spec.workerId, 'id-2', Buffer.from('second\n'))).toEqual({ offset: 7, duplicate: false });
    await rest.exit;
    expect(rest.text()).toBe('got first, second\r\n');
    await expect(again.input(spec.workerId, 'id-3', Buffer.from('x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await again.input(spec.workerId, 'id-2', Buffer.from('second\n'))).toMatchObject({ duplicate: true });
  });

  it('of 100 kB completely reaches a program that reads in raw mode', async () => {
    const { runner } = await setup.shared();
    const paste = Buffer.from(Array.from({ length: 10_000 }, (_, index) => String(index).padStart(10, '.')).join(''));
    const spec = script(`
      process.stdin.setRawMode(true);
      const hash = require('node:crypto').createHash('sha256');
      let bytes = 0;
      process.stdout.write('ready');
      process.stdin.on('data', (chunk) => {
        hash.update(chunk);
        bytes += chunk.length;
        if (bytes === ${paste.length}) {
          process.stdout.write(hash.digest('hex'));
          process.exit(0);
        }
      });`);
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await until('it is ready', () => followed.text() === 'ready');
    await runner.input(spec.workerId, 'paste', paste);
    await followed.exit;
    expect(followed.text()).toBe(`ready${sha256(paste)}`);
  });

  it('for a program that does not read waits up to a limit, beyond which more is refused', async () => {
    const { runner } = await setup.shared();
    const spec = script(
      `process.stdin.setRawMode(true); process.stdin.pause(); console.log('ready'); setInterval(() => {}, 1e6);`,
    );
    await runner.spawn(spec);
    const followed = follow(runner, spec.workerId);
    await until('it is ready', () => followed.text().includes('ready'));
    const part = Buffer.alloc(128 * 1024, 'x');
    const results: Promise<string>[] = [];
    for (let bytes = 0; bytes < RUNNER_INPUT_QUEUE_BYTES + 3 * part.length; bytes += part.length) {
      const sent = runner.input(spec.workerId, `part ${bytes}`, part);
      results.push(
        sent.then(
          () => 'taken',
          (error) => error.code,
        ),
      );
    }
    expect(await results.at(-1)).toBe('BUSY');
    await runner.end(spec.workerId, 100);
    const codes = new Set(await Promise.all(results));
    expect(codes.has('NOT_FOUND')).toBe(true);
    expect(codes.has('BUSY')).toBe(true);
  });

  it('for an unknown worker is refused', async () => {
    const { runner } = await setup.shared();
    await expect(runner.input('nobody', 'id', Buffer.from('x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
