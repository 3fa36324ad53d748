import type { ISearchOptions } from '@xterm/addon-search';
import type { ITheme } from '@xterm/xterm';

type ISearchDecorationOptions = NonNullable<ISearchOptions['decorations']>;

const LIGHT: ITheme = {
  background: '#ffffff',
  foreground: '#1f2328',
  cursor: '#1f2328',
  cursorAccent: '#ffffff',
  selectionBackground: '#b6d7ff',
  black: '#24292f',
  red: '#b3261e',
  green: '#176b2c',
  yellow: '#7d5200',
  blue: '#0b57c2',
  magenta: '#7a3ab8',
  cyan: '#0f6b75',
  white: '#6a737d',
  brightBlack: '#57606a',
  brightRed: '#c7362d',
  brightGreen: '#1c7a35',
  brightYellow: '#8f6000',
  brightBlue: '#1f6feb',
  brightMagenta: '#8b49c9',
  brightCyan: '#177e89',
  brightWhite: '#424a53',
};

const DARK: ITheme = {
  background: '#16181b',
  foreground: '#e3e6ea',
  cursor: '#e3e6ea',
  cursorAccent: '#16181b',
  selectionBackground: '#2f4f7a',
  black: '#3b4047',
  red: '#f2776d',
  green: '#6cc782',
  yellow: '#e0b050',
  blue: '#6ba8f5',
  magenta: '#c695f0',
  cyan: '#5fc3cc',
  white: '#cdd2d8',
  brightBlack: '#838b95',
  brightRed: '#ff9d95',
  brightGreen: '#8fdda1',
  brightYellow: '#f0c878',
  brightBlue: '#94c1ff',
  brightMagenta: '#d9b5fa',
  brightCyan: '#86dbe2',
  brightWhite: '#ffffff',
};

const dark = matchMedia('(prefers-color-scheme: dark)');

export function systemTheme(): ITheme {
  return dark.matches ? DARK : LIGHT;
}

/** Colours of search matches and the active match. */
export function searchColours(): ISearchDecorationOptions {
  const [match, active] = dark.matches ? ['#5b4a12', '#b8860b'] : ['#ffe9a8', '#ffc53d'];
  return {
    matchBackground: match,
    activeMatchBackground: active,
    matchOverviewRuler: match,
    activeMatchColorOverviewRuler: active,
  };
}

/** Subscribes to light/dark changes; returns a function that unsubscribes. */
export function onSystemTheme(listener: (theme: ITheme) => void): () => void {
  const change = () => listener(systemTheme());
  dark.addEventListener('change', change);
  return () => dark.removeEventListener('change', change);
}
