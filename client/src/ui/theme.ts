import { create } from 'zustand';
import { readStored, writeStored } from './local-storage.ts';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Key of the theme in local storage. The page of the API reference reads the same key. */
const KEY = 'agent-console.theme';
/** Undefined outside a browser, where `matchMedia` is missing. */
const systemIsDark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');

const isTheme = (value: unknown): value is Theme => THEMES.includes(value as Theme);
const stateOf = (theme: Theme) => ({
  theme,
  isDark: theme === 'dark' || (theme === 'system' && systemIsDark?.matches === true),
});

/** The theme chosen in this browser, and whether the page is dark now. */
export const useTheme = create<{ theme: Theme; isDark: boolean }>(() => stateOf(readStored(KEY, 'system', isTheme)));

export function chooseTheme(theme: Theme): void {
  writeStored(KEY, theme === 'system' ? undefined : theme);
  useTheme.setState(stateOf(theme));
}

/** Applies the theme to the page, and follows changes by the system and by other tabs. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = useTheme.getState().theme;
  };
  apply();
  useTheme.subscribe(apply);
  systemIsDark?.addEventListener('change', () => useTheme.setState(stateOf(useTheme.getState().theme)));
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY) useTheme.setState(stateOf(readStored(KEY, 'system', isTheme)));
  });
}
