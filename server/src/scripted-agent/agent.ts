import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { splitContextLead } from '@agent-console/shared/context-lead';
import { SCRIPTED_AHEAD_MAX_BYTES, SCRIPTED_KEPT_MAX } from '@agent-console/shared/limits/scripted-agent';
import { parseNoticeBlock, REMINDER } from '@agent-console/shared/notice-block';
import { commands } from './commands.ts';
import { notePath, writeInside } from './files.ts';
import { openGit } from './git.ts';
import type { Key } from './keys.ts';
import { createLine } from './line.ts';
import type { ToolCaller } from './mcp.ts';
import { parsePrompt, type Step } from './prompt.ts';
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

const PROMPT = '> ';

export interface Agent {
  /** Shows the prompt and reports that the agent is ready for input. */
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
  mcpConfig: string | undefined;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the program. The promise never settles. */
  exit(code: number): Promise<never>;
  crash(): Promise<never>;
}): Agent {
  const { terminal, transcript, tools, cwd } = parts;
  const line = createLine(PROMPT);
  let running: AbortController | null = null;
  let question: ((key: Key) => void) | null = null;
  let wordRest: ReturnType<typeof createWordRest> | null = null;
  let ahead: Key[] = [];
  let aheadBytes = 0;
  let stopped = false;
  /** The error that ends the current turn, if any. */
  let failure: string | null = null;
  /** Tools that may be used without asking again. */
  const allowed = new Set<string>();

  const say = (text: string) => {
    transcript.agent(text);
    terminal.print(text);
  };

  /** Shows a question and resolves with its answer. `onRest` receives text typed after the answer. */
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

  const turnOf = (signal: AbortSignal): Turn => ({
    cwd,
    signal,
    git: openGit(cwd, parts.env, signal),
    tools,
    mcpConfig: parts.mcpConfig,
    say,
    async output(text) {
      terminal.write(text);
      await terminal.drained(signal);
    },
    ask: (text) => ask(text, signal),
    permit: (tool, what) => permit(tool, what, signal),
    recall: (number) => transcript.recall(number),
    fail(words) {
      failure = words;
      terminal.print(`failed: ${words}`);
    },
    async exit(code) {
      await terminal.drained(signal);
      return parts.exit(code);
    },
    crash: parts.crash,
  });

  /** Runs lines in order, even after a failed step. Returns whether the turn may continue. */
  const runLines = async (text: string, turn: Turn): Promise<boolean> => {
    const { steps, after } = parsePrompt(text);
    for (const step of steps) {
      try {
        const result = step.type === 'plain' ? await doPlain(step.text, turn) : await doCommand(step, turn);
        if (result === 'end') return false;
      } catch (error) {
        if (turn.signal.aborted) throw error;
        say(`error: ${error instanceof Error ? error.message : String(error)}`);
      }
      await terminal.drained(turn.signal);
      turn.signal.throwIfAborted();
    }
    if (after) deferLines(after);
    return true;
  };

  const deferLines = ({ argument, lines }: { argument: string; lines: string }) => {
    const remaining = /^[1-9]\d{0,5}$/.test(argument) ? Number(argument) : null;
    if (remaining === null) return say('error: usage: @after number of notices to wait for, at least 1');
    if (transcript.waitingCount() >= SCRIPTED_KEPT_MAX)
      return say(`error: ${SCRIPTED_KEPT_MAX} @after blocks are already waiting; dropping the lines after this @after`);
    transcript.defer({ remaining, lines });
    say(`waiting for ${remaining} ${remaining === 1 ? 'notice' : 'notices'}`);
  };

  const runTurn = async (text: string, signal: AbortSignal) => {
    const due = transcript.user(text);
    const notices = parseNoticeBlock(text);
    const turn = turnOf(signal);
    if (!notices) {
      if (text === REMINDER) say('reminded to report');
      else await runPrompt(text, turn);
      return;
    }
    say(`noticed ${notices.length}: ${notices.map((notice) => notice.sessionId).join(' ')}`);
    for (const { lines } of due) if (!(await runLines(lines, turn))) return;
  };

  /** Reports the context files that the prompt lists, then runs the prompt itself. */
  const runPrompt = async (text: string, turn: Turn) => {
    const { paths, prompt } = splitContextLead(text);
    for (const path of paths) {
      const facts = await stat(resolve(cwd, path)).catch(() => null);
      say(facts === null ? `context file ${path} is gone` : `context file ${path} (${facts.size} bytes)`);
    }
    await runLines(prompt, turn);
  };

  const startTurn = async (text: string) => {
    const turn = new AbortController();
    running = turn;
    terminal.write(terminal.mark('working'));
    try {
      failure = null;
      await runTurn(text, turn.signal);
      transcript.turnEnd(failure);
    } catch (error) {
      // Not recorded, because recording may be what failed.
      terminal.print(turn.signal.aborted ? 'interrupted' : `error: ${error instanceof Error ? error.message : error}`);
    }
    running = null;
    if (stopped) return;
    ready();
    const keys = ahead;
    ahead = [];
    aheadBytes = 0;
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

  const hold = (key: Key) => {
    const bytes = key.type === 'text' ? Buffer.byteLength(key.text) : key.type === 'paste' ? key.bytes : 1;
    if (aheadBytes + bytes > SCRIPTED_AHEAD_MAX_BYTES)
      return terminal.print(`[${bytes} bytes refused: too much input is queued during this turn]`);
    aheadBytes += bytes;
    ahead.push(key);
  };

  const press = (key: Key): void => {
    if (stopped) return;
    if (key.type === 'interrupt' && running) running.abort();
    else if (wordRest) {
      const { keys, over } = wordRest(key);
      if (over) wordRest = null;
      for (const one of keys) press(one);
    } else if (question && key.type !== 'paste') question(key);
    else if (running) hold(key);
    else edit(key);
  };

  const stop = () => {
    stopped = true;
    running?.abort();
  };

  return { ready, press, stop };
}

async function doCommand(step: Extract<Step, { type: 'command' }>, turn: Turn): Promise<'end' | undefined> {
  const command = Object.hasOwn(commands, step.name) ? commands[step.name] : undefined;
  if (!command)
    throw new Error(`unknown command @${step.name}; available commands: @${Object.keys(commands).join(', @')}, @after`);
  return command(step.rest, turn);
}

/** Simulates ordinary work: writes a note with the text, and commits it if the folder is in a repository. */
async function doPlain(text: string, turn: Turn): Promise<undefined> {
  const path = notePath(text, new Date());
  await writeInside(turn.cwd, path, `${text}\n`, 'wx');
  if (!(await turn.git.isRepository())) {
    turn.say(`wrote ${path} but did not commit it: not a git repository`);
    return;
  }
  const subject = (text.split(/\r\n|\r|\n/)[0] ?? '').slice(0, 60).replace(/[\ud800-\udbff]$/, '');
  turn.say(`wrote ${path} and committed it: ${await turn.git.commit(`note: ${subject}`, path)}`);
}
