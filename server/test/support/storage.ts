import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/database.ts';
import { createStorage, type StorageOptions } from '../../src/storage/storage.ts';

const migrations = new URL('../../src/storage/migrations', import.meta.url).pathname;

/** The stores over an empty database in a folder of its own; `close` takes both away. */
export function openStorage({
  now = () => new Date(),
  onCommit = () => {},
}: Partial<Pick<StorageOptions, 'now' | 'onCommit'>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-console-storage-'));
  const opened = openDatabase(join(folder, 'console.db'), migrations);
  return {
    folder,
    writer: opened.writer,
    reader: opened.reader,
    storage: createStorage({ ...opened, now, onCommit }),
    close() {
      opened.close();
      rmSync(folder, { recursive: true });
    },
  };
}
