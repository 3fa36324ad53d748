import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@agent-console/shared/errors';
import { Command, CommanderError } from 'commander';
import { refuseWindows, VERSION } from '../../config.ts';
import { addContractCommands } from './contract-commands.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor/doctor.ts';
import { withHelp } from './help.ts';
import { addMcp } from './mcp.ts';
import { addOpen } from './open.ts';
import { reportError } from './output.ts';
import { addReadScreen } from './read-screen.ts';
import { addServe } from './serve.ts';
import { addSetup } from './setup/setup.ts';
import { addStop } from './stop.ts';

/** The folder of the built programs, this one among them. */
const programs = dirname(fileURLToPath(import.meta.url));

// A reader such as `head` may close the pipe before the end of the output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const cli = withHelp(new Command('agent-console'))
  .description('Run coding agents in git worktrees, and let them delegate to each other')
  .version(VERSION)
  .option('--url <url>', 'Console URL (default: AGENT_CONSOLE_BASE_URL, then the console of the data directory)')
  .option('--json', 'Print JSON')
  .enablePositionalOptions()
  .showSuggestionAfterError()
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'VALIDATION: ')) });

addServe(cli, programs);
addStop(cli);
addOpen(cli);
addSetup(cli);
addMcp(cli, programs);
addDoctor(cli, programs);
addDemo(cli, programs);
addContractCommands(cli);
addReadScreen(cli);

try {
  refuseWindows();
  await cli.parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : ERRORS.VALIDATION.exit;
  else process.exitCode = reportError(error, process.argv.includes('--json'));
}
