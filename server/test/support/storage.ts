import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '../../src/ports/storage.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createStorage, type StorageOptions } from '../../src/storage/storage.ts';
import { copyEmptyDatabase, migrations } from './empty-database.ts';

/** Opens the stores of an empty database in a new folder. `close` closes the database and removes the folder. */
export function openStorage({
  now = () => new Date(),
  onCommit = () => {},
}: Partial<Pick<StorageOptions, 'now' | 'onCommit'>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-console-storage-'));
  const file = join(folder, 'console.db');
  copyEmptyDatabase(file);
  const opened = openDatabase(file, migrations);
  const storage: Storage = createStorage({ ...opened, now, onCommit });
  return {
    folder,
    writer: opened.writer,
    reader: opened.reader,
    storage,
    close() {
      opened.close();
      rmSync(folder, { recursive: true });
    },
  };
}
