import type { AgentSignal, AnswerOption, Reading, ScreenContent, ScreenReading } from '../../ports/agents.ts';
import { asShortText, fieldsOrNull } from '../common/fields.ts';
import { readHookEvent } from '../common/hook-events.ts';
import type { KindReading } from '../common/kind.ts';
import { byArrows, findOptions } from '../common/options.ts';
import { ABOVE_BOX_LINES, questionText, withoutTail } from '../common/screen-text.ts';

/**
 * In version 0.169.0, the title contains the folder and the conversation, after a marker of the activity:
 * - a braille spinner while the agent works, even if the screen shows no work because a response is streamed;
 * - a symbol in brackets and `Action Required` while the agent asks. The symbol blinks, so any one or two characters
 *   count.
 * A title without a marker has no meaning by itself.
 */
const WORKING_TITLE = /^[\u2801-\u28ff]/u;
const ASKING_TITLE = /^\[ .{1,2} \] Action Required\b/u;

/**
 * The line above the input box while the agent works: a bullet, the agent's current action, the time and the key that
 * interrupts.
 */
const STATUS = /^\s*[•◦]\s.*\besc to interrupt\)?/i;
/** Last line of a dialog: keys and their actions. The wording differs between dialogs. */
const DIALOG_FOOTER = /^\s*(?:press )?(?:enter|esc)\b.*\b(?:submit|confirm|continue|select|choose|cancel|back)\b/i;
/** Footer of the folder trust question (0.169.0), whose answers cannot be chosen by number. */
const ENTER_FOOTER = /^\s*enter continue\b/i;
/** First line of the input box. The chosen answer of a list begins with the same symbol, but a number follows it. */
const PROMPT = /^›(?:\s(?!\d+\.\s)|$)/u;
const BELOW_BOX_MAX = 8;
/** Lines above a question that are not part of it: indented lines of the conversation, and the dialog's page number. */
const OUTSIDE_QUESTION = /^\s*(?:\+ Show details|Worked for \S|└|Field \d+\/\d+$)/;
/** First words of a permission question, which identify the tool. */
const ASKS_COMMAND = /^Would you like to run the following command\?/;
const ASKS_EDIT = /^Would you like to make the following edits\?/;
const ASKS_MCP_TOOL = /^Allow the \S+ MCP server to run tool "([^"]+)"\?/;
/** Matches a line at the end of a conversation in which no turn is running: a turn has ended, or none has begun. */
const ENDED = /^\s*(?:Worked for \S|■ |>_ OpenAI Codex|• (?:Context compacted|Model changed))/;

function readScreen(screen: ScreenContent): ScreenReading | null {
  const lines = withoutTail(screen.lines);
  const title = screen.title?.trim() ?? null;
  const isWorking = title !== null && WORKING_TITLE.test(title);
  const box = lines.findLastIndex((line) => PROMPT.test(line));
  if (box < 0 || !isBelowBox(lines.slice(box + 1))) return isWorking ? null : readDialog(lines);
  const above = lines.slice(Math.max(0, box - ABOVE_BOX_LINES), box);
  if (above.some((line) => STATUS.test(line)) && (isWorking || isStatusLast(above))) {
    return { state: 'active', confidence: 'likely', question: null };
  }
  if (isWorking || (title !== null && ASKING_TITLE.test(title))) return null;
  // While a response is streamed, the screen looks idle. Without a title, a screen therefore counts as idle only if it
  // shows the end of the turn.
  return title !== null || endsTurn(lines.slice(0, box))
    ? { state: 'idle', confidence: 'likely', question: null }
    : null;
}

/** Whether all lines can belong to the area below the input box: more input, model, folder and hints, all indented. */
function isBelowBox(below: readonly string[]): boolean {
  const written = below.filter((line) => line !== '');
  return written.length > 0 && written.length <= BELOW_BOX_MAX && written.every((line) => line.startsWith('  '));
}

/**
 * Whether the last status line in `above` is of the current turn. If anything but queued prompts follows the line, the
 * line is part of the conversation.
 */
function isStatusLast(above: readonly string[]): boolean {
  const at = above.findLastIndex((line) => STATUS.test(line));
  return above.slice(at + 1).every((line) => line === '' || /^\s{2}|^• Queued|^\s*↳/.test(line));
}

/**
 * Reads the text in the input box that is not submitted yet. The text ends at the first blank line; the model and hints
 * may follow.
 */
function readInput(screen: ScreenContent): string | null {
  const lines = withoutTail(screen.lines);
  const box = lines.findLastIndex((line) => PROMPT.test(line));
  if (box < 0) return null;
  const below = lines.slice(box + 1);
  if (below.some((line) => line !== '' && !line.startsWith('  '))) return null;
  const blank = below.indexOf('');
  return [(lines[box] ?? '').slice(1), ...below.slice(0, Math.max(blank, 0))].join('\n');
}

function endsTurn(conversation: readonly string[]): boolean {
  const paragraph = conversation.findLastIndex((line) => line !== '');
  const last = conversation.slice(Math.max(0, paragraph - 2), paragraph + 1);
  return last.some((line) => ENDED.test(line));
}

/**
 * Reads a dialog. A dialog replaces the input box, and contains a list of answers with the chosen answer marked, and
 * keys below.
 */
function readDialog(lines: readonly string[]): ScreenReading | null {
  const list = findOptions(lines);
  if (list === null || !list.marked || !list.numbered) return null;
  const below = lines.slice(list.last + 1);
  const footer = below.some((line) => DIALOG_FOOTER.test(line));
  // Below the answers of a dialog are only indented descriptions and key hints. Any other line means that no dialog is
  // open.
  if (below.some((line) => line !== '' && !line.startsWith('  ') && !/^[↑↓]/u.test(line))) return null;
  if (below.filter((line) => line !== '').length > 4) return null;
  const questionLines = lines
    .slice(dialogStart(lines, list.first), list.first)
    .filter((line) => !OUTSIDE_QUESTION.test(line));
  const text = questionText(questionLines);
  const tool = toolIn(text);
  const options = (below.some((line) => ENTER_FOOTER.test(line)) ? byArrows(list) : list.options).map(withoutShortcut);
  return {
    state: 'asking',
    confidence: footer ? 'likely' : 'guess',
    question: { text, options, ...(tool === undefined ? {} : { tool }) },
  };
}

function toolIn(question: string): string | undefined {
  if (ASKS_COMMAND.test(question)) return 'exec_command';
  return ASKS_EDIT.test(question) ? 'apply_patch' : ASKS_MCP_TOOL.exec(question)?.[1];
}

/**
 * Returns the index of the first line of a dialog. All lines of a dialog are indented, unlike the conversation above
 * it.
 */
function dialogStart(lines: readonly string[], firstOption: number): number {
  return lines.findLastIndex((line, index) => index < firstOption && /^\S/.test(line)) + 1;
}

/** Returns an answer such as `Yes, proceed (y)` without the shortcut key in brackets. */
function withoutShortcut(option: AnswerOption): AnswerOption {
  return { ...option, label: option.label.replace(/\s+\((?:[a-z]|esc)\)$/, '') };
}

/** Reads a line from a hook or from `notify`. `notify` reports only ends of turns, including those of side threads. */
function readSignal(line: unknown): AgentSignal[] {
  const data = fieldsOrNull(line);
  if (data === null) return [];
  if (data.type === 'agent-turn-complete') {
    const lastMessage = asShortText(data['last-assistant-message']);
    const prompts = data['input-messages'];
    // `input-messages` contains all prompts of the conversation. The last prompt belongs to this turn.
    const prompt = Array.isArray(prompts) ? asShortText(prompts.at(-1)) : null;
    const nativeId = asShortText(data['thread-id']);
    return [{ type: 'turnEnded', nativeId, lastMessage, ...(prompt === null ? {} : { prompt }) }];
  }
  const nativeId = asShortText(data.session_id);
  if (data.hook_event_name === 'Interrupt') return [{ type: 'turnEnded', nativeId, lastMessage: null }];
  return readHookEvent(data, nativeId, ['command', 'description']);
}

function readTitle(text: string): Reading | null {
  const title = text.trim();
  if (ASKING_TITLE.test(title)) return { state: 'asking', confidence: 'likely' };
  return WORKING_TITLE.test(title) ? { state: 'active', confidence: 'likely' } : null;
}

export const codexReading: KindReading = { readTitle, readProgress: {}, readScreen, readInput, readSignal };
