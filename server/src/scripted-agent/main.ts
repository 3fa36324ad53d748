import { ReadStream } from 'node:tty';
import { openScriptedAgent, StartRefused } from './program.ts';

/** Unix signals that end the program, with the corresponding shell exit status. */
const ENDINGS = { SIGHUP: 129, SIGTERM: 143 } as const;

async function main(): Promise<void> {
  const { stdin, stdout } = process;
  if (!(stdin instanceof ReadStream) || !stdout.isTTY)
    refuse('the scripted agent requires a terminal; start it in a terminal');
  const program = await openScriptedAgent(process.argv.slice(2), {
    device: stdin,
    cwd: process.cwd(),
    env: process.env,
    exit: async (code) => process.exit(code),
    crash() {
      process.kill(process.pid, 'SIGKILL');
      return new Promise<never>(() => {});
    },
  }).catch((error: unknown) => {
    if (error instanceof StartRefused) refuse(error.message);
    throw error;
  });
  process.on('exit', () => program.restoreTerminal());
  for (const [signal, code] of Object.entries(ENDINGS)) process.on(signal, () => process.exit(code));
  stdin.on('error', () => process.exit(ENDINGS.SIGHUP));
  stdin.on('end', () => process.exit(ENDINGS.SIGHUP));
  stdin.on('data', (chunk: Buffer) => program.input(chunk));
  process.on('SIGINT', () => program.interrupt());
  program.begin();
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

await main();
