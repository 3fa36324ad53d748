/**
 * Default keys of the shortcuts that the first page needs. They are not in `shortcut-table.ts`, so that the first page
 * does not have to load the whole table.
 */
export const FIRST_PAGE_KEYS = {
  anywhere: {
    'search-or-run-a-command': '$mod+KeyK',
    'delegate-work': 'c',
    'search-all-conversations': '/',
    'show-keyboard-shortcuts': '[Shift]+?',
    'next-that-needs-you': 'n',
    'next-that-needs-you-also-while-a-question-is-open': 'g n',
  },
  goTo: {
    inbox: 'g i',
    sessions: 'g s',
    'grid-of-terminals': 'g t',
    boards: 'g b',
    runs: 'g u',
    repositories: 'g r',
    settings: 'g e',
    search: 'g /',
  },
  sessionList: {
    'choose-session-for-an-action-on-several': 'x',
    'pin-or-unpin-session': 'b',
    'next-session': 'j',
    'previous-session': 'k',
    collapse: 'h',
    expand: 'l',
    'show-or-hide-session-list': '[',
    'filter-sessions': '/',
  },
} as const;

/**
 * The shortcut that also works in text fields. Its keys have a modifier, because other keys type text.
 */
export const WHILE_TYPING = 'search-or-run-a-command';
