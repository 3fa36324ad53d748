import type { AgentSignal, AnswerOption, ScreenContent } from '../../ports/agents.ts';
import type { Reading, ScreenReading } from '../kind.ts';
import type { KindReading } from './kind-reading.ts';
import { byArrows, findOptions } from './options.ts';
import { ABOVE_BOX_LINES, asText, withoutTail } from './screen-text.ts';
import { fields, textOf } from './signal-fields.ts';

/**
 * Read in 0.169.0. The title names folder and conversation; before them stands a braille spinner while it works, also
 * where the screen says nothing of it (words are streamed), and words in brackets while it asks. Any braille sign is
 * taken for the spinner, and any sign blinking in the brackets. A title without either says nothing by itself.
 */
const TITLE_WORKS = /^[\u2801-\u28ff]/u;
const TITLE_ASKS = /^\[ .{1,2} \] Action Required\b/u;

/** The line above the input box while it works: a bullet, what it does, the time and how to stop it. */
const STATUS = /^\s*[•◦]\s.*\besc to interrupt\)?/i;
/** What the last line of a dialog says, in one of several wordings: keys and what they do. */
const DIALOG_FOOTER = /^\s*(?:press )?(?:enter|esc)\b.*\b(?:submit|confirm|continue|select|choose|cancel|back)\b/i;
/** Of its question of trust (0.169.0), which takes no numbers. */
const TAKES_ENTER = /^\s*enter continue\b/i;
/** The input box is a line with the sign in the first column; a list's chosen answer has a number behind it. */
const PROMPT = /^›(?:\s(?!\d+\.\s)|$)/u;
const BELOW_BOX_MAX = 8;
/** Indented lines above a dialog that belong to the conversation, and its own page number. */
const NOT_ASKED = /^\s*(?:\+ Show details|Worked for \S|└|Field \d+\/\d+$)/;
/** The first words of a permission question, and the tool they are about. */
const ASKS_COMMAND = /^Would you like to run the following command\?/;
const ASKS_EDIT = /^Would you like to make the following edits\?/;
const ASKS_MCP_TOOL = /^Allow the \S+ MCP server to run tool "([^"]+)"\?/;
/** What stands last in a conversation whose turn is over, and in one that has not begun. */
const ENDED = /^\s*(?:Worked for \S|■ |>_ OpenAI Codex|• (?:Context compacted|Model changed))/;

function readScreen(picture: ScreenContent): ScreenReading | null {
  const lines = withoutTail(picture.lines);
  const title = picture.title?.trim() ?? null;
  const works = title !== null && TITLE_WORKS.test(title);
  const box = lines.findLastIndex((line) => PROMPT.test(line));
  if (box < 0 || !isBelowBox(lines.slice(box + 1))) return works ? null : readDialog(lines);
  const above = lines.slice(Math.max(0, box - ABOVE_BOX_LINES), box);
  if (above.some((line) => STATUS.test(line)) && (works || isStatusLast(above))) {
    return { state: 'active', confidence: 'likely', question: null };
  }
  if (works || (title !== null && TITLE_ASKS.test(title))) return null;
  // While words are streamed the screen looks idle; without a title only the end of the turn tells the difference.
  return title !== null || endsTurn(lines.slice(0, box))
    ? { state: 'idle', confidence: 'likely', question: null }
    : null;
}

/** Below the box stand further lines of what is typed, the model, the folder and hints, all indented. */
function isBelowBox(below: readonly string[]): boolean {
  const written = below.filter((line) => line !== '');
  return written.length > 0 && written.length <= BELOW_BOX_MAX && written.every((line) => line.startsWith('  '));
}

/** Behind the status only queued prompts may follow; further up it is part of the conversation. */
function isStatusLast(above: readonly string[]): boolean {
  const at = above.findLastIndex((line) => STATUS.test(line));
  return above.slice(at + 1).every((line) => line === '' || /^\s{2}|^• Queued|^\s*↳/.test(line));
}

/** Up to the first blank line: below it may stand more of what is typed, or the model and hints. */
function readLine(picture: ScreenContent): string | null {
  const lines = withoutTail(picture.lines);
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

/** A dialog takes the place of the input box: a list of answers with the chosen one marked, keys named below. */
function readDialog(lines: readonly string[]): ScreenReading | null {
  const list = findOptions(lines);
  if (list === null || !list.marked || !list.numbered) return null;
  const below = lines.slice(list.last + 1);
  const footer = below.some((line) => DIALOG_FOOTER.test(line));
  // Descriptions of the last answer are indented; anything else below is no dialog's end.
  if (below.some((line) => line !== '' && !line.startsWith('  ') && !/^[↑↓]/u.test(line))) return null;
  if (below.filter((line) => line !== '').length > 4) return null;
  const asked = lines.slice(dialogStart(lines, list.first), list.first).filter((line) => !NOT_ASKED.test(line));
  const text = asText(asked);
  const tool = toolIn(text);
  const options = (below.some((line) => TAKES_ENTER.test(line)) ? byArrows(list) : list.options).map(withKey);
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

/** A dialog is indented as a whole, so that the last line at the left margin above it belongs to the conversation. */
function dialogStart(lines: readonly string[], firstOption: number): number {
  return lines.findLastIndex((line, index) => index < firstOption && /^\S/.test(line)) + 1;
}

/** `Yes, proceed (y)`: the key in brackets is a shortcut and no part of the answer. */
function withKey(option: AnswerOption): AnswerOption {
  return { ...option, label: option.label.replace(/\s+\((?:[a-z]|esc)\)$/, '') };
}

/** One line of a hook, or of the `notify` program, which knows only ends of turns and also those of side threads. */
function readSignal(line: unknown): AgentSignal[] {
  const data = fields(line);
  if (data === null) return [];
  if (data.type === 'agent-turn-complete') {
    const lastMessage = textOf(data['last-assistant-message']);
    const given = data['input-messages'];
    // All prompts of the conversation, of which the last is this turn's.
    const prompt = Array.isArray(given) ? textOf(given.at(-1)) : null;
    const nativeId = textOf(data['thread-id']);
    return [{ type: 'turnEnded', nativeId, lastMessage, ...(prompt === null ? {} : { prompt }) }];
  }
  const nativeId = textOf(data.session_id);
  switch (data.hook_event_name) {
    case 'SessionStart':
      return [{ type: 'conversationStarted', nativeId }];
    case 'UserPromptSubmit':
      return [{ type: 'turnStarted', nativeId, prompt: textOf(data.prompt) }];
    case 'PermissionRequest': {
      const tool = textOf(data.tool_name);
      const input = fields(data.tool_input) ?? {};
      const about = textOf(input.command) ?? textOf(input.description);
      return [{ type: 'asking', nativeId, tool, text: [tool, about].filter((part) => part !== null).join(': ') }];
    }
    case 'PostToolUse':
      return [{ type: 'answered', nativeId }];
    case 'Stop':
      return [{ type: 'turnEnded', nativeId, lastMessage: textOf(data.last_assistant_message) }];
    case 'Interrupt':
      return [{ type: 'turnEnded', nativeId, lastMessage: null }];
    case 'SessionEnd':
      return [{ type: 'ended', nativeId }];
    default:
      return [];
  }
}

function readTitle(given: string): Reading | null {
  const title = given.trim();
  if (TITLE_ASKS.test(title)) return { state: 'asking', confidence: 'likely' };
  return TITLE_WORKS.test(title) ? { state: 'active', confidence: 'likely' } : null;
}

export const codexReading: KindReading = { readTitle, readProgress: {}, readScreen, readLine, readSignal };
