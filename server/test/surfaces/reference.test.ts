import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_HINTS } from '@agent-console/shared/error-hints';
import { ERRORS, type ErrorCode } from '@agent-console/shared/errors';
import { toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import { describe, expect, it } from 'vitest';
import { REFERENCE } from '../../src/surfaces/reference/documents.ts';
import { anchor } from '../../src/surfaces/reference/markdown.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/reference', import.meta.url));
const made = Object.fromEntries(Object.entries(REFERENCE).map(([name, make]) => [name, make()]));
const names = Object.keys(REFERENCE);
const textOf = (name: string) => made[name] ?? '';

/** Returns the text of a document without code blocks. */
const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '');
const headings = (text: string) => [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');

describe.each(names)('docs/reference/%s', (name) => {
  it('is up to date with the table of operations', () => {
    if (process.env.UPDATE_REFERENCE === '1') {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(join(FOLDER, name), textOf(name));
    }
    expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(textOf(name));
  });

  it('has as many cells in every row as its table has columns', () => {
    for (const table of prose(textOf(name)).matchAll(/(?:^\|.*\n)+/gm)) {
      const rows = table[0].trimEnd().split('\n');
      const columns = rows.map((row) => row.match(/(?<!\\)\|/g)?.length);
      expect(new Set(columns).size, rows[0]).toBe(1);
    }
  });

  it('links only to existing headings, and has no heading twice', () => {
    const own = headings(textOf(name)).map(anchor);
    expect(own).toEqual([...new Set(own)]);
    for (const [, file = '', target = ''] of prose(textOf(name)).matchAll(/\]\(([\w.]*)(#[\w-]+)\)/g)) {
      expect(headings(textOf(file === '' ? name : file)).map(anchor), `${file}${target}`).toContain(target);
    }
  });
});

describe('the reference', () => {
  it('contains every tool, with its operation and route', () => {
    const tools = headings(textOf('mcp.md'));
    for (const contract of CONTRACTS) {
      const { method, path } = contract.rest;
      for (const { name } of toolsOf(contract)) {
        expect(tools).toContain(name);
        const row = textOf('mcp.md')
          .split('\n')
          .find((line) => line.startsWith(`| [\`${name}\`]`));
        expect(row).toContain(`| \`${contract.name}\` | \`${method} /api${path}\` |`);
      }
      if (toolsOf(contract).length === 0) expect(textOf('mcp.md')).toContain(`\`${contract.name}\``);
    }
  });

  it('describes every argument of every tool', () => {
    expect(textOf('mcp.md').match(/^\| `\w+` \| .*\| (?:yes|no) \| {2}\|$/gm)).toBeNull();
  });

  it('contains for every error its meaning, what to do, its statuses and whether it is retryable', () => {
    expect(Object.keys(ERROR_HINTS)).toEqual(Object.keys(ERRORS));
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const { http, exit, retryable } = ERRORS[code];
      const { means, hint } = ERROR_HINTS[code];
      expect(means.length).toBeGreaterThan(20);
      expect(hint.length).toBeGreaterThan(20);
      const [, section = ''] = textOf('errors.md').split(`\n## ${code}\n`);
      const [own = ''] = section.split('\n## ');
      for (const part of [means, hint, `HTTP ${http}, exit status ${exit}, retryable: ${retryable ? 'yes' : 'no'}`]) {
        expect(own).toContain(part);
      }
    }
  });
});
