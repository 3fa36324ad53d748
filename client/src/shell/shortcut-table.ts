import { FIRST_PAGE_KEYS, WHILE_TYPING } from './first-page-keys.ts';
import type { ShortcutId } from './shortcut-labels.ts';

/** Default keys of all shortcuts, in the syntax of tinykeys, by the region of a page in which they work. */
export const KEYS = {
  ...FIRST_PAGE_KEYS,
  session: {
    'answer-the-agent-s-question': 'a',
    'show-terminal': 't',
    'show-conversation': 'v',
    'show-diff': 'd',
    'show-events': 'e',
    'focus-the-terminal': 'i',
    'focus-the-prompt': 'p',
    'rename-session': 'r',
    'show-sessions-that-change-the-same-files': 'Shift+O',
    'show-or-hide-details': ']',
  },
  conversation: {
    'next-turn': 'j',
    'previous-turn': 'k',
    'search-in-the-conversation': '/',
  },
  diff: {
    'next-file': 'j',
    'previous-file': 'k',
    'next-hunk': ']',
    'previous-hunk': '[',
    'comment-on-the-selected-lines': 'c',
    'next-file-that-is-not-viewed': 'Shift+J',
    'focus-mode-hide-session-list-and-details': 'f',
    'mark-file-as-viewed-and-go-to-the-next': 'x',
    'expand-or-collapse-file': 'o',
    'switch-between-unified-and-split': 'u',
    'show-or-hide-whitespace-changes': 'w',
    'filter-files': '/',
    'send-comments': 's',
  },
  finish: {
    commit: 'Shift+C',
    'discard-uncommitted-changes': 'Shift+D',
    'update-from-the-base-branch': 'Shift+U',
    merge: 'Shift+M',
    'push-or-create-a-pull-request': 'Shift+P',
    'run-the-check-command': 'Shift+R',
    'undo-the-last-merge': 'Shift+Z',
  },
  inbox: {
    'next-item': 'j',
    'previous-item': 'k',
    'open-session': 'Enter',
    'open-in-place': 'l',
    close: 'h',
    'answer-or-reply': 'a',
    'mark-as-read': 'm',
    'mark-everything-shown-as-read': 'Shift+M',
    'undo-marking-as-read': 'u',
    filter: '/',
  },
  board: {
    'next-card': 'j',
    'previous-card': 'k',
    'column-to-the-left': 'h',
    'column-to-the-right': 'l',
    'answer-the-question-on-the-card': 'a',
    'move-the-card': 'm',
    'move-the-card-down': 'Shift+J',
    'move-the-card-up': 'Shift+K',
    'filter-cards': 'f',
    'show-columns-or-a-list': 'v',
    'new-board': '+',
  },
  grid: {
    'next-terminal': 'j',
    'previous-terminal': 'k',
  },
  runs: {
    'next-run': 'j',
    'previous-run': 'k',
    'new-run': '+',
    'filter-runs': '/',
  },
  run: {
    'show-the-graph': 'm',
    'show-the-table': 't',
    'show-the-events': 'e',
    'start-the-run': 'Shift+S',
    'pause-the-run': 'Shift+P',
    'pause-the-run-and-interrupt-its-agents': 'Shift+I',
    'resume-the-run': 'Shift+R',
    'cancel-the-run': 'Shift+X',
    'add-an-agent': '+',
  },
  repositories: {
    'add-repository': '+',
  },
  search: {
    'edit-the-search': '/',
    'next-result': 'j',
    'previous-result': 'k',
  },
} as const satisfies Readonly<Record<string, Partial<Record<ShortcutId, string>>>>;

export type Region = keyof typeof KEYS;

/**
 * Name of each region in the list of shortcuts. `hint` describes keys and gestures of the region that are not
 * shortcuts.
 */
export const REGIONS: Readonly<Record<Region, { name: string; hint?: string }>> = {
  anywhere: { name: 'Anywhere' },
  goTo: { name: 'Go to' },
  sessionList: { name: 'Session list' },
  session: { name: 'Session' },
  conversation: { name: 'Conversation' },
  diff: {
    name: 'Diff',
    hint: 'To select lines, drag over their numbers, or use ↑, ↓ or the keys for the next and previous hunk. Shift extends the selection.',
  },
  finish: { name: 'Commit, merge and push' },
  inbox: { name: 'Inbox' },
  board: { name: 'Board', hint: 'The arrow keys also move the focus between cards. Enter opens the focused card.' },
  grid: { name: 'Grid of terminals' },
  runs: { name: 'Runs' },
  run: { name: 'Run' },
  repositories: { name: 'Repositories' },
  search: { name: 'Search', hint: 'A message matches if it contains all words. Put a phrase in quotation marks.' },
};

/**
 * Regions of each page, in addition to the regions that every page has. The shortcuts of a region that is later in a
 * list take precedence, because they are registered later (see also `GENERAL` in `shortcuts.ts`).
 */
const PAGES: readonly (readonly Region[])[] = [
  ['sessionList', 'session', 'conversation'],
  ['sessionList', 'session', 'diff', 'finish'],
  ['inbox'],
  ['board'],
  ['grid'],
  ['runs'],
  ['run'],
  ['repositories'],
  ['search'],
];
const EVERYWHERE: readonly Region[] = ['anywhere', 'goTo'];

/** Whether shortcuts of both regions can be active at the same time. */
export function areTogether(one: Region, other: Region): boolean {
  if (one === other || EVERYWHERE.includes(one) || EVERYWHERE.includes(other)) return true;
  return PAGES.some((regions) => regions.includes(one) && regions.includes(other));
}

export interface TableRow {
  id: ShortcutId;
  region: Region;
  defaultKeys: string;
}

/** All shortcuts, region by region. */
export const SHORTCUTS: readonly TableRow[] = (Object.keys(KEYS) as Region[]).flatMap((region) =>
  Object.entries(KEYS[region]).map(([id, defaultKeys]) => ({ id: id as ShortcutId, region, defaultKeys })),
);

const BY_ID = new Map(SHORTCUTS.map((row) => [row.id, row]));

export function rowOf(id: ShortcutId): TableRow {
  const row = BY_ID.get(id);
  if (row === undefined) throw new Error(`The shortcut “${id}” has no keys. Add them to a region in KEYS.`);
  return row;
}

/** Whether the shortcut also works in text fields, so that its keys need a modifier. */
export function worksWhileTyping(id: ShortcutId): boolean {
  return id === WHILE_TYPING;
}
