import type { AgentSignal, ScreenContent } from '../../ports/agents.ts';
import type { Reading, ScreenReading } from '../kind.ts';
import type { KindReading } from './kind-reading.ts';
import { findOptions } from './options.ts';
import { ABOVE_BOX_LINES, asText, isRule, unboxed, withoutTail } from './screen-text.ts';
import { fields, textOf } from './signal-fields.ts';

/**
 * Read in 0.61.0, which pads its title with blanks. The sign is what tells the states apart; words behind it are left
 * alone since they follow settings. `Ready` stands there before the first prompt already, also behind a dialog.
 */
const TITLES: readonly [RegExp, Reading][] = [
  [/^✋/u, { state: 'asking', confidence: 'likely' }],
  [/^[✦⏲]/u, { state: 'active', confidence: 'likely' }],
  [/^◇/u, { state: 'idle', confidence: 'likely' }],
];

/** Above the input box while it works: a spinner, words, and in brackets how to stop it and the seconds. Small `esc`. */
const STATUS = /^\s*\S\s.*\(esc to cancel\b/;
/** At the right end of the status's row, also at rest; gone while something is typed and in windows of 60 columns. */
const HINT = /^\s+\?\s\S/;
/** From the rule below the status to the input box: modes and servers, in a narrow window one below the other. */
const BELOW_STATUS_MAX = 5;
/** The input box: `>` normally, `!` in shell mode, `*` where everything is approved; once inside `│ │`. */
const PROMPT = /^\s*(?:│\s*)?[>!*]\s/;
const BOX_TOP = /^\s*(?:▄{8,}|╭─{8,}╮|─{8,})$/;
const BOX_BOTTOM = /^\s*(?:▀{8,}|╰─{8,}╯|─{8,})$/;
/** Folder, branch, sandbox, model and their heads; with warnings a few lines more. */
const BELOW_BOX_MAX = 6;
/** Last line inside the box of a question with several answers or free text. */
const QUESTION_FOOTER = /^(?:\(Press )?Enter to (?:select|submit|confirm)\b.*\bEsc to (?:cancel|go back)\b/;
/** Asked before anything else where it has no key: a prompt typed there would be kept as one. */
const LOGIN = /^(?:How would you like to authenticate\b|Enter Gemini API Key$)/;
/** Words right above the answers of a permission dialog. */
const PERMISSION = /^(?:Allow execution\b|Apply this change\?|Do you want to\b|Do you trust\b|Would you like\b)/;
/** Stands over the input box a moment after the turn's end was reported, and would take the Enter of the next prompt. */
const LOOP = /^\?\s+A potential loop was detected\b/;

function readScreen(picture: ScreenContent): ScreenReading | null {
  const lines = withoutTail(picture.lines);
  const title = readTitle(picture.title ?? '');
  const box = findBox(lines);
  if (box === null) return readDialog(lines);
  const above = lines.slice(Math.max(0, box - ABOVE_BOX_LINES), box);
  if (statusStands(above)) return { state: 'active', confidence: 'likely', question: null };
  // Between two repaints the status is gone for a moment, while the title stays.
  const rests = title === null ? isStatusEmpty(lines, box) : title.state === 'idle';
  return rests ? { state: 'idle', confidence: 'likely', question: null } : null;
}

/**
 * Where no title tells: the status's row is seen, by its hint at the right, and nothing stands before that. A row that
 * is blank, cut off or worded in another way may as well be one of work.
 */
function isStatusEmpty(lines: readonly string[], box: number): boolean {
  const rule = lines.findLastIndex((line, index) => index < box && isRule(line));
  const row = lines[rule - 1] ?? '';
  if (rule < box - BELOW_STATUS_MAX || !HINT.test(row)) return false;
  return row.search(/\S/) > (lines[rule]?.length ?? 0) / 2;
}

/** The status is followed by hints at most; further up it would be part of the conversation. */
function statusStands(above: readonly string[]): boolean {
  const at = above.findLastIndex((line) => STATUS.test(line));
  return at >= 0 && above.slice(at + 1).filter((line) => line.trim() !== '' && !BOX_TOP.test(line)).length <= 3;
}

/** Index of the input box's first line, where it stands at the bottom of the screen; else null. */
function findBox(lines: readonly string[]): number | null {
  const end = lines.findLastIndex((line) => BOX_BOTTOM.test(line));
  if (end < 0 || lines.slice(end + 1).filter((line) => line !== '').length > BELOW_BOX_MAX) return null;
  const start = lines.findLastIndex((line, index) => index < end && BOX_TOP.test(line));
  return start >= 0 && PROMPT.test(lines[start + 1] ?? '') && end < lines.length - 1 ? start : null;
}

function readLine(picture: ScreenContent): string | null {
  const lines = withoutTail(picture.lines);
  const box = findBox(lines);
  // It reports the end of a turn before it comes to rest; what it asks then is drawn over the box.
  if (box === null || statusStands(lines.slice(Math.max(0, box - ABOVE_BOX_LINES), box))) return null;
  const inside = lines
    .slice(
      box + 1,
      lines.findLastIndex((line) => BOX_BOTTOM.test(line)),
    )
    .map(unboxed);
  return inside.join('\n').replace(/^\s*[>!*]/, '');
}

/** A dialog takes the place of the input box: a box that ends the screen, with answers or an input line inside. */
function readDialog(lines: readonly string[]): ScreenReading | null {
  const end = lines.length - 1;
  if (!/^\s*╰─{8,}╯$/.test(lines[end] ?? '')) return null;
  // Boxes inside the box (a diff, a command) are drawn behind its own border.
  const start = lines.findLastIndex((line, index) => index < end && /^\s*╭─{8,}╮$/.test(line));
  const inside = lines.slice(start + 1, end).map(unboxed);
  const list = findOptions(inside);
  const footer = inside.some((line) => QUESTION_FOOTER.test(line.trim()));
  const typed = footer && list === null;
  if (!typed && (list === null || !list.marked || !list.numbered)) return null;
  const above = inside.slice(0, list?.first ?? inside.findLastIndex((line) => QUESTION_FOOTER.test(line.trim())));
  const asked = above.some((line) => [PERMISSION, LOOP, LOGIN].some((each) => each.test(line.trim())));
  const text = asText(above.filter((line) => !/^(?:Action Required|Answer Questions)$/.test(line.trim())));
  return {
    state: 'asking',
    confidence: footer || asked ? 'likely' : 'guess',
    question: {
      text: text.replace(/\n+>.*$/s, ''),
      options: (list?.options ?? []).map((option) => ({ ...option, label: option.label.replace(/ \(esc\)$/, '') })),
    },
  };
}

function readTitle(title: string): Reading | null {
  const trimmed = title.trim();
  return TITLES.find(([sign]) => sign.test(trimmed))?.[1] ?? null;
}

/** One line of a hook, as 0.61.0 writes them. What it answers is left out: the hook repeats words of it. */
function readSignal(line: unknown): AgentSignal[] {
  const data = fields(line);
  if (data === null) return [];
  const nativeId = textOf(data.session_id);
  switch (data.hook_event_name) {
    case 'SessionStart':
      return [{ type: 'conversationStarted', nativeId }];
    case 'BeforeAgent':
      return [{ type: 'turnStarted', nativeId, prompt: textOf(data.prompt) }];
    case 'Notification':
      if (data.notification_type !== 'ToolPermission') return [];
      return [{ type: 'asking', nativeId, ...permission(data) }];
    case 'AfterTool':
      return [{ type: 'answered', nativeId }];
    case 'AfterAgent':
      return [{ type: 'turnEnded', nativeId, lastMessage: null }];
    case 'SessionEnd':
      return [{ type: 'ended', nativeId }];
    default:
      return [];
  }
}

function permission(data: Record<string, unknown>): { tool: string | null; text: string } {
  const details = fields(data.details) ?? {};
  const about = textOf(details.command) ?? textOf(details.fileName) ?? textOf(details.toolName);
  const title = textOf(details.title) ?? textOf(data.message) ?? '';
  return {
    tool: textOf(details.toolName) ?? textOf(details.type),
    text: about === null ? title : `${title}: ${about}`,
  };
}

export const geminiReading: KindReading = { readTitle, readProgress: {}, readScreen, readLine, readSignal };
