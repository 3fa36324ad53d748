import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  // git also lists a file that is deleted in the checkout if the deletion is not committed.
  .filter((file) => file !== '' && !file.endsWith('.png') && existsSync(join(root, file)));

describe('the repository', () => {
  it('has a lockfile without a download address', () => {
    expect(readFileSync(join(root, 'bun.lock'), 'utf8')).not.toMatch(/https?:\/\//);
  });

  it('pins every dependency exactly', () => {
    for (const file of ['package.json', 'server/package.json', 'shared/package.json', 'client/package.json']) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        expect(`${name} ${version}`).toMatch(
          / (workspace:\*|npm:(@[a-z-]+\/)?[a-z-]+@\d+\.\d+\.\d+|\d+\.\d+\.\d+(-[\w.]+)?)$/,
        );
      }
    }
  });

  it('contains no path of this machine and no private address', () => {
    const folders = [root.replace(/\/$/, ''), homedir()].filter((folder) => folder.split('/').length > 2);
    for (const file of tracked) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const folder of folders) expect(text.includes(folder), `${file} names ${folder}`).toBe(false);
      expect(text, file).not.toMatch(/\b(10\.\d+|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+\b/);
    }
  });

  it('runs git in one place of each program', () => {
    const running = tracked.filter(
      (file) =>
        file.startsWith('server/src/') &&
        /(execFile|spawn)\w*\)?\(\s*'git'|file: 'git'/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(running.sort()).toEqual([
      'server/src/git/command.ts',
      'server/src/scripted-agent/git.ts',
      'server/src/surfaces/cli/git.ts',
    ]);
  });

  it('runs `npx --no-install agent-console` in a built clone', () => {
    const help = execFileSync('npx', ['--no-install', 'agent-console', '--help'], {
      cwd: root,
      stdio: 'pipe',
    }).toString();
    expect(help).toContain('delegate');
  });
});

/**
 * Violations of the import rules: the violated rule, words of its reason, and the imports that violate it. An import
 * has the importing and the imported file, relative to `server/src`.
 */
const PLANTED: [rule: string, reason: string, ...imports: [from: string, to: string][]][] = [
  ['domain-is-pure', 'must not need a database', ['domain/planted.ts', 'storage/planted.ts']],
  ['engine-knows-ports-only', 'imports ports, not adapters', ['engine/planted.ts', 'operations/gate.ts']],
  ['operations-know-engine-and-ports', 'only the engine and the ports', ['operations/planted.ts', 'git/planted.ts']],
  ['surfaces-go-through-operations', 'bypasses the gate', ['surfaces/planted.ts', 'storage/planted.ts']],
  ['ports-stand-alone', 'the types of the domain', ['ports/planted.ts', 'runner/planted.ts']],
  ['rows-are-inferred-from-tables', 'from the tables only', ['ports/rows.ts', 'domain/planted-too.ts']],
  ['ports-are-types', 'Ports are only types', ['activity/planted.ts', 'ports/values.ts']],
  ['scripted-agent-is-a-program', 'by the path of its program', ['agents/planted.ts', 'scripted-agent/agent.ts']],
  ['scripted-agent-knows-shared-only', 'its public interfaces', ['scripted-agent/planted.ts', 'machine/planted.ts']],
  ['adapters-do-not-know-each-other', 'cannot be replaced on its own', ['git/planted-too.ts', 'engine/planted-too.ts']],
  ['runner-stays-small', 'outlives every server', ['runner/program/planted.ts', 'domain/planted-three.ts']],
  [
    'shared-imports-valibot-only',
    'must not depend on any of them',
    ['../../shared/src/planted.ts', '../../client/src/planted-too.ts'],
  ],
  ['client-knows-shared-only', 'never contain server code', ['../../client/src/planted.ts', 'domain/planted-four.ts']],
  [
    'no-cycles',
    'into a third module',
    ['domain/cycle-one.ts', 'domain/cycle-two.ts'],
    ['domain/cycle-two.ts', 'domain/cycle-one.ts'],
  ],
  [
    'folders-need-each-other-one-way',
    'into a third folder',
    ['screens/one/planted.ts', 'screens/two/planted.ts'],
    ['screens/two/other.ts', 'screens/one/other.ts'],
  ],
];

describe('a forbidden import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-console-cruise-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is planted for every rule', () => {
    const { forbidden }: { forbidden: { name: string }[] } = createRequire(import.meta.url)(
      join(root, '.dependency-cruiser.cjs'),
    );
    expect(PLANTED.map(([rule]) => rule).sort()).toEqual(forbidden.map(({ name }) => name).sort());
  });

  it('is reported with the reason of its rule', () => {
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) cpSync(join(root, file), join(folder, file));
    const sources = join(folder, 'server/src');
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(sources, file)), { recursive: true });
      writeFileSync(join(sources, file), text);
    };
    const imports = PLANTED.flatMap(([, , ...pairs]) => pairs);
    for (const file of imports.flat()) write(file, '');
    const cruise = () =>
      spawnSync(
        join(root, 'node_modules/.bin/depcruise'),
        ['--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', 'server/src', 'shared/src', 'client/src'],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
    expect(cruise().status).toBe(0);
    for (const [from, to] of imports)
      write(from, `export * from './${relative(dirname(join(sources, from)), join(sources, to))}';\n`);
    const refused = cruise();
    expect(refused.status).not.toBe(0);
    const said = refused.stdout.replace(/\s+/g, ' ');
    for (const [rule, reason] of PLANTED) expect(said).toMatch(new RegExp(`${rule}: .*?${reason}`));
  });
});
