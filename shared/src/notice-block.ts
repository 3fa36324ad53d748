import { shortId } from './ids.ts';
import { NOTICE_SUMMARY_MAX_CHARS } from './limits/sessions.ts';
import type { Notice, NoticeKind } from './models/notice.ts';

/** The fields of a notice that `formatNoticeBlock` writes. */
export type NoticeFacts = Pick<Notice, 'kind' | 'status' | 'outcomeSource' | 'certain' | 'summary'> & {
  about: Pick<Notice['about'], 'sessionId' | 'title'> & Partial<Pick<Notice['about'], 'orchestrationId'>>;
};

/** One notice of a parsed block. */
export interface NoticeItem {
  kind: NoticeKind;
  /** The type of the entity that the notice is about. `id` contains the first 18 characters of the entity's id. */
  noun: 'session' | 'orchestration';
  id: string;
  title: string;
  /**
   * Status of the task or orchestration that the notice is about; null for a notice without a status, such as a
   * message.
   */
  status: string | null;
  outcomeSource: string | null;
  certain: boolean | null;
  summary: string;
}

const END = '[end of agent-console notices]';
const INDENT = '    ';
const FIRST = /^\[agent-console notices: (\d{1,6})\]$/;
const ITEM =
  /^- (ended|waiting|message|conflict) (session|orchestration) ([0-9A-Za-z-]{1,18}) ("(?:[^"\\]|\\.)*")(?: ([a-z_]+)(?: \(([a-z]+), (certain|uncertain)\))?)?: (.*)$/;

/**
 * Formats notices as the marked block that the console types to an agent. Each notice begins a line, and the block has
 * no trailing newline. The first and last line show that the text comes from the console. No notice can imitate them:
 * titles are quoted, further lines of a summary are indented, and `[` is replaced by `(` in text that looks like the
 * first or last line. Control characters are dropped, and summaries are cut at NOTICE_SUMMARY_MAX_CHARS.
 */
export function formatNoticeBlock(notices: readonly NoticeFacts[]): string {
  const items = notices.map(({ kind, about, status, outcomeSource, certain, summary }) => {
    const title = JSON.stringify(clean(about.title).replaceAll('\n', ' '));
    const source = outcomeSource ? ` (${word(outcomeSource)}, ${certain ? 'certain' : 'uncertain'})` : '';
    const state = status ? ` ${word(status)}${source}` : '';
    const lines = cut(clean(summary)).split('\n').join(`\n${INDENT}`);
    const subject =
      about.orchestrationId == null
        ? `session ${shortId(about.sessionId)}`
        : `orchestration ${shortId(about.orchestrationId)}`;
    return `- ${kind} ${subject} ${title}${state}: ${lines}`;
  });
  return [`[agent-console notices: ${notices.length}]`, ...items, END].join('\n');
}

/** Parses a notice block. Returns null if the text as a whole is not one well-formed block. */
export function parseNoticeBlock(text: string): NoticeItem[] | null {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  const count = FIRST.exec(lines[0] ?? '')?.[1];
  if (count === undefined || lines.length < 2 || lines.at(-1) !== END) return null;
  const notices: NoticeItem[] = [];
  for (const line of lines.slice(1, -1)) {
    const last = notices.at(-1);
    if (last && line.startsWith(INDENT)) {
      last.summary += `\n${line.slice(INDENT.length)}`;
      continue;
    }
    const notice = parseItem(line);
    if (!notice) return null;
    notices.push(notice);
  }
  return notices.length === Number(count) ? notices : null;
}

function parseItem(line: string): NoticeItem | null {
  const [, kind, noun, id, title, status, outcomeSource, certain, summary] = ITEM.exec(line) ?? [];
  if (!kind || !noun || !id || !title || summary === undefined) return null;
  try {
    return {
      kind: kind as NoticeKind,
      noun: noun as NoticeItem['noun'],
      id,
      title: String(JSON.parse(title)),
      status: status ?? null,
      outcomeSource: outcomeSource ?? null,
      certain: certain === undefined ? null : certain === 'certain',
      summary,
    };
  } catch {
    return null;
  }
}

/**
 * Normalises line ends to newlines. Drops control characters and direction overrides, because they could hide text.
 * Replaces `[` by `(` in text that looks like the first or last line of a notice block.
 */
function clean(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\[(?=\s*(?:end of )?agent-console notices)/gi, '(');
}

function cut(text: string): string {
  if (text.length <= NOTICE_SUMMARY_MAX_CHARS) return text;
  const kept = text.slice(0, NOTICE_SUMMARY_MAX_CHARS).replace(/[\ud800-\udbff]$/, '');
  return `${kept} ... (${text.length - kept.length} more characters)`;
}

function word(text: string): string {
  return text.toLowerCase().replace(/[^a-z_]/g, '') || 'unknown';
}

/** Reminder that is typed once to an idle agent that ended its turn without reporting the outcome of its task. */
export const REMINDER =
  '[agent-console reminder] You have not reported yet. If your task is done, or cannot be done, call the tool report_result with the outcome and a short summary; otherwise continue your work.';

/**
 * Text that the console types once to an agent whose turn ended at the limit of its subscription, after the reset of
 * the limit.
 */
export const CONTINUE_AFTER_QUOTA =
  '[agent-console] The usage limit that ended your last turn has been reset. Continue where you stopped, without repeating what is done.';
