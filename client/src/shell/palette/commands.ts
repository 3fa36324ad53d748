import type { NavigateOptions } from '@tanstack/react-router';
import type { SettingsSection } from '../../features/settings/sections.ts';
import { chooseTheme, useTheme } from '../../ui/theme.ts';
import { openDialog } from '../dialogs.ts';
import type { PAGES } from '../pages.ts';
import type { ShortcutId } from '../shortcut-labels.ts';
import type { Findable } from './rank.ts';

/** A command that does not act on a session. */
export interface Command extends Findable {
  id: string;
  group: 'create' | 'go';
  /** Shortcut that runs the same command. */
  shortcut?: ShortcutId;
  run(palette: { query: string; navigate(to: NavigateOptions): void }): void;
}

export const COMMANDS: readonly Command[] = [
  {
    id: 'delegate',
    group: 'create',
    title: 'Delegate work…',
    aliases: ['new task'],
    shortcut: 'delegate-work',
    keywords: ['new', 'worktree', 'agent', 'prompt', 'task'],
    run: () => openDialog({ kind: 'delegate' }),
  },
  {
    id: 'start',
    group: 'create',
    title: 'New session…',
    aliases: ['start session'],
    keywords: ['start', 'create', 'worktree', 'directory', 'agent'],
    run: () => openDialog({ kind: 'startSession' }),
  },
  {
    id: 'run',
    group: 'create',
    title: 'New run…',
    keywords: ['orchestration', 'several', 'agents', 'parallel', 'pipeline'],
    run: () => openDialog({ kind: 'newRun' }),
  },
  {
    id: 'board',
    group: 'create',
    title: 'New board…',
    keywords: ['create', 'kanban', 'columns', 'zones'],
    run: () => openDialog({ kind: 'board' }),
  },
  {
    id: 'repository',
    group: 'create',
    title: 'Add repository…',
    aliases: ['new repository'],
    keywords: ['register', 'clone', 'git'],
    run: () => openDialog({ kind: 'addRepository' }),
  },
  {
    id: 'theme',
    group: 'go',
    title: 'Switch between dark and light theme',
    aliases: ['dark', 'light', 'theme', 'dark mode', 'light mode'],
    keywords: ['appearance', 'colors', 'colours', 'mode', 'night', 'system'],
    run: () => chooseTheme(useTheme.getState().isDark ? 'light' : 'dark'),
  },
  {
    id: 'shortcuts',
    group: 'go',
    title: 'Show keyboard shortcuts',
    shortcut: 'show-keyboard-shortcuts',
    keywords: ['keys', 'help', 'bindings'],
    run: () => openDialog({ kind: 'keys' }),
  },
];

/** Further words by which the pages are found. They are not in `PAGES`, because the first page does not need them. */
export const PAGE_KEYWORDS: Readonly<Record<(typeof PAGES)[number]['to'], readonly string[]>> = {
  '/inbox': ['questions', 'needs', 'you'],
  '/sessions': ['tree', 'list'],
  '/terminals': ['live', 'screens', 'watch'],
  '/boards': ['kanban', 'columns', 'state'],
  '/runs': ['orchestrations'],
  '/repositories': ['worktrees', 'branches', 'git'],
  '/settings': ['preferences', 'options', 'configuration'],
};

/** Further words by which the sections of the settings are found. */
export const SECTION_WORDS: Readonly<Record<SettingsSection, Omit<Findable, 'title'>>> = {
  general: { keywords: ['preferences', 'options', 'limits', 'defaults'] },
  agents: { keywords: ['claude', 'codex', 'commands', 'check', 'log', 'in', 'installed'] },
  'mcp-servers': { aliases: ['mcp'], keywords: ['tools'] },
  appearance: { keywords: ['theme', 'dark', 'light', 'colors', 'colours', 'font'] },
  keys: { aliases: ['keys', 'shortcuts'], keywords: ['bindings', 'hotkeys'] },
  tokens: { aliases: ['tokens', 'logins'], keywords: ['access', 'log', 'in', 'devices'] },
  users: { keywords: ['people', 'accounts', 'access'] },
  events: { keywords: ['history', 'activity'] },
  audit: { aliases: ['audit'], keywords: ['calls', 'refused', 'history'] },
  about: { keywords: ['version', 'build'] },
};
