import { ERRORS } from '@agent-console/shared/errors';
import { Command, CommanderError, Help, Option } from 'commander';
import { refuseWindows, VERSION } from '../../config.ts';
import { addAcp } from './acp.ts';
import { addAttach } from './attach/attach.ts';
import { addCompletion } from './completion/completion.ts';
import { addContractCommands } from './contract-commands.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addLogs } from './logs.ts';
import { addMcp } from './mcp.ts';
import { addOpen } from './open.ts';
import { reportError } from './output.ts';
import { FORMATS } from './printing/render.ts';
import { addReadScreen } from './read-screen.ts';
import { addRunDefinition } from './run-definition.ts';
import { addIntroduce, addServe } from './serve.ts';
import { addSetup } from './setup/setup.ts';
import { addStop } from './stop.ts';
import { addVersion } from './version.ts';

const sentenceCase = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const help = Help.prototype;
/**
 * Help options that write every description in sentence case, including those of commander itself. Subcommands inherit
 * these options.
 */
const SENTENCE_CASE: Partial<Help> = {
  optionDescription: (option) => sentenceCase(help.optionDescription(option)),
  argumentDescription: (argument) => sentenceCase(help.argumentDescription(argument)),
  subcommandDescription: (subcommand) => sentenceCase(help.subcommandDescription(subcommand)),
};

/** Creates the command line with all its commands. `programs` is the directory of the built executables. */
export function createCli(programs: string): Command {
  const cli = new Command('agent-console')
    .configureHelp(SENTENCE_CASE)
    .description('Run coding agents in git worktrees, and let them delegate to each other')
    .version(VERSION)
    .option('--url <url>', 'Console URL (default: AGENT_CONSOLE_BASE_URL, then the console of the data directory)')
    .option('--json', 'Print JSON, same as -o json')
    .addOption(new Option('-o, --output <format>', 'Output format').choices(FORMATS))
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'VALIDATION: ')) });
  addServe(cli, programs);
  addIntroduce(cli);
  addStop(cli);
  addOpen(cli);
  addSetup(cli);
  addMcp(cli, programs);
  addAcp(cli, programs);
  addDoctor(cli, programs);
  addDemo(cli, programs);
  addContractCommands(cli);
  addReadScreen(cli);
  addRunDefinition(cli);
  addLogs(cli);
  addAttach(cli);
  addVersion(cli);
  addCompletion(cli);
  return cli;
}

/**
 * Runs a command line and prints its error, if any. Resolves to the exit status of the error, to 0 after the help or
 * the version, and to undefined after any other success.
 */
export async function runCli(programs: string, args: readonly string[]): Promise<number | undefined> {
  try {
    refuseWindows();
    await createCli(programs).parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ERRORS.VALIDATION.exit;
    return reportError(
      error,
      args.includes('--json') || /^-?-o(?:utput)?[= ]?json$/m.test(args.join('\n').replace(/(-o|--output)\n/g, '$1=')),
    );
  }
}
