import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foregroundFlags, serveInForeground } from './foreground.ts';
import { reportError } from './output.ts';

// A reader such as `head` may close the pipe before the end of the output, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** The directory of the built executables, including this one. */
const programs = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const flags = foregroundFlags(args);
const status =
  flags === undefined
    ? await (await import('./cli.ts')).runCli(programs, args)
    : await serveInForeground(flags, programs).catch((error: unknown) => reportError(error, false));
// An undefined status must not replace an exit status that a successful command has already set.
if (status !== undefined) process.exitCode = status;
