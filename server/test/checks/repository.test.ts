import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  // A file that was deleted and not yet committed is still listed.
  .filter((file) => file !== '' && !file.endsWith('.png') && existsSync(join(root, file)));

describe('the repository', () => {
  it('has a lockfile without a download address', () => {
    expect(readFileSync(join(root, 'bun.lock'), 'utf8')).not.toMatch(/https?:\/\//);
  });

  it('pins every dependency exactly', () => {
    for (const file of ['package.json', 'server/package.json', 'shared/package.json', 'client/package.json']) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        expect(`${name} ${version}`).toMatch(/ (workspace:\*|npm:[a-z-]+@\d+\.\d+\.\d+|\d+\.\d+\.\d+(-[\w.]+)?)$/);
      }
    }
  });

  it('names no folder of the machine it is on, and no private address', () => {
    const folders = [root.replace(/\/$/, ''), homedir()].filter((folder) => folder.split('/').length > 2);
    for (const file of tracked) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const folder of folders) expect(text.includes(folder), `${file} names ${folder}`).toBe(false);
      expect(text, file).not.toMatch(/\b(10\.\d+|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+\b/);
    }
  });

  it('answers `npx --no-install agent-console` in a built clone', () => {
    const help = execFileSync('npx', ['--no-install', 'agent-console', '--help'], {
      cwd: root,
      stdio: 'pipe',
    }).toString();
    expect(help).toContain('delegate');
  });
});

describe('a forbidden import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-console-cruise-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is refused, and the rule says why', () => {
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) cpSync(join(root, file), join(folder, file));
    for (const file of ['domain/planted.ts', 'storage/storage.ts']) {
      mkdirSync(join(folder, 'server/src', dirname(file)), { recursive: true });
      writeFileSync(join(folder, 'server/src', file), '');
    }
    const cruise = () =>
      spawnSync(
        join(root, 'node_modules/.bin/depcruise'),
        ['--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', 'server/src'],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
    expect(cruise().status).toBe(0);
    writeFileSync(join(folder, 'server/src/domain/planted.ts'), "export * from '../storage/storage.ts';\n");
    const refused = cruise();
    expect(refused.status).not.toBe(0);
    expect(refused.stdout).toMatch(
      /domain-is-pure[\s\S]*planted\.ts[\s\S]*Rules are decided without the outside world/,
    );
  });
});
