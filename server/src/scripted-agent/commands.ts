import { setTimeout as sleep } from 'node:timers/promises';
import { SCRIPTED_RESULT_MAX_CHARS } from '@agent-console/shared/limits/scripted-agent';
import { writeInside } from './files.ts';
import { protocolCommands } from './protocol-commands.ts';
import type { Command, Turn } from './turn.ts';

/** One day in milliseconds. A longer sleep is probably a mistake. */
const SLEEP_MAX_MS = 86_400_000;
const QUOTA_MAX_SECONDS = 1_000_000;
const FLOOD_MAX_BYTES = 2 ** 40;

/** The commands of a prompt, except `@after`, which `parsePrompt` handles. */
export const commands: Record<string, Command | undefined> = {
  async say(text, turn) {
    turn.say(text);
    return undefined;
  },
  async write(rest, turn) {
    const [, path, text] = /^(\S+)(?:\s(.*))?$/.exec(rest) ?? [];
    if (path === undefined) throw new Error('usage: @write path text');
    const content = (text ?? '').replaceAll('\\n', '\n');
    await writeInside(turn.cwd, path, content);
    turn.say(`wrote ${path} (${Buffer.byteLength(content)} bytes)`);
    return undefined;
  },
  async commit(message, turn) {
    if (message === '') throw new Error('usage: @commit message');
    const hash = await turn.git.commit(message);
    turn.say(hash === null ? 'nothing to commit' : `committed ${hash} ${message}`);
    return undefined;
  },
  async merge(branch, turn) {
    if (branch === '') throw new Error('usage: @merge branch');
    turn.say(`merged ${branch}: ${await turn.git.merge(branch)}`);
    return undefined;
  },
  async tool(rest, turn) {
    const [, name, json] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
    if (name === undefined) throw new Error('usage: @tool name {json}');
    await callTool(turn, name, parseArguments(await fillAnswers(json ?? '', turn)));
    return undefined;
  },
  async servers(_rest, turn) {
    const names = await turn.otherServers();
    turn.say(`servers: ${names.length === 0 ? 'none' : names.join(', ')}`);
    return undefined;
  },
  async images(_rest, turn) {
    const images = await turn.images();
    turn.say(`images: ${images.length === 0 ? 'none' : images.join('; ')}`);
    return undefined;
  },
  async report(rest, turn) {
    const [, outcome, summary] = /^(succeeded|failed)(?:\s+(.*))?$/.exec(rest) ?? [];
    if (outcome === undefined) throw new Error('usage: @report succeeded|failed summary');
    await callTool(turn, 'report_result', { outcome, summary: summary ?? '' });
    return undefined;
  },
  async ask(question, turn) {
    const yes = await turn.ask(question);
    turn.say(`answer: ${yes ? 'yes' : 'no'}`);
    return yes ? undefined : 'end';
  },
  async permission(rest, turn) {
    const [, tool, what] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
    if (tool === undefined) throw new Error('usage: @permission tool action');
    const answer = await turn.permit(tool, what ?? '');
    turn.say(`${tool} ${answer === 'no' ? 'denied' : 'allowed'}`);
    return answer === 'no' ? 'end' : undefined;
  },
  async sleep(rest, turn) {
    await sleep(wholeNumber(rest, '@sleep ms', SLEEP_MAX_MS), undefined, { signal: turn.signal });
    return undefined;
  },
  async flood(rest, turn) {
    for (const chunk of floodChunks(wholeNumber(rest, '@flood bytes', FLOOD_MAX_BYTES))) {
      await turn.output(chunk);
      turn.signal.throwIfAborted();
    }
    return undefined;
  },
  async recall(rest, turn) {
    const number = wholeNumber(rest, '@recall number', Number.MAX_SAFE_INTEGER);
    const text = await turn.recall(number);
    if (text === null) throw new Error(`this conversation has no message ${number}`);
    turn.say(`message ${number}: ${text}`);
    return undefined;
  },
  async fail(words, turn) {
    if (words === '') throw new Error('usage: @fail error message');
    turn.fail(words);
    return 'end';
  },
  /**
   * `@quota seconds`: ends the turn with the error of a usage limit that is reset after this number of seconds. The
   * agent runs the lines below the command after the reset.
   */
  async quota(rest, turn) {
    const seconds = wholeNumber(rest, '@quota seconds', QUOTA_MAX_SECONDS);
    turn.fail(`You've hit your usage limit · resets at ${new Date(Date.now() + seconds * 1_000).toISOString()}`);
    return 'end';
  },
  async exit(rest, turn) {
    return turn.exit(rest === '' ? 0 : wholeNumber(rest, '@exit code', 255));
  },
  async crash(_rest, turn) {
    return turn.crash();
  },

  ...protocolCommands,
};

async function callTool(turn: Turn, name: string, args: Record<string, unknown>): Promise<void> {
  const answer = await turn.tools.call(name, args, turn.signal).catch((cause: Error) => {
    throw turn.signal.aborted ? cause : new Error(`tool ${name}: ${cause.message}`, { cause });
  });
  const text = answer.text.slice(0, SCRIPTED_RESULT_MAX_CHARS);
  if (answer.isError) throw new Error(`tool ${name}: ${text}`);
  turn.say(`tool ${name}: ${text}`);
}

/**
 * Replaces placeholders: `{{2.job.id}}` becomes the field `job.id` in the result of the conversation's second
 * successful tool call.
 * @throws an Error if there is no such result, the result is not a JSON object, or the field is not a text.
 */
async function fillAnswers(json: string, turn: Turn): Promise<string> {
  let filled = '';
  let end = 0;
  for (const { 0: placeholder, 1: number, 2: path = '', index } of json.matchAll(/\{\{(\d{1,6})\.([\w.]+)\}\}/g)) {
    const answer = await turn.toolAnswer(Number(number));
    if (answer === null) throw new Error(`${placeholder}: this conversation has no successful tool call ${number}`);
    const value = path.split('.').reduce((found: unknown, key) => Object(found)[key], parseArguments(answer));
    if (typeof value !== 'string')
      throw new Error(`${placeholder}: the result of tool call ${number} has no text in the field ${path}`);
    filled += json.slice(end, index) + JSON.stringify(value).slice(1, -1);
    end = index + placeholder.length;
  }
  return filled + json.slice(end);
}

function parseArguments(json: string): Record<string, unknown> {
  if (json === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Error(`usage: @tool name {json}; ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('usage: @tool name {json}; the arguments are one JSON object');
  return value as Record<string, unknown>;
}

function wholeNumber(text: string, usage: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) throw new Error(`usage: ${usage}; a whole number from 0 to ${max}`);
  return value;
}

const LINE_BYTES = 80;
const CHUNK_LINES = 800;

/**
 * Yields printable lines with exactly `bytes` bytes in the terminal's output, where each line end has two bytes (CR
 * LF). The last line may be shorter or longer than the others. If `bytes` is 1, yields one character without a line
 * end.
 */
function* floodChunks(bytes: number): Generator<string> {
  if (bytes === 1) yield '.';
  const lines = Math.floor(bytes / LINE_BYTES);
  const rest = bytes - lines * LINE_BYTES;
  // A line needs at least two bytes, so a single remaining byte is added to the previous line.
  const whole = rest === 1 ? lines - 1 : lines;
  for (let line = 0; line < whole; line += CHUNK_LINES) {
    let chunk = '';
    for (let one = line; one < Math.min(whole, line + CHUNK_LINES); one += 1) chunk += floodLine(one, LINE_BYTES);
    yield chunk;
  }
  const last = bytes - Math.max(0, whole) * LINE_BYTES;
  if (last > 1) yield floodLine(whole, last);
}

function floodLine(number: number, bytes: number): string {
  return `${`${number} ${'flood '.repeat(LINE_BYTES)}`.slice(0, bytes - 2)}\n`;
}
