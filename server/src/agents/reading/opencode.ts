import type { AgentSignal, AnswerOption, ScreenContent, ShownQuestion } from '../../ports/agents.ts';
import type { ScreenReading } from '../kind.ts';
import type { KindReading } from './kind-reading.ts';
import { findOptions, kindOf } from './options.ts';
import { asText, withoutTail } from './screen-text.ts';
import { fields, textOf } from './signal-fields.ts';

/**
 * Read in 1.18.33. Everything has a bar `┃` at its left; the input box alone ends in a foot `╹▀▀▀`, and what stands in
 * the lines below the foot tells work from rest. A question takes the box's place, so that no foot follows it.
 */
const FOOT = /^\s*╹▀{8,}/;
const INTERRUPT = /\besc (?:again to )?interrupt\b/i;
/** Below the foot in every state of the input box; without it the foot may be the picture of a moment. */
const COMMANDS = /\bctrl\+p commands\b/;
const BELOW_FOOT_MAX = 6;
const BAR = /^\s*┃/;
/** Last line of a permission dialog: its answers in a row, then keys, of which the last are cut off in a narrow window. */
const ROW = /^\s*┃\s+(\S.*?)\s{2,}(?:ctrl\+\S+ \w+\s+)?⇆ sel/u;
/** Last line of a question: the arrows, then what Enter does. */
const LIST_FOOTER = /^\s*┃\s+.*(?:↑↓|⇆) \w+\s+enter \w+/u;

/** A refusal of what a helper asks first opens a box for its reason, which may stay empty; beside it stand its keys. */
const REFUSAL = /^\s*┃\s+△ Reject permission\s*$/u;
const REFUSAL_KEYS = /^\s*┃.*\benter confirm\s+esc cancel\b/u;

function readScreen(picture: ScreenContent): ScreenReading | null {
  const lines = withoutTail(picture.lines);
  const foot = lines.findLastIndex((line) => FOOT.test(line));
  const below = lines.slice(foot + 1).filter((line) => line.trim() !== '');
  if (foot < 0 || below.length > BELOW_FOOT_MAX || below.some((line) => BAR.test(line))) return readDialog(lines);
  if (below.some((line) => INTERRUPT.test(line))) return { state: 'active', confidence: 'likely', question: null };
  // The box has its bar and the agent's name above the foot; while the box is drawn anew, parts of it are missing.
  const whole = BAR.test(lines[foot - 1] ?? '') && BAR.test(lines[foot - 2] ?? '');
  if (!whole || !below.some((line) => COMMANDS.test(line))) return null;
  return { state: 'idle', confidence: 'likely', question: null };
}

/**
 * First line of what a command opens over the conversation, of which the left and right ends may show beside it: its name,
 * and how it is closed. The input box stays drawn below and takes no text.
 */
const OVERLAY = /\s{4}\S(?:.*\S)?\s{4,}esc(?:\/enter)?(?:\s{4}.*)?$/u;

/** A row of the list that a command or a file's name opens right above the box has a bar at its right end too. */
const MENU = /^\s*┃ .*\s{2}┃(?:\s{4}.*)?$/u;

/** Above the foot stand a blank line and the agent's name, which are no part of what is typed. */
function readLine(picture: ScreenContent): string | null {
  const lines = withoutTail(picture.lines);
  const foot = lines.findLastIndex((line) => FOOT.test(line));
  if (foot < 0 || lines.slice(foot + 1).some((line) => BAR.test(line))) return null;
  if (lines.slice(0, foot).some((line) => OVERLAY.test(line))) return null;
  const start = lines.findLastIndex((line, index) => index < foot && (!BAR.test(line) || MENU.test(line))) + 1;
  const inside = lines.slice(start, foot).map((line) => withoutSide(line.replace(BAR, '')));
  return inside.length < 2 ? null : inside.slice(0, -1).join('\n');
}

/** In a wide window a column of facts stands at the right, far from the text. */
function withoutSide(line: string): string {
  return line.replace(/\s{20,}\S.*$/, '');
}

function readDialog(lines: readonly string[]): ScreenReading | null {
  const footer = lines.findLastIndex((line) => [ROW, LIST_FOOTER, REFUSAL_KEYS].some((each) => each.test(line)));
  // Nothing but the end of the bar follows.
  if (footer < 0 || lines.slice(footer + 1).some((line) => !/^\s*┃?\s*$/.test(withoutSide(line)))) return null;
  const start = lines.findLastIndex((line, index) => index < footer && !BAR.test(line)) + 1;
  if (REFUSAL_KEYS.test(lines[footer] ?? '')) {
    const refused = lines.slice(start, footer).some((line) => REFUSAL.test(withoutSide(line)));
    return refused ? { state: 'asking', confidence: 'likely', question: REFUSING } : null;
  }
  const inside = lines.slice(start, footer).map((line) => withoutSide(line).replace(/^\s*┃ ?/, ''));
  const [, row] = ROW.exec(lines[footer] ?? '') ?? [];
  if (row !== undefined) {
    const text = asText(inside).replace(/^△ /, '');
    const tool = toolIn(text);
    const question = { text, options: inRow(row), ...(tool === undefined ? {} : { tool }) };
    return { state: 'asking', confidence: 'likely', question };
  }
  const list = findOptions(inside);
  const text = asText(inside.slice(0, list?.first ?? inside.length));
  return { state: 'asking', confidence: 'likely', question: { text, options: list?.options ?? [] } };
}

const REFUSING: ShownQuestion = {
  text: 'Reject permission',
  options: [
    { id: '1', label: 'Reject', kind: 'deny', keys: '\r' },
    { id: '2', label: 'Back to the question', kind: 'other', keys: '\x1b' },
  ],
  confirms: 'deny',
};

/** The second line of a permission question says what it is about: a command, a tool by its name, or `→ Edit file`. */
function toolIn(text: string): string | undefined {
  const [, about = ''] = text.split('\n');
  if (/^# Shell command\b/.test(about)) return 'bash';
  const [, called] = /^⚙ Call tool (\S+)/u.exec(about) ?? [];
  const [, verb] = /^→ ([A-Z][a-z]+) \S/u.exec(about) ?? [];
  return called ?? verb?.toLowerCase();
}

/**
 * Answers side by side: the first is chosen when the dialog opens, the right arrow goes on, round and round, and Escape
 * refuses. The chosen one differs in colour only. These keys never leave the mark elsewhere; where a person at the keyboard
 * has moved it, they refuse, allow once instead of always, or lead to the question that `Allow always` asks to confirm: never
 * to more than was answered.
 */
function inRow(row: string): AnswerOption[] {
  return row.split(/\s{2,}/).map((label, index) => {
    const kind = kindOf(label);
    return { id: String(index + 1), label, kind, keys: kind === 'deny' ? '\x1b' : `${'\x1b[C'.repeat(index)}\r` };
  });
}

/** One event of its own stream, as it is or wrapped as in the stream of all folders. */
function readSignal(line: unknown): AgentSignal[] {
  const given = fields(line);
  const event = fields(given?.payload) ?? given;
  const data = fields(event?.properties);
  if (event === null || data === null) return [];
  const nativeId = textOf(data.sessionID);
  switch (event.type) {
    case 'session.created':
      // A conversation with a parent is a side one.
      return fields(data.info)?.parentID === undefined
        ? [{ type: 'conversationStarted', nativeId: textOf(fields(data.info)?.id) ?? nativeId }]
        : [];
    case 'session.status': {
      const status = fields(data.status)?.type;
      if (status === 'busy' || status === 'retry') return [{ type: 'turnStarted', nativeId, prompt: null }];
      return status === 'idle' ? [{ type: 'turnEnded', nativeId, lastMessage: null }] : [];
    }
    case 'session.idle':
      return [{ type: 'turnEnded', nativeId, lastMessage: null }];
    case 'permission.asked': {
      const patterns = Array.isArray(data.patterns) ? data.patterns.filter((one) => typeof one === 'string') : [];
      const tool = textOf(data.permission);
      return [{ type: 'asking', nativeId, tool, text: [tool, ...patterns].filter((part) => part !== null).join(': ') }];
    }
    case 'question.asked': {
      const first = Array.isArray(data.questions) ? fields(data.questions[0]) : null;
      return [{ type: 'asking', nativeId, tool: null, text: textOf(first?.question) ?? '' }];
    }
    case 'permission.replied':
    case 'question.replied':
    case 'question.rejected':
      return [{ type: 'answered', nativeId }];
    case 'server.instance.disposed':
      return [{ type: 'ended', nativeId: null }];
    default:
      return [];
  }
}

/** The title names a conversation, unless titles are switched off; behind each answer stands who gave it. */
const TITLE = /^OC \| /;
const ANSWERED = /^\s*▣ {2}\S/u;

/** A fork (1.18.33) first shows an empty screen, on which Enter would begin another conversation. */
function showsConversation({ title, lines }: ScreenContent): boolean {
  return TITLE.test(title ?? '') || lines.some((line) => ANSWERED.test(line));
}

/** Its title says nothing of what it does. */
export const opencodeReading: KindReading = {
  readTitle: () => null,
  readProgress: {},
  readScreen,
  readLine,
  readSignal,
  showsConversation,
};
