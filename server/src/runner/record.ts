import fs from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { workerFolder } from './paths.ts';

/** A line in a worker's record: an event other than output, such as an exit, with its log offset. */
const RecordLine = v.variant('kind', [
  v.object({
    kind: v.literal('spawned'),
    offset: v.number(),
    at: v.string(),
    pid: v.number(),
    startTime: v.string(),
    mode: v.picklist(['pty', 'pipe']),
    cols: v.number(),
    rows: v.number(),
  }),
  v.object({ kind: v.literal('resized'), offset: v.number(), at: v.string(), cols: v.number(), rows: v.number() }),
  v.object({
    kind: v.literal('exited'),
    offset: v.number(),
    at: v.string(),
    exitCode: v.nullable(v.number()),
    signal: v.nullable(v.string()),
  }),
]);
export type RecordLine = v.InferOutput<typeof RecordLine>;

const recordPath = (home: string, workerId: string) => path.join(workerFolder(home, workerId), 'record.ndjson');

/**
 * Appends a line to a worker's record. If the last line is incomplete, the new line starts on a line of its own.
 * @throws the file system's error.
 */
export function appendRecord(home: string, workerId: string, line: RecordLine): void {
  const file = fs.openSync(recordPath(home, workerId), 'a+', 0o600);
  try {
    const { size } = fs.fstatSync(file);
    const last = Buffer.alloc(1, '\n');
    if (size > 0) fs.readSync(file, last, 0, 1, size - 1);
    fs.writeSync(file, `${last.toString() === '\n' ? '' : '\n'}${JSON.stringify(line)}\n`);
  } finally {
    fs.closeSync(file);
  }
}

/** Reads the record of a worker, even after its runner is gone. An incomplete last line is ignored. */
export async function readRecord(home: string, workerId: string): Promise<RecordLine[]> {
  let text: string;
  try {
    text = await fs.promises.readFile(recordPath(home, workerId), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap(parseLine);
}

function parseLine(line: string): RecordLine[] {
  try {
    return [v.parse(RecordLine, JSON.parse(line))];
  } catch {
    return [];
  }
}
