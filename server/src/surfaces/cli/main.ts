import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from './cli.ts';

// A reader such as `head` may close the pipe before the end of the output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** The directory of the built programs, this one among them. */
const programs = dirname(fileURLToPath(import.meta.url));
const status = await runCli(programs, process.argv.slice(2));
// Commands without an error may have set their own status.
if (status !== undefined) process.exitCode = status;
