import type { AgentSignal, AnswerOption, ScreenContent, ScreenQuestion, ScreenReading } from '../../ports/agents.ts';
import { asFields, asShortText, fieldsOrNull } from '../common/fields.ts';
import type { KindReading } from '../common/kind.ts';
import { findOptions, kindOf } from '../common/options.ts';
import { questionText, withoutTail } from '../common/screen-text.ts';

/**
 * In version 1.18.33, messages and boxes have a bar `┃` at their left. Only the input box ends in a foot `╹▀▀▀`, and
 * the lines below the foot distinguish working from idle. A question replaces the input box, so no foot follows the
 * question.
 */
const FOOT = /^\s*╹▀{8,}/;
const INTERRUPT = /\besc (?:again to )?interrupt\b/i;
/**
 * Hint that is shown below the input box in every state of the agent. If the hint is missing, the screen may be
 * half-painted.
 */
const COMMANDS = /\bctrl\+p commands\b/;
const BELOW_FOOT_MAX = 6;
const BAR = /^\s*┃/;
/** Last line of a permission dialog: the answers side by side, then keys. A narrow window cuts off the last key. */
const ROW = /^\s*┃\s+(\S.*?)\s{2,}(?:ctrl\+\S+ \w+\s+)?⇆ sel/u;
/** Last line of a question: the arrow keys, then the action of Enter. */
const LIST_FOOTER = /^\s*┃\s+.*(?:↑↓|⇆) \w+\s+enter \w+/u;

/**
 * When a person refuses a subagent's question, opencode opens a box in which a reason can be typed. The reason may stay
 * empty. The box shows the keys that confirm and cancel.
 */
const REFUSAL = /^\s*┃\s+△ Reject permission\s*$/u;
const REFUSAL_KEYS = /^\s*┃.*\benter confirm\s+esc cancel\b/u;

function readScreen(screen: ScreenContent): ScreenReading | null {
  const lines = withoutTail(screen.lines);
  const foot = lines.findLastIndex((line) => FOOT.test(line));
  const below = lines.slice(foot + 1).filter((line) => line.trim() !== '');
  if (foot < 0 || below.length > BELOW_FOOT_MAX || below.some((line) => BAR.test(line))) return readDialog(lines);
  if (below.some((line) => INTERRUPT.test(line))) return { state: 'active', confidence: 'likely', question: null };
  // The last two lines inside the input box are a blank line and the agent's name, both after the bar. They may be
  // missing while the box is repainted.
  const isComplete = BAR.test(lines[foot - 1] ?? '') && BAR.test(lines[foot - 2] ?? '');
  if (!isComplete || !below.some((line) => COMMANDS.test(line))) return null;
  return { state: 'idle', confidence: 'likely', question: null };
}

/**
 * First line of an overlay that a command opens: the overlay's name and how to close it. Parts of the conversation may
 * be visible to the left and right of the overlay. The input box is still drawn below but receives no text.
 */
const OVERLAY = /\s{4}\S(?:.*\S)?\s{4,}esc(?:\/enter)?(?:\s{4}.*)?$/u;

/**
 * A row of the list above the input box from which a command or file name is completed. The row has a bar at both ends.
 */
const MENU = /^\s*┃ .*\s{2}┃(?:\s{4}.*)?$/u;

/**
 * Reads the text in the input box that is not submitted yet. Below the text, the box contains only a blank line and the
 * agent's name.
 */
function readInput(screen: ScreenContent): string | null {
  const lines = withoutTail(screen.lines);
  const foot = lines.findLastIndex((line) => FOOT.test(line));
  if (foot < 0 || lines.slice(foot + 1).some((line) => BAR.test(line))) return null;
  if (lines.slice(0, foot).some((line) => OVERLAY.test(line))) return null;
  const start = lines.findLastIndex((line, index) => index < foot && (!BAR.test(line) || MENU.test(line))) + 1;
  const inside = lines.slice(start, foot).map((line) => withoutSidebar(line.replace(BAR, '')));
  return inside.length < 2 ? null : inside.slice(0, -1).join('\n');
}

/**
 * Removes the sidebar: in a wide window, a column at the right with information about the session. At least 20 blanks
 * separate it from the text.
 */
function withoutSidebar(line: string): string {
  return line.replace(/\s{20,}\S.*$/, '');
}

function readDialog(lines: readonly string[]): ScreenReading | null {
  const footer = lines.findLastIndex((line) => [ROW, LIST_FOOTER, REFUSAL_KEYS].some((pattern) => pattern.test(line)));
  // Below the footer of a dialog, there are at most blank rows and rows with only the dialog's bar. Any other text
  // means that no dialog is open.
  if (footer < 0 || lines.slice(footer + 1).some((line) => !/^\s*┃?\s*$/.test(withoutSidebar(line)))) return null;
  const start = lines.findLastIndex((line, index) => index < footer && !BAR.test(line)) + 1;
  if (REFUSAL_KEYS.test(lines[footer] ?? '')) {
    const refused = lines.slice(start, footer).some((line) => REFUSAL.test(withoutSidebar(line)));
    return refused ? { state: 'asking', confidence: 'likely', question: CONFIRM_REFUSAL } : null;
  }
  const inside = lines.slice(start, footer).map((line) => withoutSidebar(line).replace(/^\s*┃ ?/, ''));
  const [, row] = ROW.exec(lines[footer] ?? '') ?? [];
  if (row !== undefined) {
    const text = questionText(inside).replace(/^△ /, '');
    const tool = toolIn(text);
    const question = { text, options: optionsInRow(row), ...(tool === undefined ? {} : { tool }) };
    return { state: 'asking', confidence: 'likely', question };
  }
  const list = findOptions(inside);
  const text = questionText(inside.slice(0, list?.first ?? inside.length));
  return { state: 'asking', confidence: 'likely', question: { text, options: list?.options ?? [] } };
}

const CONFIRM_REFUSAL: ScreenQuestion = {
  text: 'Reject permission',
  options: [
    { id: '1', label: 'Reject', kind: 'deny', keys: '\r' },
    { id: '2', label: 'Back to the question', kind: 'other', keys: '\x1b' },
  ],
  confirms: 'deny',
};

/**
 * Returns the tool of a permission question, read from its second line: `# Shell command`, `⚙ Call tool <name>`, or an
 * action with its file such as `→ Edit <file>`.
 */
function toolIn(text: string): string | undefined {
  const [, subject = ''] = text.split('\n');
  if (/^# Shell command\b/.test(subject)) return 'bash';
  const [, called] = /^⚙ Call tool (\S+)/u.exec(subject) ?? [];
  const [, verb] = /^→ ([A-Z][a-z]+) \S/u.exec(subject) ?? [];
  return called ?? verb?.toLowerCase();
}

/**
 * Returns answers that are shown side by side. At first the first answer is chosen; the right arrow chooses the next
 * answer and wraps around; Escape refuses. The chosen answer differs only in colour, so it cannot be read from the
 * screen. If a person has moved the choice, the keys may select another answer, but never one that allows more than the
 * intended answer.
 */
function optionsInRow(row: string): AnswerOption[] {
  return row.split(/\s{2,}/).map((label, index) => {
    const kind = kindOf(label);
    return { id: String(index + 1), label, kind, keys: kind === 'deny' ? '\x1b' : `${'\x1b[C'.repeat(index)}\r` };
  });
}

/** Reads an event of opencode's event stream. opencode's stream for all folders wraps each event in `payload`. */
function readSignal(line: unknown): AgentSignal[] {
  const envelope = fieldsOrNull(line);
  const event = fieldsOrNull(envelope?.payload) ?? envelope;
  const data = fieldsOrNull(event?.properties);
  if (event === null || data === null) return [];
  const nativeId = asShortText(data.sessionID);
  switch (event.type) {
    case 'session.created': {
      const { id, parentID } = asFields(data.info);
      // A conversation with a parent belongs to a subagent, so its start is not reported.
      return parentID === undefined ? [{ type: 'conversationStarted', nativeId: asShortText(id) ?? nativeId }] : [];
    }
    case 'session.status': {
      const status = asFields(data.status).type;
      if (status === 'busy' || status === 'retry') return [{ type: 'turnStarted', nativeId, prompt: null }];
      return status === 'idle' ? [{ type: 'turnEnded', nativeId, lastMessage: null }] : [];
    }
    case 'session.idle':
      return [{ type: 'turnEnded', nativeId, lastMessage: null }];
    case 'permission.asked': {
      const patterns = Array.isArray(data.patterns)
        ? data.patterns.filter((pattern) => typeof pattern === 'string')
        : [];
      const tool = asShortText(data.permission);
      return [{ type: 'asking', nativeId, tool, text: [tool, ...patterns].filter((part) => part !== null).join(': ') }];
    }
    case 'question.asked': {
      const first = Array.isArray(data.questions) ? asFields(data.questions[0]) : {};
      return [{ type: 'asking', nativeId, tool: null, text: asShortText(first.question) ?? '' }];
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

/**
 * Evidence that the screen shows a conversation: the conversation's name in the title, or, if titles are turned off,
 * the agent's name after a response.
 */
const TITLE = /^OC \| /;
const ANSWERED = /^\s*▣ {2}\S/u;

/**
 * Whether the screen shows a conversation. On the empty first screen of a fork (1.18.33), Enter would begin a new
 * conversation.
 */
function showsConversation({ title, lines }: ScreenContent): boolean {
  return TITLE.test(title ?? '') || lines.some((line) => ANSWERED.test(line));
}

/**
 * The functions that read opencode's activity. opencode's title does not show whether the agent is working, so no
 * activity is read from it.
 */
export const opencodeReading: KindReading = {
  readTitle: () => null,
  readProgress: {},
  readScreen,
  readInput,
  readSignal,
  showsConversation,
};
