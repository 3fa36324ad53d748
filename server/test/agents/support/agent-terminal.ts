import { spawn } from 'node-pty';

export const IDLE = '\x1b]9;4;0;\x07\x1b]0;scripted: idle\x07';
export const WORKING = '\x1b]9;4;3;\x07\x1b]0;scripted: working\x07';
export const ASKING = '\x1b]9;4;4;\x07\x1b]0;scripted: asking\x07';

interface Ending {
  exitCode: number;
  signal: number;
}

export interface AgentTerminal {
  readonly pid: number;
  /** Everything printed so far, as text. */
  output(): string;
  /** Bytes printed so far. */
  bytes(): number;
  write(data: string | Buffer): void;
  /** Types a line and Enter. */
  enter(text: string): void;
  /** Pastes text with its marks, then Enter. */
  submit(text: string): void;
  /** Resolves when `text` has been printed behind the last one waited for; answers what was printed up to its end. */
  expect(text: string): Promise<string>;
  /** Submits a prompt and answers what its turn printed. */
  turn(text: string): Promise<string>;
  kill(signal: string): void;
  pause(): void;
  resume(): void;
  ended: Promise<Ending>;
}

const WAIT_MS = 30_000;

/** Starts a program in a real terminal of 120 x 40. */
export function openAgentTerminal(
  file: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
): AgentTerminal {
  // node-pty's types say string; with no encoding it hands out the bytes.
  const pty = spawn(file, args, { cols: 120, rows: 40, cwd, env, encoding: null });
  let text = '';
  let bytes = 0;
  let from = 0;
  let check = () => {};
  const decoder = new TextDecoder();
  pty.onData((data) => {
    const chunk = data as unknown as Buffer;
    bytes += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    check();
  });
  const ended = new Promise<Ending>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      check();
      resolve({ exitCode, signal: signal ?? 0 });
    });
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
    pid: pty.pid,
    output: () => text,
    bytes: () => bytes,
    write: (data) => pty.write(data),
    enter: (line) => pty.write(`${line}\r`),
    submit: (prompt) => pty.write(`\x1b[200~${prompt}\x1b[201~\r`),
    expect,
    async turn(prompt) {
      terminal.submit(prompt);
      await expect(WORKING);
      return (await expect(IDLE)).slice(0, -IDLE.length).replaceAll('\r\n', '\n').replace(/> $/, '');
    },
    kill: (signal) => process.kill(pty.pid, signal),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    ended,
  };
  return terminal;
}
