import type { AgentSignal, ScreenContent, ScreenQuestion, ScreenReading } from '../../ports/agents.ts';
import { asShortText, type Fields, fieldsOrNull } from '../common/fields.ts';
import { readHookEvent } from '../common/hook-events.ts';
import type { KindReading } from '../common/kind.ts';
import { findOptions } from '../common/options.ts';
import { ABOVE_BOX_LINES, isRule, questionText, withoutTail } from '../common/screen-text.ts';

/**
 * Symbols at the start of the title in versions 2.1.197 and 2.1.330:
 * - a spinner while the agent works (`⠂⠐` in 2.1.197, `◐◑` in 2.1.330). Any quarter circle or braille dots count.
 * - `✳` while the agent is idle or asks, so `✳` only proves that the agent is not working.
 * A title with another symbol has no meaning.
 */
const WORKING_TITLE = /^[◐◑◒◓◴◵◶◷\u2801-\u28ff]/u;
const RESTING_TITLE = /^✳/u;

/** Hint shown while the agent works: below the input box in 2.1.330, in the spinner's line in older versions. */
const INTERRUPT = /\besc to interrupt\b/i;
/**
 * Line with the spinner: a symbol, words that end in `…`, then time and tokens (2.1.197 and 2.1.330). When Claude Code
 * repeats a request, the line contains `retrying in`.
 */
const SPINNER = /^\s*[·✢✳✶✻✽*∗]\s+(?:\S.*…|.*\bretrying in \d)/u;
/** Last line of every dialog except the plan approval. */
const DIALOG_FOOTER = /\bEsc to cancel\b/;
/** First line of the input box: `❯` and, in shell mode, `!`. Older versions used `>`. */
const PROMPT = /^[❯>!](?:[\s\u00a0]|$)/u;
/**
 * Maximum number of lines below the input box: mode, hints, background tasks, the keys that `?` lists, the user's
 * status line.
 */
const BELOW_BOX_MAX = 12;
/** Lines of a dialog that are not part of its question: a tip, or the tabs of several questions. */
const OUTSIDE_QUESTION = /^\s*(?:Tip:|[☐☒✔]\s|←.*→\s*$)/u;

function readScreen(screen: ScreenContent): ScreenReading | null {
  const lines = withoutTail(screen.lines);
  const title = screen.title?.trim() ?? '';
  const box = findBox(lines);
  if (box === null) return readDialog(lines, WORKING_TITLE.test(title));
  const below = lines.slice(box.end + 1);
  const above = lines.slice(Math.max(0, box.start - ABOVE_BOX_LINES), box.start);
  if (below.some((line) => INTERRUPT.test(line)) || hasSpinner(above)) {
    return { state: 'active', confidence: 'likely', question: null };
  }
  if (WORKING_TITLE.test(title)) return null;
  // A narrow window may cut off the hint `esc to interrupt`. Without the hint, only the title distinguishes working
  // from idle.
  const mayBeCutOff = below.some((line) => line.length >= box.width - 2 || line.endsWith('…'));
  if (mayBeCutOff && !RESTING_TITLE.test(title)) return null;
  return { state: 'idle', confidence: 'likely', question: null };
}

/** Whether a spinner is shown between the last message of the conversation and the input box. */
function hasSpinner(above: readonly string[]): boolean {
  const turn = above.findLastIndex((line) => /^●\s/u.test(line));
  return above.slice(turn + 1).some((line) => SPINNER.test(line));
}

interface Box {
  /** Indexes of the lines with the upper and lower border of the input box. */
  start: number;
  end: number;
  width: number;
}

/**
 * Finds the input box, whether or not it is empty: two horizontal lines, with the prompt symbol directly after the
 * first line, and from one to BELOW_BOX_MAX lines below the second.
 */
function findBox(lines: readonly string[]): Box | null {
  const end = lines.findLastIndex(isBorder);
  if (end < 1 || lines.length - end - 1 > BELOW_BOX_MAX) return null;
  const start = lines.findLastIndex((line, index) => index < end && isBorder(line));
  if (start < 0 || !PROMPT.test(lines[start + 1] ?? '')) return null;
  const width = lines[end]?.length ?? 0;
  const below = lines.slice(end + 1);
  // A question dialog can look like the input box, because the dialog also contains a horizontal line with answers
  // below.
  return below.some((line) => DIALOG_FOOTER.test(line)) || below.length === 0 ? null : { start, end, width };
}

function isBorder(line: string): boolean {
  return line.startsWith('─') && isRule(line);
}

function readInput({ lines }: ScreenContent): string | null {
  const box = findBox(withoutTail(lines));
  if (box === null) return null;
  const [first = '', ...more] = lines.slice(box.start + 1, box.end);
  return [first.slice(1), ...more].join('\n');
}

/** Reads a dialog. A dialog replaces the input box, and ends with a footer or with its answers. */
function readDialog(lines: readonly string[], isWorking: boolean): ScreenReading | null {
  const last = lines.at(-1) ?? '';
  const list = findOptions(lines);
  const footer = DIALOG_FOOTER.test(last);
  const endsWithList = list?.marked === true && list.numbered && list.last >= lines.length - 2;
  if (isWorking || (!footer && !endsWithList)) return null;
  const from = dialogStart(lines, list?.first ?? lines.length - 1);
  const found = list !== null && list.first > from ? list : null;
  const options = found?.options ?? (list === null ? footerOptions(last) : list.options);
  const questionLines = lines
    .slice(from, found?.first ?? lines.length - 1)
    .filter((line) => !OUTSIDE_QUESTION.test(line));
  // Every dialog has a horizontal line above the answers, and every dialog except the plan approval has a footer.
  // Without both, the list of answers may be part of the conversation.
  const confidence = footer || (from > 0 && found !== null) ? 'likely' : 'guess';
  return { state: 'asking', confidence, question: { text: questionText(questionLines), options } };
}

/** Returns the index of the first line of the dialog: after the last horizontal line above its answers. */
function dialogStart(lines: readonly string[], firstOption: number): number {
  const rule = lines.findLastIndex((line, index) => index < firstOption && isRule(line));
  return rule + 1;
}

/** Returns the options in the footer of a dialog without a list: "Enter to stay … · Esc to cancel". */
function footerOptions(footer: string): ScreenQuestion['options'] {
  const keys: Record<string, string> = { enter: '\r', 'shift+tab': '\x1b[Z', tab: '\t', esc: '\x1b' };
  return footer.split('·').flatMap((part, index) => {
    const [, key, label] = /^\s*(\S+) to (.*\S)\s*$/.exec(part) ?? [];
    const typed = keys[key?.toLowerCase() ?? ''];
    if (label === undefined || typed === undefined) return [];
    const kind = key?.toLowerCase() === 'esc' ? 'deny' : 'other';
    return [{ id: String(index + 1), label, kind, keys: typed } as const];
  });
}

/**
 * Reads a line that a hook wrote, or a line of Claude Code's status file, in which `status` is idle, busy or waiting
 * (2.1.197 and 2.1.330).
 */
function readSignal(line: unknown): AgentSignal[] {
  const data = fieldsOrNull(line);
  if (data === null) return [];
  const nativeId = asShortText(data.session_id) ?? asShortText(data.sessionId);
  switch (data.hook_event_name) {
    case 'SessionStart': {
      const switched = data.source === 'clear' || data.source === 'resume';
      return [{ type: 'conversationStarted', nativeId, ...(switched && { switched }) }];
    }
    case 'Notification':
      // Other notifications only repeat what other hooks have already reported.
      return data.notification_type === 'permission_prompt'
        ? [{ type: 'asking', nativeId, tool: null, text: asShortText(data.message) ?? '' }]
        : [];
    case 'PostToolUseFailure':
      return [{ type: 'answered', nativeId }];
    case 'StopFailure': {
      const { last_assistant_message, error_details, error } = data;
      const lastMessage = asShortText(last_assistant_message) ?? asShortText(error_details) ?? asShortText(error);
      return [{ type: 'turnEnded', nativeId, lastMessage, failed: true }];
    }
    case undefined:
      return readStatusFile(data, nativeId);
    default:
      return readHookEvent(data, nativeId, ['command', 'file_path', 'url', 'description']);
  }
}

function readStatusFile(data: Fields, nativeId: string | null): AgentSignal[] {
  if (typeof data.pid !== 'number') return [];
  if (data.status === 'busy') return [{ type: 'turnStarted', nativeId, prompt: null }];
  if (data.status === 'idle') return [{ type: 'turnEnded', nativeId, lastMessage: null }];
  if (data.status === 'waiting') {
    return [{ type: 'asking', nativeId, tool: null, text: asShortText(data.waitingFor) ?? '' }];
  }
  return [];
}

export const claudeCodeReading: KindReading = {
  readTitle: (title) => (WORKING_TITLE.test(title.trim()) ? { state: 'active', confidence: 'likely' } : null),
  // Claude Code writes progress sequences only in some terminals. It writes state 0 both at the end of a turn and when
  // it asks, so state 0 proves nothing.
  readProgress: { 0: { state: 'unknown', confidence: 'guess' } },
  readScreen,
  readInput,
  readSignal,
};
