import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { contractOf } from '@agent-console/shared/operations/table';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/scripted-agent/commands.ts';
import { fieldsOf } from '../../src/surfaces/input.ts';
import { blocksOf, guides, readDocument } from '../support/documents.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT })
  .toString()
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(ROOT, path)));

/** Returns the anchor that GitHub gives to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsIn = (path: string) =>
  readFileSync(join(ROOT, path), 'utf8')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split('\n')
    .flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
    .map(anchorOf);

/** Returns the rows of all tables of a document, as lists of cells. */
const rowsOf = (path: string) =>
  readDocument(path)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const broken = documents.flatMap((path) =>
      [
        ...readFileSync(join(ROOT, path), 'utf8')
          .replace(/^```[\s\S]*?^```$/gm, '')
          .matchAll(/\]\(([^)\s]+)\)/g),
      ]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#');
          const linked = file === '' ? path : join(dirname(path), file);
          if (!existsSync(join(ROOT, linked))) return true;
          return anchor !== undefined && linked.endsWith('.md') && !anchorsIn(linked).includes(anchor);
        })
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name paths that exist', () => {
    const missing = documents
      .filter((path) => !path.startsWith('docs/decisions/') && path !== 'CHANGELOG.md')
      .flatMap((path) =>
        [...readFileSync(join(ROOT, path), 'utf8').matchAll(/`((?:server|client|shared|docs|bench)\/[\w./-]+)`/g)]
          .map(([, target = '']) => target)
          .filter((target) => !existsSync(join(ROOT, target)))
          .map((target) => `${path}: ${target}`),
      );
    expect(missing).toEqual([]);
  });

  it('exempt only commands that no test can run', () => {
    const exempt = ['README.md', ...guides()].flatMap((path) =>
      blocksOf(readDocument(path))
        .filter(({ info }) => info === 'no-run')
        .map(({ text }) => `${path}: ${text.split('\n')[0]}`),
    );
    expect(exempt).toEqual([
      'README.md: git clone <this repository> agent-console && cd agent-console',
      'README.md: npx agent-console repositories create /path/to/shop',
      "README.md: npx agent-console delegate 'Add a /health endpoint with a test. Commit it.' \\",
      'docs/guide/operations.md: systemctl --user enable --now agent-console',
      'docs/guide/operations.md: git pull',
      'docs/guide/security.md: ssh -L 3457:127.0.0.1:3457 server',
    ]);
  });

  it('use only known languages and flags for code blocks', () => {
    const unknown = ['README.md', ...guides()].flatMap((path) =>
      blocksOf(readDocument(path))
        .filter(({ language, info }) => {
          if (language === 'console') return info !== '';
          if (language === 'sh') return info !== '' && info !== 'no-run';
          return !['', 'json', 'lua', 'text', 'ini', 'yaml'].includes(language);
        })
        .map(({ language, info }) => `${path}: ${language} ${info}`),
    );
    expect(unknown).toEqual([]);
  });

  it('name every line of the scripted agent', () => {
    const lines = rowsOf('docs/guide/agents.md').map(([line = '']) => line);
    const all = [...Object.keys(commands), 'after'];
    expect(all.filter((name) => !lines.some((line) => line.startsWith(`\`@${name}`)))).toEqual([]);
  });

  it('name every setting', () => {
    const settings = rowsOf('docs/guide/configuration.md').map(([name = '']) => name);
    const all = [...fieldsOf(contractOf('settings.update').input).keys()];
    expect(all.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
  });

  it('state every limit as it is', async () => {
    const folder = join(ROOT, 'shared/src/limits');
    const modules = await Promise.all(
      readdirSync(folder).map((name) => import(pathToFileURL(join(folder, name)).href)),
    );
    const constants: Record<string, unknown> = Object.assign({}, ...modules);
    const units: Record<string, number> = {
      KiB: 1_024,
      MiB: 1_048_576,
      s: 1_000,
      minutes: 60_000,
      hours: 3_600_000,
      days: 86_400_000,
    };
    const wrong = rowsOf('docs/guide/limits.md')
      .slice(2)
      .filter(([, value = '', constant = '']) => {
        const [, number = '', unit = ''] = /^([\d ]+?) ?([A-Za-z]*)$/.exec(value) ?? [];
        return constants[constant.replaceAll('`', '')] !== Number(number.replaceAll(' ', '')) * (units[unit] ?? 1);
      });
    expect(wrong).toEqual([]);
  });
});
