export { preloadTerminal, TerminalPane } from './LazyTerminalPane.tsx';
export type { TerminalFocus } from './TerminalPane.tsx';
