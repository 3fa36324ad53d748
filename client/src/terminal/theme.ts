import type { ITheme } from '@xterm/xterm';
import { useTheme } from '../ui/theme.ts';

/** Colours of the terminal: each first for the light theme, then for the dark theme. */
const COLOURS = {
  background: ['#ffffff', '#16181b'],
  foreground: ['#1f2328', '#e3e6ea'],
  cursor: ['#1f2328', '#e3e6ea'],
  cursorAccent: ['#ffffff', '#16181b'],
  selectionBackground: ['#b6d7ff', '#2f4f7a'],
  black: ['#24292f', '#3b4047'],
  red: ['#b3261e', '#f2776d'],
  green: ['#176b2c', '#6cc782'],
  yellow: ['#7d5200', '#e0b050'],
  blue: ['#0b57c2', '#6ba8f5'],
  magenta: ['#7a3ab8', '#c695f0'],
  cyan: ['#0f6b75', '#5fc3cc'],
  white: ['#6a737d', '#cdd2d8'],
  brightBlack: ['#57606a', '#838b95'],
  brightRed: ['#c7362d', '#ff9d95'],
  brightGreen: ['#1c7a35', '#8fdda1'],
  brightYellow: ['#8f6000', '#f0c878'],
  brightBlue: ['#1f6feb', '#94c1ff'],
  brightMagenta: ['#8b49c9', '#d9b5fa'],
  brightCyan: ['#177e89', '#86dbe2'],
  brightWhite: ['#424a53', '#ffffff'],
} as const satisfies { [name in keyof ITheme]: readonly [string, string] };

export function currentTheme(): ITheme {
  const at = useTheme.getState().isDark ? 1 : 0;
  return Object.fromEntries(Object.entries(COLOURS).map(([name, pair]) => [name, pair[at]]));
}

/** Returns the colours of search matches: one for the active match, and one for all other matches. */
export function searchColours() {
  const [match, active] = useTheme.getState().isDark ? ['#5b4a12', '#b8860b'] : ['#ffe9a8', '#ffc53d'];
  return {
    matchBackground: match,
    activeMatchBackground: active,
    matchOverviewRuler: match,
    activeMatchColorOverviewRuler: active,
  };
}

/** Subscribes to light/dark changes; returns a function that unsubscribes. */
export function onThemeChange(listener: (theme: ITheme) => void): () => void {
  return useTheme.subscribe(({ isDark }, before) => {
    if (isDark !== before.isDark) listener(currentTheme());
  });
}
