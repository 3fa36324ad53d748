import { spawn } from 'node-pty';
import { type MemoryProgram, scriptedAgent } from '../../support/memory-runner/programs.ts';

export const IDLE = '\x1b]9;4;0;\x07\x1b]0;scripted: idle\x07';
export const WORKING = '\x1b]9;4;3;\x07\x1b]0;scripted: working\x07';
export const ASKING = '\x1b]9;4;4;\x07\x1b]0;scripted: asking\x07';

interface Ending {
  exitCode: number | null;
  /**
   * Signal that ended the agent: a number for a process in a real terminal, a name for an object in this process. 0 or
   * null if no signal ended the agent.
   */
  signal: number | string | null;
}

export interface AgentTerminal {
  /** Everything printed so far, as text. */
  output(): string;
  bytes(): number;
  write(data: string | Buffer): void;
  /** Types a line and Enter. */
  enter(text: string): void;
  /** Sends text as a bracketed paste, then Enter. */
  submit(text: string): void;
  /**
   * Waits until `text` is printed after the text that the previous call found. Returns the output up to the end of
   * `text`.
   */
  expect(text: string): Promise<string>;
  /** Submits a prompt and returns the output of its turn. */
  turn(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ending>;
}

/** The terminal of an agent that runs as a process. */
export interface RealAgentTerminal extends AgentTerminal {
  readonly pid: number;
  pause(): void;
  resume(): void;
}

const WAIT_MS = 30_000;
const SIZE = { cols: 120, rows: 40 };

export function openAgentTerminal(
  file: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
): RealAgentTerminal {
  // Without an encoding, node-pty emits buffers, although its types say string.
  const pty = spawn(file, args, { ...SIZE, cwd, env, encoding: null });
  const { printed, end, terminal } = agentTerminal({
    write: (data) => pty.write(data),
    kill: (signal) => process.kill(pty.pid, signal),
  });
  pty.onData((data) => printed(data as unknown as Buffer));
  pty.onExit(({ exitCode, signal }) => end({ exitCode, signal: signal ?? 0 }));
  return { ...terminal, pid: pty.pid, pause: () => pty.pause(), resume: () => pty.resume() };
}

/** Starts the scripted agent as an object, without a process. */
export function openAgentObject(args: string[], cwd: string, env: Record<string, string>): AgentTerminal {
  const opened: { program?: MemoryProgram } = {};
  const { printed, end, terminal } = agentTerminal({
    write: (data) => opened.program?.input(Buffer.from(data)),
    kill: (signal) => opened.program?.signal(signal),
  });
  opened.program = scriptedAgent({
    spec: {
      ...SIZE,
      workerId: 'agent',
      mode: 'pty',
      file: process.execPath,
      args: ['scripted-agent', ...args],
      cwd,
      env,
    },
    print: (text) => printed(Buffer.from(text.replaceAll('\n', '\r\n'))),
    ended(exit) {
      opened.program?.stop();
      end(exit);
    },
  });
  return terminal;
}

/**
 * Creates the terminal of an agent, which is a process or an object. The caller passes the agent's output to `printed`
 * and its exit to `end`.
 */
function agentTerminal({ write, kill }: Pick<AgentTerminal, 'write' | 'kill'>) {
  let text = '';
  let bytes = 0;
  let from = 0;
  let check = () => {};
  const decoder = new TextDecoder();
  let end: (ending: Ending) => void = () => {};
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });

  const expect = (wanted: string) =>
    new Promise<string>((resolve, reject) => {
      const late = setTimeout(
        () =>
          reject(
            new Error(`never printed ${JSON.stringify(wanted)}; it printed:\n${JSON.stringify(text.slice(from))}`),
          ),
        WAIT_MS,
      );
      check = () => {
        const at = text.indexOf(wanted, from);
        if (at < 0) return;
        clearTimeout(late);
        check = () => {};
        const start = from;
        from = at + wanted.length;
        resolve(text.slice(start, from));
      };
      check();
    });

  const terminal: AgentTerminal = {
    output: () => text,
    bytes: () => bytes,
    write,
    enter: (line) => write(`${line}\r`),
    submit: (prompt) => write(`\x1b[200~${prompt}\x1b[201~\r`),
    expect,
    async turn(prompt) {
      terminal.submit(prompt);
      await expect(WORKING);
      return (await expect(IDLE)).slice(0, -IDLE.length).replaceAll('\r\n', '\n').replace(/> $/, '');
    },
    kill,
    ended,
  };
  return {
    terminal,
    printed(chunk: Buffer) {
      bytes += chunk.length;
      text += decoder.decode(chunk, { stream: true });
      check();
    },
    end(ending: Ending) {
      check();
      end(ending);
    },
  };
}
