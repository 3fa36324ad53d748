import { ConsoleError } from '@agent-console/shared/errors';
import { RECORDING_MAX_BYTES } from '@agent-console/shared/limits/activity';
import { AgentKindName } from '@agent-console/shared/models/agent';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { helpWith } from './examples.ts';
import { print, toJson } from './output.ts';

/**
 * Adds `agents read-screen`, which prints the activity and the question that the console detects in recorded terminal
 * output. Needs no server.
 */
export function addReadScreen(cli: Command): void {
  const agents = cli.commands.find((command) => command.name() === 'agents') ?? cli.command('agents');
  agents
    .command('read-screen')
    .description('Show the activity and question detected in a recorded terminal (raw bytes on stdin)')
    .addOption(new Option('--kind <kind>', 'Agent kind').choices(AgentKindName.options).makeOptionMandatory())
    .addOption(new Option('--cols <n>', 'Terminal width in characters').argParser(parseSize).default(120))
    .addOption(new Option('--rows <n>', 'Terminal height in characters').argParser(parseSize).default(36))
    .addHelpText('after', helpWith(['agents read-screen --kind claude-code < terminal.log']))
    .action(async ({ kind, ...size }: { kind: AgentKindName; cols: number; rows: number }) => {
      const recording = await readAll(process.stdin);
      // Imported late, because the terminal emulator is large and no other command needs it.
      const { readRecordedOutput } = await import('../../recordings.ts');
      print(toJson(await readRecordedOutput(kind, size, recording)));
    });
}

function parseSize(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 2 && value <= 1_000) return value;
  throw new InvalidArgumentError('Use a whole number from 2 to 1000.');
}

async function readAll(input: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const part of input) {
    const chunk = Buffer.from(part);
    chunks.push(chunk);
    length += chunk.length;
    if (length > RECORDING_MAX_BYTES) {
      const message = `The recording is larger than ${RECORDING_MAX_BYTES} bytes. Send only its end, e.g. with tail -c.`;
      throw new ConsoleError('VALIDATION', message, { maxBytes: RECORDING_MAX_BYTES });
    }
  }
  return Buffer.concat(chunks);
}
