import { spawn } from 'node:child_process';
import { GIT_LOCAL_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { SpawnSpec } from '../../../src/ports/runner.ts';
import { runAcpAgent } from '../../../src/scripted-agent/acp.ts';
import type { RunGit } from '../../../src/scripted-agent/git.ts';
import type { ProgramHost, ScriptedProgram } from '../../../src/scripted-agent/program.ts';
import { openScriptedAgent, StartRefused } from '../../../src/scripted-agent/program.ts';
import { runProcess } from '../../git/fixture.ts';

export interface ProgramExit {
  exitCode: number | null;
  signal: string | null;
}

/**
 * The specification of a program, and callbacks for its output and end. Output after the end of the program is ignored.
 */
interface ProgramContext {
  spec: SpawnSpec;
  /** Prints text. In a terminal, each newline becomes CR LF. */
  print(text: string): void;
  ended(exit: ProgramExit): void;
}

export interface MemoryProgram {
  input(data: Buffer): void;
  /** Handles every signal except SIGKILL. For SIGKILL, `stop` is called instead. */
  signal(signal: NodeJS.Signals): void;
  /** Called after the program has ended or was killed, so that the program frees its resources. */
  stop(): void;
}

export type OpenProgram = (context: ProgramContext) => MemoryProgram;

/** Runs git as a child of a small process, because starting it from a large test process takes twice the CPU time. */
const runGit: RunGit = async (args, { cwd, env, signal }) => {
  const chunks: Buffer[] = [];
  const { exitCode, stderr, ended } = await runProcess({
    file: 'git',
    args,
    cwd,
    env: env as Record<string, string>,
    timeoutMs: GIT_LOCAL_LIMIT_MS,
    signal,
    onStdout: (chunk) => void chunks.push(chunk),
  });
  if (ended !== undefined) throw Object.assign(new Error(`git was stopped (${ended})`), { killed: true });
  return { code: exitCode ?? 1, stdout: Buffer.concat(chunks).toString(), stderr };
};

const never = () => new Promise<never>(() => {});

/** The scripted agent of the console, in this process. */
export const scriptedAgent: OpenProgram = (context) => {
  let program: ScriptedProgram | undefined;
  let stopped = false;
  let early: Buffer[] = [];
  const end = (exitCode: number | null, signal: string | null) => {
    context.ended({ exitCode, signal });
    return never();
  };
  const host: ProgramHost = {
    device: {
      setRawMode: () => undefined,
      write(text, done) {
        context.print(text);
        if (done !== undefined) setImmediate(done);
      },
    },
    cwd: context.spec.cwd,
    env: context.spec.env,
    runGit,
    exit: (code) => end(code, null),
    crash: () => end(null, 'SIGKILL'),
  };
  const [, ...args] = context.spec.args;
  openScriptedAgent(args, host).then(
    (opened) => {
      program = opened;
      if (stopped) return program.stop();
      program.begin();
      for (const data of early) program.input(data);
      early = [];
    },
    (error: Error) => {
      context.print(`${error instanceof StartRefused ? error.message : error.stack}\n`);
      context.ended({ exitCode: error instanceof StartRefused ? 2 : 1, signal: null });
    },
  );
  return {
    input: (data) => (program === undefined ? void early.push(data) : program.input(data)),
    signal(signal) {
      if (signal === 'SIGINT' && program !== undefined) program.interrupt();
      else if (signal === 'SIGHUP') context.ended({ exitCode: 129, signal: null });
      else if (signal === 'SIGTERM') context.ended({ exitCode: 143, signal: null });
      else context.ended({ exitCode: null, signal });
    },
    stop() {
      stopped = true;
      program?.stop();
    },
  };
};

/** The scripted ACP agent. It runs in this process, with streams in memory instead of standard input and output. */
export const scriptedAcpAgent: OpenProgram = (context) => {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const writer = toAgent.writable.getWriter();
  const end = (exitCode: number | null, signal: string | null) => {
    context.ended({ exitCode, signal });
    return never();
  };
  runAcpAgent({
    input: toAgent.readable,
    output: new WritableStream({ write: (bytes: Uint8Array) => context.print(Buffer.from(bytes).toString()) }),
    transcripts: context.spec.args[2] ?? '',
    env: context.spec.env,
    runGit,
    exit: (code) => end(code, null),
    crash: () => end(null, 'SIGKILL'),
  }).then(
    () => end(0, null),
    () => end(1, null),
  );
  return {
    input: (data) => void writer.write(data),
    signal: (signal) => context.ended({ exitCode: null, signal }),
    stop: () => void writer.close().catch(() => undefined),
  };
};

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const BACKSPACE = 0x7f;
const ESC = 0x1b;

/** A program that edits and echoes lines like a terminal. `begin` returns the function that gets each entered line. */
function lineProgram(begin: (context: ProgramContext) => (line: string) => void): OpenProgram {
  return (context) => {
    let line: number[] = [];
    const entered = begin(context);
    const key = (byte: number) => {
      if (byte === CTRL_C) {
        context.print('^C');
        context.ended({ exitCode: null, signal: 'SIGINT' });
      } else if (byte === CTRL_D) {
        if (line.length === 0) context.ended({ exitCode: 0, signal: null });
      } else if (byte === 0x0d || byte === 0x0a) {
        const text = Buffer.from(line).toString();
        line = [];
        context.print('\n');
        entered(text);
      } else if (byte === BACKSPACE) {
        if (line.pop() !== undefined) context.print('\b \b');
      } else {
        line.push(byte);
        context.print(byte === ESC ? '^[' : Buffer.of(byte).toString('latin1'));
      }
    };
    return {
      input(data) {
        for (const byte of data) key(byte);
      },
      signal: (signal) => context.ended({ exitCode: null, signal }),
      stop: () => undefined,
    };
  };
}

/** `cat` in a terminal, which prints each entered line. */
export const cat: OpenProgram = lineProgram(
  ({ print }) =>
    (line) =>
      print(`${line}\n`),
);

/** A placeholder for a shell. It prompts and echoes, but runs nothing. */
const lineShell: OpenProgram = lineProgram(({ print }) => {
  print('$ ');
  return () => print('$ ');
});

/** Runs the real program, in its own process group and without a terminal. For commands that end by themselves. */
export const realProgram: OpenProgram = ({ spec, print, ended }) => {
  const { file, args, cwd, env } = spec;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Killing fails if the process has already ended.
    }
  };
  child.stdout.on('data', (data: Buffer) => print(data.toString()));
  child.stderr.on('data', (data: Buffer) => print(data.toString()));
  child.stdin.on('error', () => undefined);
  child.on('error', () => ended({ exitCode: 127, signal: null }));
  child.on('close', (exitCode, signal) => ended({ exitCode, signal }));
  return {
    input: (data) => void child.stdin.write(data),
    signal: signalGroup,
    stop: () => signalGroup('SIGKILL'),
  };
};

/** Runs a real shell if the shell was started with a command (`-c`), and `lineShell` otherwise. */
export const commandShell: OpenProgram = (context) =>
  context.spec.args[0] === '-c' ? realProgram(context) : lineShell(context);
