import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, outputDifference, readDocument, stepsOf } from '../support/documents.ts';

const CLI = fileURLToPath(new URL('../../bin/agent-console.js', import.meta.url));
let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-guide-')));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'agent-console'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(bin, 'agent-console'), 0o755);
  env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, PORT: '0' };
});
afterAll(async () => {
  await run('agent-console stop --all --yes');
  rmSync(folder, { recursive: true, force: true });
});

const run = (command: string) => promisify(execFile)('sh', ['-c', command], { cwd: folder, env });

it('the guide to operations starts, checks, stops, backs up and restores a console', async () => {
  const blocks = blocksOf(readDocument('docs/guide/operations.md')).filter(({ info }) => info === '');
  for (const { command, shown } of blocks.flatMap(stepsOf)) {
    const { stdout } = await run(command);
    if (shown === null) continue;
    expect(outputDifference(shown.replaceAll('~', folder), stdout, new Map()), command).toBeUndefined();
  }
});
