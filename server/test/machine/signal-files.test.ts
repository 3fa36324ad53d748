import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SIGNALS_READ_BYTES } from '@agent-console/shared/limits/activity';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSignalFiles } from '../../src/machine/signal-files.ts';
import type { SignalFollowing, SignalLine } from '../../src/ports/agents.ts';

let folder: string;
let file: string;
const open: SignalFollowing[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-console-signals-'));
  file = join(folder, 'signals.ndjson');
  await writeFile(file, '');
});
afterEach(async () => {
  for (const following of open.splice(0)) following.close();
  await rm(folder, { recursive: true, force: true });
});

function follow(offset = 0) {
  const lines: SignalLine[] = [];
  const files = createSignalFiles({ workerPaths: () => ({ folder, signalsFile: file }) });
  const following = files.follow('w', offset, async (more) => {
    lines.push(...more);
  });
  open.push(following);
  return { lines, following };
}

describe("signals of an agent's hooks", () => {
  it('arrive in order, each with the offset of the end of its line', async () => {
    const { lines } = follow();
    await appendFile(file, '{"a":1}\n{"a":2}\n');
    await vi.waitUntil(() => lines.length === 2, 10_000);
    await appendFile(file, '{"a":"é"}\n');
    await vi.waitUntil(() => lines.length === 3, 10_000);
    expect(lines).toEqual([
      { value: { a: 1 }, next: 8 },
      { value: { a: 2 }, next: 16 },
      { value: { a: 'é' }, next: 27 },
    ]);
  });

  it('continue after the last ingested line when the server restarts', async () => {
    await writeFile(file, '{"a":1}\n{"a":2}\n');
    const { lines, following } = follow(8);
    await following.caughtUp();
    expect(lines).toEqual([{ value: { a: 2 }, next: 16 }]);
  });

  it('wait for an incomplete line, and skip a line that is not JSON', async () => {
    const { lines, following } = follow();
    await appendFile(file, 'nonsense\n{"half":');
    await following.caughtUp();
    expect(lines).toEqual([{ value: undefined, next: 9 }]);
    await appendFile(file, '1}\n');
    await following.caughtUp();
    expect(lines[1]).toEqual({ value: { half: 1 }, next: 20 });
  });

  it('continue after a line that is too long', async () => {
    await writeFile(file, `${'x'.repeat(SIGNALS_READ_BYTES + 10)}\n{"a":1}\n`);
    const { lines, following } = follow();
    await following.caughtUp();
    expect(lines.map(({ value }) => value)).toEqual([undefined, { a: 1 }]);
  });
});
