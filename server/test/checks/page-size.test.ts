import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const PAGE = fileURLToPath(new URL('../../dist/client', import.meta.url));

interface Chunk {
  file: string;
  imports?: string[];
}

const manifest = JSON.parse(readFileSync(join(PAGE, 'manifest.json'), 'utf8')) as Record<string, Chunk>;

function scriptsOf(chunk: Chunk | undefined, known = new Set<string>()): Set<string> {
  if (chunk === undefined) throw new Error('the page has no such script');
  if (known.has(chunk.file)) return known;
  known.add(chunk.file);
  for (const name of chunk.imports ?? []) scriptsOf(manifest[name], known);
  return known;
}

function gzipBytes(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(PAGE, file))).length, 0);
}

describe('the amount of script that a browser has to load', () => {
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const entries = [...html.matchAll(/<script[^>]* src="\/([^"]+)"/g)].map(([, file]) => file);
  const list = new Set(
    Object.values(manifest).flatMap((chunk) => (entries.includes(chunk.file) ? [...scriptsOf(chunk)] : [])),
  );

  it('is at most 120 kB for the list of sessions', () => {
    expect(gzipBytes(list)).toBeLessThanOrEqual(120_000);
  });

  it('is at most 180 kB more for a terminal', () => {
    const terminal = scriptsOf(manifest['src/terminal/TerminalPane.tsx']);
    expect(gzipBytes([...terminal].filter((file) => !list.has(file)))).toBeLessThanOrEqual(180_000);
  });
});
