import fs from 'node:fs';

/** Writes a line to the runner's own log, which is its standard error. A full disk must not end the runner. */
export function journal(line: string): void {
  try {
    fs.writeSync(2, `${new Date().toISOString()} ${line}\n`);
  } catch {
    // The error is ignored, because it cannot be reported anywhere else.
  }
}
