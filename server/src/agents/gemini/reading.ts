import type { AgentSignal, Reading, ScreenContent, ScreenReading } from '../../ports/agents.ts';
import { asFields, asShortText, type Fields, fieldsOrNull } from '../common/fields.ts';
import type { KindReading } from '../common/kind.ts';
import { findOptions } from '../common/options.ts';
import { ABOVE_BOX_LINES, isRule, questionText, unboxed, withoutTail } from '../common/screen-text.ts';

/**
 * Meaning of the symbol at the start of the title (0.61.0). The title is padded with blanks. The words after the symbol
 * depend on settings, so they are not read. `◇` (`Ready`) is shown even before the first prompt and while a dialog is
 * open.
 */
const TITLES: readonly [RegExp, Reading][] = [
  [/^✋/u, { state: 'asking', confidence: 'likely' }],
  [/^[✦⏲]/u, { state: 'active', confidence: 'likely' }],
  [/^◇/u, { state: 'idle', confidence: 'likely' }],
];

/**
 * Line shown above the input box while the agent works: a spinner, words and, in brackets, `esc to cancel` and the
 * seconds.
 */
const STATUS = /^\s*\S\s.*\(esc to cancel\b/;
/**
 * Hint at the right end of the status row. The hint is shown even while the agent is idle. The hint is missing while a
 * person types and in a narrow window.
 */
const HINT = /^\s+\?\s\S/;
/** Maximum number of lines between the status row and the input box: a horizontal line, modes and servers. */
const BELOW_STATUS_MAX = 5;
/**
 * First line of the input box: `>` normally, `!` in shell mode, `*` if all tools are allowed. The box may have borders
 * `│ │`.
 */
const PROMPT = /^\s*(?:│\s*)?[>!*]\s/;
const BOX_TOP = /^\s*(?:▄{8,}|╭─{8,}╮|─{8,})$/;
const BOX_BOTTOM = /^\s*(?:▀{8,}|╰─{8,}╯|─{8,})$/;
/** Maximum number of lines below the input box: folder, branch, sandbox, model, their headings and a few warnings. */
const BELOW_BOX_MAX = 6;
/** Last line in the box of a question with several answers or free text. */
const QUESTION_FOOTER = /^(?:\(Press )?Enter to (?:select|submit|confirm)\b.*\bEsc to (?:cancel|go back)\b/;
/**
 * First words of the login dialog, which Gemini shows if it has no API key. Gemini would store a prompt typed there as
 * the key.
 */
const LOGIN = /^(?:How would you like to authenticate\b|Enter Gemini API Key$)/;
/** First words of the line directly above the answers of a permission dialog. */
const PERMISSION = /^(?:Allow execution\b|Apply this change\?|Do you want to\b|Do you trust\b|Would you like\b)/;
/**
 * Question that covers the input box after the end of a turn. The Enter that submits the next prompt would answer this
 * question.
 */
const LOOP = /^\?\s+A potential loop was detected\b/;

function readScreen(screen: ScreenContent): ScreenReading | null {
  const lines = withoutTail(screen.lines);
  const title = readTitle(screen.title ?? '');
  const box = findBox(lines);
  if (box === null) return readDialog(lines);
  const above = lines.slice(Math.max(0, box - ABOVE_BOX_LINES), box);
  if (isStatusShown(above)) return { state: 'active', confidence: 'likely', question: null };
  // The status disappears for a moment between two repaints, but the title does not. So the title is used if the agent
  // sets one.
  const isIdle = title === null ? isStatusEmpty(lines, box) : title.state === 'idle';
  return isIdle ? { state: 'idle', confidence: 'likely', question: null } : null;
}

/**
 * Whether the status row shows only the hint at its right end. If the row is blank, cut off or different, the agent may
 * be working.
 */
function isStatusEmpty(lines: readonly string[], box: number): boolean {
  const rule = lines.findLastIndex((line, index) => index < box && isRule(line));
  const row = lines[rule - 1] ?? '';
  if (rule < box - BELOW_STATUS_MAX || !HINT.test(row)) return false;
  return row.search(/\S/) > (lines[rule]?.length ?? 0) / 2;
}

/**
 * Whether the status is shown with at most three lines of hints between the status and the input box. A matching line
 * further up is part of the conversation.
 */
function isStatusShown(above: readonly string[]): boolean {
  const at = above.findLastIndex((line) => STATUS.test(line));
  return at >= 0 && above.slice(at + 1).filter((line) => line.trim() !== '' && !BOX_TOP.test(line)).length <= 3;
}

/** Returns the index of the first line of the input box at the bottom of the screen, or null. */
function findBox(lines: readonly string[]): number | null {
  const end = lines.findLastIndex((line) => BOX_BOTTOM.test(line));
  if (end < 0 || lines.slice(end + 1).filter((line) => line !== '').length > BELOW_BOX_MAX) return null;
  const start = lines.findLastIndex((line, index) => index < end && BOX_TOP.test(line));
  return start >= 0 && PROMPT.test(lines[start + 1] ?? '') && end < lines.length - 1 ? start : null;
}

function readInput(screen: ScreenContent): string | null {
  const lines = withoutTail(screen.lines);
  const box = findBox(lines);
  // While the status is shown, the input line counts as hidden. Gemini may still draw a question over it, and a prompt
  // must not be typed into the question.
  if (box === null || isStatusShown(lines.slice(Math.max(0, box - ABOVE_BOX_LINES), box))) return null;
  const inside = lines
    .slice(
      box + 1,
      lines.findLastIndex((line) => BOX_BOTTOM.test(line)),
    )
    .map(unboxed);
  return inside.join('\n').replace(/^\s*[>!*]/, '');
}

/**
 * Reads a dialog. A dialog replaces the input box and is drawn as a box at the end of the screen, with answers or an
 * input line inside.
 */
function readDialog(lines: readonly string[]): ScreenReading | null {
  const end = lines.length - 1;
  if (!/^\s*╰─{8,}╯$/.test(lines[end] ?? '')) return null;
  // A box inside the dialog, such as a diff, has the dialog's border at its left, so this pattern does not match it.
  const start = lines.findLastIndex((line, index) => index < end && /^\s*╭─{8,}╮$/.test(line));
  const inside = lines.slice(start + 1, end).map(unboxed);
  const list = findOptions(inside);
  const footer = inside.some((line) => QUESTION_FOOTER.test(line.trim()));
  const isFreeText = footer && list === null;
  if (!isFreeText && (list === null || !list.marked || !list.numbered)) return null;
  const above = inside.slice(0, list?.first ?? inside.findLastIndex((line) => QUESTION_FOOTER.test(line.trim())));
  const isKnownQuestion = above.some((line) => [PERMISSION, LOOP, LOGIN].some((pattern) => pattern.test(line.trim())));
  const text = questionText(above.filter((line) => !/^(?:Action Required|Answer Questions)$/.test(line.trim())));
  return {
    state: 'asking',
    confidence: footer || isKnownQuestion ? 'likely' : 'guess',
    question: {
      text: text.replace(/\n+>.*$/s, ''),
      options: (list?.options ?? []).map((option) => ({ ...option, label: option.label.replace(/ \(esc\)$/, '') })),
    },
  };
}

function readTitle(title: string): Reading | null {
  const trimmed = title.trim();
  return TITLES.find(([pattern]) => pattern.test(trimmed))?.[1] ?? null;
}

/**
 * Reads a line from a hook (0.61.0). The model's response is left out, because the hook's input contains only parts of
 * it.
 */
function readSignal(line: unknown): AgentSignal[] {
  const data = fieldsOrNull(line);
  if (data === null) return [];
  const nativeId = asShortText(data.session_id);
  switch (data.hook_event_name) {
    case 'SessionStart':
      return [{ type: 'conversationStarted', nativeId }];
    case 'BeforeAgent':
      return [{ type: 'turnStarted', nativeId, prompt: asShortText(data.prompt) }];
    case 'Notification':
      if (data.notification_type !== 'ToolPermission') return [];
      return [{ type: 'asking', nativeId, ...permissionOf(data) }];
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

function permissionOf(data: Fields): { tool: string | null; text: string } {
  const details = asFields(data.details);
  const subject = asShortText(details.command) ?? asShortText(details.fileName) ?? asShortText(details.toolName);
  const title = asShortText(details.title) ?? asShortText(data.message) ?? '';
  return {
    tool: asShortText(details.toolName) ?? asShortText(details.type),
    text: subject === null ? title : `${title}: ${subject}`,
  };
}

export const geminiReading: KindReading = { readTitle, readProgress: {}, readScreen, readInput, readSignal };
