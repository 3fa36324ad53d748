import { ConsoleError } from '@agent-console/shared/errors';
import { RECORDING_MAX_BYTES } from '@agent-console/shared/limits/activity';
import { AgentKindName } from '@agent-console/shared/models/agent';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { print, toJson } from './output.ts';

/** Adds `agents read-screen`, behind the contracts' own commands: what is made of a recording of an agent's terminal. */
export function addReadScreen(cli: Command): void {
  const agents = cli.commands.find((command) => command.name() === 'agents') ?? cli.command('agents');
  agents
    .command('read-screen')
    .description('Say what is read from a recording of an agent’s terminal: raw bytes on stdin, from the start on')
    .addOption(new Option('--kind <kind>', 'kind of the agent').choices(AgentKindName.options).makeOptionMandatory())
    .addOption(new Option('--cols <n>', 'width of the terminal').argParser(toSize).default(120))
    .addOption(new Option('--rows <n>', 'height of the terminal').argParser(toSize).default(36))
    .action(async ({ kind, ...size }: { kind: AgentKindName; cols: number; rows: number }) => {
      const recording = await readAll(process.stdin);
      // A terminal emulator is large, and no other command needs one.
      const { readRecordedOutput } = await import('../../recordings.ts');
      print(toJson(await readRecordedOutput(kind, size, recording)));
    });
}

function toSize(given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 2 && value <= 1_000) return value;
  throw new InvalidArgumentError('A terminal is 2 to 1000 characters wide and high.');
}

async function readAll(input: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of input) {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
    if (length > RECORDING_MAX_BYTES) {
      const message = `A recording is at most ${RECORDING_MAX_BYTES} bytes; give its last part, e.g. with tail -c`;
      throw new ConsoleError('VALIDATION', message, { maxBytes: RECORDING_MAX_BYTES });
    }
  }
  return Buffer.concat(parts);
}
