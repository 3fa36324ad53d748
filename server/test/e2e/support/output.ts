import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../../support/test-app.ts';

/** Reads all output of a worker, in pages as a caller does. */
export async function readAll(c: TestApp, workerId: string): Promise<Buffer> {
  const pages: Buffer[] = [];
  for (let offset = 0; ; ) {
    const input = { workerId, sinceOffset: offset, format: 'base64', maxBytes: 262_144 } as const;
    const page = await c.client.call('workers.output', input);
    if (page.offset !== offset) throw new Error(`asked for offset ${offset}, got ${page.offset}`);
    pages.push(Buffer.from(page.data ?? '', 'base64'));
    offset = page.nextOffset;
    if (!page.truncated) return Buffer.concat(pages);
  }
}

/** Reads all output of a worker from the log files that the runner wrote. */
export function logOf(c: TestApp, workerId: string): Buffer {
  const folder = join(c.home, 'workers', workerId, 'output');
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
  names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  return Buffer.concat(names.map((name) => readFileSync(join(folder, name))));
}

const FLOOD_LINE_BYTES = 80;

/**
 * Returns the first mistake in the numbered lines that the scripted agent's `@flood` printed, or null. All lines have
 * the same length.
 */
export function floodFault(output: Buffer, floods: number, bytes: number): string | null {
  const text = output.toString('latin1').replace(/\x1b\][^\x07]*\x07/g, '');
  const lines = text.match(/^\d+ (?:flood )+[flod ]*\r$/gm) ?? [];
  const each = bytes / FLOOD_LINE_BYTES;
  if (lines.length !== floods * each) return `${lines.length} flood lines instead of ${floods * each}`;
  for (const [index, line] of lines.entries()) {
    if (Number.parseInt(line, 10) !== index % each) return `line ${index} is ${JSON.stringify(line)}`;
    if (line.length + 1 !== FLOOD_LINE_BYTES) return `line ${index} has ${line.length + 1} bytes`;
  }
  return null;
}
