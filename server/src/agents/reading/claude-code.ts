import type { AgentSignal, ScreenContent, ShownQuestion } from '../../ports/agents.ts';
import type { Reading, ScreenReading } from '../kind.ts';
import type { KindReading } from './kind-reading.ts';
import { findOptions } from './options.ts';
import { ABOVE_BOX_LINES, asText, isRule, withoutTail } from './screen-text.ts';
import { fields, textOf } from './signal-fields.ts';

/**
 * Read in 2.1.197 and 2.1.330. The title begins with a sign of its own: one that turns while it works (`⠂⠐` in 2.1.197,
 * `◐◑` in 2.1.330), `✳` while it is idle and also while it asks, so that sign tells only that no work is going on.
 * Quarter circles and braille dots are what spinners are made of; a new one degrades to a title that says nothing.
 */
const TITLE_WORKS = /^[◐◑◒◓◴◵◶◷\u2801-\u28ff]/u;
const TITLE_RESTS = /^✳/u;

/** Below the input box in 2.1.330, in the spinner's line in older ones. */
const INTERRUPT = /\besc to interrupt\b/i;
/** The spinner's line: a sign, words that end in `…`, and time and tokens behind them (both versions). */
const SPINNER = /^\s*[·✢✳✶✻✽*∗]\s+(?:\S.*…|.*\bretrying in \d)/u;
/** Last line of every dialog but the plan's, in both versions; capital E, as opposed to other agents' work. */
const DIALOG_FOOTER = /\bEsc to cancel\b/;
/** First line of the input box; `!` is its shell mode. Older versions wrote `>`. */
const PROMPT = /^[❯>!](?:[\s\u00a0]|$)/u;
/** Lines below the box: mode, hints, background tasks, the list of keys behind `?`, a status line of the user's own. */
const BELOW_BOX_MAX = 12;
/** Lines of a dialog that are no part of the question: a tip, the heads of several questions. */
const NOT_ASKED = /^\s*(?:Tip:|[☐☒✔]\s|←.*→\s*$)/u;

function readScreen(picture: ScreenContent): ScreenReading | null {
  const lines = withoutTail(picture.lines);
  const title = picture.title?.trim() ?? '';
  const box = findBox(lines);
  if (box === null) return readDialog(lines, TITLE_WORKS.test(title));
  const below = lines.slice(box.end + 1);
  const above = lines.slice(Math.max(0, box.start - ABOVE_BOX_LINES), box.start);
  if (below.some((line) => INTERRUPT.test(line)) || aboveSaysWork(above)) {
    return { state: 'active', confidence: 'likely', question: null };
  }
  if (TITLE_WORKS.test(title)) return null;
  // In a narrow window the hint that it can be interrupted may be cut off, so only the title's sign tells work from rest.
  const narrow = below.some((line) => line.length >= box.width - 2 || line.endsWith('…'));
  if (narrow && !TITLE_RESTS.test(title)) return null;
  return { state: 'idle', confidence: 'likely', question: null };
}

/** The spinner stands between the last words of the conversation and the box; only a tip or queued prompts may follow. */
function aboveSaysWork(above: readonly string[]): boolean {
  const turn = above.findLastIndex((line) => /^●\s/u.test(line));
  return above.slice(turn + 1).some((line) => SPINNER.test(line));
}

interface Box {
  /** Indexes of its two rules. */
  start: number;
  end: number;
  width: number;
}

/** Two rules with the prompt sign right behind the first, and little below: the input box, empty or not. */
function findBox(lines: readonly string[]): Box | null {
  const end = lines.findLastIndex(isBorder);
  if (end < 1 || lines.length - end - 1 > BELOW_BOX_MAX) return null;
  const start = lines.findLastIndex((line, index) => index < end && isBorder(line));
  if (start < 0 || !PROMPT.test(lines[start + 1] ?? '')) return null;
  const width = lines[end]?.length ?? 0;
  const below = lines.slice(end + 1);
  // The question dialog has a rule too, with its last answers below.
  return below.some((line) => DIALOG_FOOTER.test(line)) || below.length === 0 ? null : { start, end, width };
}

function isBorder(line: string): boolean {
  return line.startsWith('─') && isRule(line);
}

function readLine({ lines }: ScreenContent): string | null {
  const box = findBox(withoutTail(lines));
  if (box === null) return null;
  const [first = '', ...more] = lines.slice(box.start + 1, box.end);
  return [first.slice(1), ...more].join('\n');
}

/** A dialog takes the place of the input box; it has a footer of its own, or ends with its answers. */
function readDialog(lines: readonly string[], works: boolean): ScreenReading | null {
  const last = lines.at(-1) ?? '';
  const list = findOptions(lines);
  const footer = DIALOG_FOOTER.test(last);
  const ends = list?.marked === true && list.numbered && list.last >= lines.length - 2;
  if (works || (!footer && !ends)) return null;
  const from = dialogStart(lines, list?.first ?? lines.length - 1);
  const found = list !== null && list.first > from ? list : null;
  const options = found?.options ?? (list === null ? keysOf(last) : list.options);
  const text = asText(lines.slice(from, found?.first ?? lines.length - 1).filter((line) => !NOT_ASKED.test(line)));
  // The plan's dialog has no footer, but a rule above like every other.
  const confidence = footer || (from > 0 && found !== null) ? 'likely' : 'guess';
  return { state: 'asking', confidence, question: { text, options } };
}

/** The dialog begins behind the last rule that is not drawn between its answers. */
function dialogStart(lines: readonly string[], firstOption: number): number {
  const rule = lines.findLastIndex((line, index) => index < firstOption && isRule(line));
  return rule + 1;
}

/** Dialogs without a list name their keys in the footer: "Enter to stay … · shift+Tab to leave … · Esc to cancel". */
function keysOf(footer: string): ShownQuestion['options'] {
  const keys: Record<string, string> = { enter: '\r', 'shift+tab': '\x1b[Z', tab: '\t', esc: '\x1b' };
  return footer.split('·').flatMap((part, index) => {
    const [, key, label] = /^\s*(\S+) to (.*\S)\s*$/.exec(part) ?? [];
    const typed = keys[key?.toLowerCase() ?? ''];
    if (label === undefined || typed === undefined) return [];
    const kind = key?.toLowerCase() === 'esc' ? 'deny' : 'other';
    return [{ id: String(index + 1), label, kind, keys: typed } as const];
  });
}

/** One line of a hook (2.1.197, 2.1.330), or the process's status file, whose `status` is idle, busy or waiting. */
function readSignal(line: unknown): AgentSignal[] {
  const data = fields(line);
  if (data === null) return [];
  const nativeId = textOf(data.session_id) ?? textOf(data.sessionId);
  switch (data.hook_event_name) {
    case 'SessionStart': {
      const switched = data.source === 'clear' || data.source === 'resume';
      return [{ type: 'conversationStarted', nativeId, ...(switched && { switched }) }];
    }
    case 'UserPromptSubmit':
      return [{ type: 'turnStarted', nativeId, prompt: textOf(data.prompt) }];
    case 'PermissionRequest': {
      const tool = textOf(data.tool_name);
      return [{ type: 'asking', nativeId, tool, text: describe(tool, data.tool_input) }];
    }
    case 'Notification':
      // The other kinds of notification repeat, late, what the hooks above said.
      return data.notification_type === 'permission_prompt'
        ? [{ type: 'asking', nativeId, tool: null, text: textOf(data.message) ?? '' }]
        : [];
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return [{ type: 'answered', nativeId }];
    case 'Stop':
      return [{ type: 'turnEnded', nativeId, lastMessage: textOf(data.last_assistant_message) }];
    case 'StopFailure': {
      const lastMessage = textOf(data.last_assistant_message) ?? textOf(data.error_details) ?? textOf(data.error);
      return [{ type: 'turnEnded', nativeId, lastMessage, failed: true }];
    }
    case 'SessionEnd':
      return [{ type: 'ended', nativeId }];
    case undefined:
      return readStatusFile(data, nativeId);
    default:
      return [];
  }
}

function readStatusFile(data: Record<string, unknown>, nativeId: string | null): AgentSignal[] {
  if (typeof data.pid !== 'number') return [];
  if (data.status === 'busy') return [{ type: 'turnStarted', nativeId, prompt: null }];
  if (data.status === 'idle') return [{ type: 'turnEnded', nativeId, lastMessage: null }];
  if (data.status === 'waiting') {
    return [{ type: 'asking', nativeId, tool: null, text: textOf(data.waitingFor) ?? '' }];
  }
  return [];
}

/** `Bash: npm test`: the tool and the one field of its input that says what it is about. */
function describe(tool: string | null, input: unknown): string {
  const given = fields(input) ?? {};
  const about = textOf(given.command) ?? textOf(given.file_path) ?? textOf(given.url) ?? textOf(given.description);
  return [tool, about].filter((part) => part !== null).join(': ');
}

const WORKS: Reading = { state: 'active', confidence: 'likely' };

export const claudeCodeReading: KindReading = {
  readTitle: (title) => (TITLE_WORKS.test(title.trim()) ? WORKS : null),
  // Written only in some terminals: 0 at a turn's end, but also while it asks, so it says nothing sure.
  readProgress: { 0: { state: 'unknown', confidence: 'guess' } },
  readScreen,
  readLine,
  readSignal,
};
