import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../src/storage/database.ts';

export const migrations = new URL('../../src/storage/migrations', import.meta.url).pathname;

let template: string | undefined;

/**
 * Creates a database without rows at `file`, as the first start of a server does. Runs the migrations, which take 20
 * ms, only once per process, and then copies their result.
 */
export function copyEmptyDatabase(file: string): void {
  if (template === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'agent-console-database-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    template = join(folder, 'console.db');
    openDatabase(template, migrations).close();
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  copyFileSync(template, file);
}
