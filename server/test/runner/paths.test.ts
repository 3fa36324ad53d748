import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { prepareHome } from '../../src/runner/paths.ts';

it('creates a private data directory with its parents, or says why it cannot', () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'ac-home-')));
  try {
    const home = path.join(folder, 'a', 'b');
    expect(prepareHome(home)).toBe(home);
    expect(fs.statSync(home).mode & 0o777).toBe(0o700);

    const file = path.join(folder, 'file');
    fs.writeFileSync(file, '');
    // No process can create a file in /proc, and macOS has no such folder, nor lets anyone create one.
    for (const unusable of [file, path.join(file, 'home'), '/proc/nope/home']) {
      expect(() => prepareHome(unusable)).toThrow(
        expect.objectContaining({ code: 'VALIDATION', message: expect.stringMatching(/Set AGENT_CONSOLE_HOME to /) }),
      );
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
