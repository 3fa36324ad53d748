import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';

/**
 * Creates the server's log, which writes to the file descriptor. A line that cannot be written is lost: if a full disk
 * raised an error here, this error would be logged as well, and so on for as long as the disk is full.
 */
export function createLog(fd: number): Logger {
  const destination = {
    write(line: string) {
      try {
        writeSync(fd, line);
      } catch {
        // The error is ignored, because it cannot be reported anywhere else.
      }
    },
  };
  return pino({ base: null, redact: ['token', 'code', 'authorization', '*.token', '*.authorization'] }, destination);
}
