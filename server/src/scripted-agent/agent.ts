import { SCRIPTED_AHEAD_MAX_BYTES } from '@agent-console/shared/limits/scripted-agent';
import { openGit, type RunGit } from './git.ts';
import { readImages, splitImages } from './images.ts';
import type { Key } from './keys.ts';
import { createLine } from './line.ts';
import type { ToolCaller } from './mcp.ts';
import {
  createPermission,
  createQuestion,
  createWordRest,
  type Permission,
  permissionText,
  type Question,
} from './question.ts';
import type { Terminal } from './terminal.ts';
import type { Transcript } from './transcript.ts';
import type { Turn } from './turn.ts';
import { runTurn } from './turn-runner.ts';

const PROMPT = '> ';

export interface Agent {
  /** Shows the input line, and reports in the terminal's title and progress display that the agent is idle. */
  ready(): void;
  press(key: Key): void;
  /** Ends the current turn and ignores further keys. */
  stop(): void;
}

/**
 * Runs the conversation: reads keys, runs every submitted text as one turn, and queues text typed during a turn. An
 * interrupt takes effect immediately. While a question is open, keys answer it.
 */
export function createAgent(parts: {
  terminal: Terminal;
  transcript: Transcript;
  tools: ToolCaller;
  otherServers(): Promise<readonly string[]>;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  runGit: RunGit;
  /** Ends the program, so the promise never settles. */
  exit(code: number): Promise<never>;
  crash(): Promise<never>;
}): Agent {
  const { terminal, transcript, tools, cwd } = parts;
  const line = createLine(PROMPT);
  let running: AbortController | null = null;
  let question: ((key: Key) => void) | null = null;
  let wordRest: ReturnType<typeof createWordRest> | null = null;
  let queued: Key[] = [];
  let queuedBytes = 0;
  let stopped = false;
  /** The error with which the current turn will end, if any. */
  let failure: string | null = null;
  /** Tools that the user has allowed for the rest of the conversation. */
  const allowed = new Set<string>();

  const say = (text: string) => {
    transcript.agent(text);
    terminal.print(text);
  };

  /**
   * Shows a question and resolves with its answer. `onRest` receives the answer and the text that follows it in the
   * same input.
   */
  const choose = <T>(
    shown: string,
    waiting: Question<T>,
    signal: AbortSignal,
    onRest: (answer: T, rest: string) => void = () => {},
  ): Promise<T> => {
    say(shown);
    terminal.write(terminal.mark('asking'));
    wordRest = null;
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      question = (key) => {
        const { echo, answer, rest } = waiting.press(key);
        if (echo !== '') terminal.print(`${echo.trim()}\n${shown}`);
        if (answer === undefined) return;
        signal.removeEventListener('abort', stop);
        question = null;
        if (rest !== undefined) onRest(answer, rest);
        resolve(answer);
      };
    }).finally(() => {
      question = null;
      terminal.write(terminal.mark('working'));
    });
  };

  const ask = (text: string, signal: AbortSignal): Promise<boolean> =>
    choose(`? ${text} (y/n)`, createQuestion(), signal, (answer, rest) => {
      wordRest = createWordRest(answer);
      if (rest) press({ type: 'text', text: rest });
    });

  const permit = async (tool: string, what: string, signal: AbortSignal): Promise<Permission> => {
    if (allowed.has(tool)) return 'always';
    const answer = await choose(permissionText(tool, what), createPermission(), signal);
    if (answer === 'always') allowed.add(tool);
    return answer;
  };

  const turnOf = (text: string, signal: AbortSignal): Turn => ({
    cwd,
    signal,
    git: openGit(parts.runGit, cwd, parts.env, signal),
    tools,
    otherServers: parts.otherServers,
    images: () => readImages(splitImages(text).paths),
    say,
    async output(text) {
      terminal.write(text);
      await terminal.drained(signal);
    },
    sent: () => terminal.drained(signal),
    ask: (text) => ask(text, signal),
    permit: (tool, what) => permit(tool, what, signal),
    recall: (number) => transcript.recall(number),
    toolAnswer: (number) => transcript.toolAnswer(number),
    fail(words) {
      failure = words;
      terminal.print(`failed: ${words}`);
    },
    async exit(code) {
      await terminal.drained(signal);
      return parts.exit(code);
    },
    crash: parts.crash,
    protocol: null,
  });

  const startTurn = async (text: string) => {
    const turn = new AbortController();
    running = turn;
    terminal.write(terminal.mark('working'));
    try {
      failure = null;
      await runTurn(text, transcript, turnOf(text, turn.signal));
      transcript.turnEnd(failure);
    } catch (error) {
      // The error is not recorded in the transcript, because writing to the transcript may have caused the error.
      terminal.print(turn.signal.aborted ? 'interrupted' : `error: ${error instanceof Error ? error.message : error}`);
    }
    running = null;
    if (stopped) return;
    ready();
    const keys = queued;
    queued = [];
    queuedBytes = 0;
    for (const key of keys) press(key);
  };

  const ready = () => terminal.write(line.shown() + terminal.mark('idle'));

  const edit = (key: Key) => {
    if (key.type === 'enter') {
      const text = line.take();
      terminal.write('\n');
      if (text.trim() === '') terminal.write(line.shown());
      else void startTurn(text);
    } else if (key.type === 'end') {
      if (line.isEmpty()) void parts.exit(0);
    } else if (key.type === 'interrupt') {
      if (!line.isEmpty()) terminal.write(line.press({ type: 'clear' }));
    } else terminal.write(line.press(key));
  };

  const queue = (key: Key) => {
    const bytes = key.type === 'text' ? Buffer.byteLength(key.text) : key.type === 'paste' ? key.bytes : 1;
    if (queuedBytes + bytes > SCRIPTED_AHEAD_MAX_BYTES)
      return terminal.print(`[${bytes} bytes of input refused: too much input is already queued until this turn ends]`);
    queuedBytes += bytes;
    queued.push(key);
  };

  const press = (key: Key): void => {
    if (stopped) return;
    if (key.type === 'interrupt' && running) running.abort();
    else if (wordRest) {
      const { keys, over } = wordRest(key);
      if (over) wordRest = null;
      for (const one of keys) press(one);
    } else if (question && key.type !== 'paste') question(key);
    else if (running) queue(key);
    else edit(key);
  };

  const stop = () => {
    stopped = true;
    running?.abort();
  };

  return { ready, press, stop };
}
