import { Readable, Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { runGit } from './git.ts';
import { openScriptedAgent, StartRefused } from './program.ts';

/** Unix signals that end the program, with the corresponding shell exit status. */
const ENDINGS = { SIGHUP: 129, SIGTERM: 143 } as const;

function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

async function main(): Promise<void> {
  const { stdin, stdout } = process;
  if (process.argv[2] === '--acp') return serveAcp(process.argv[3]);
  if (!(stdin instanceof ReadStream) || !stdout.isTTY)
    refuse('the scripted agent requires a terminal; start it in a terminal');
  const program = await openScriptedAgent(process.argv.slice(2), {
    device: stdin,
    cwd: process.cwd(),
    env: process.env,
    runGit,
    exit: async (code) => process.exit(code),
    crash,
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

/** Runs the agent with the Agent Client Protocol on stdin and stdout: `--acp <folder of transcripts>`. */
async function serveAcp(transcripts: string | undefined): Promise<void> {
  if (transcripts === undefined) refuse('usage: scripted-agent --acp folder');
  const { runAcpAgent } = await import('./acp.ts');
  await runAcpAgent({
    input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    output: Writable.toWeb(process.stdout),
    transcripts,
    env: process.env,
    runGit,
    exit: async (code) => process.exit(code),
    crash,
  });
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

await main();
