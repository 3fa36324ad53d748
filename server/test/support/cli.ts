import { fileURLToPath } from 'node:url';
import { runCli } from '../../src/surfaces/cli/cli.ts';

const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/**
 * Runs an `agent-console` command line in this process, which saves 0.3 s of CPU time per start. Until the command ends,
 * `env` replaces the environment of this process, so calls must not be concurrent. Commands cannot read stdin.
 */
export async function runInProcess(args: readonly string[], env: Record<string, string>): Promise<CommandResult> {
  const printed = { out: '', err: '' };
  const original = { env: { ...process.env }, code: process.exitCode };
  const writes = { out: process.stdout.write, err: process.stderr.write };
  const capture = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    printed[stream] += String(text);
    return true;
  };
  replaceEnvironment(env);
  process.stdout.write = capture('out');
  process.stderr.write = capture('err');
  process.exitCode = undefined;
  try {
    const code = (await runCli(PROGRAMS, args)) ?? Number(process.exitCode ?? 0);
    return { code, ...printed };
  } finally {
    process.stdout.write = writes.out;
    process.stderr.write = writes.err;
    process.exitCode = original.code;
    replaceEnvironment(original.env);
  }
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}
