/** Loads the code of the terminal. Pages call this before they show a terminal, so that it appears sooner. */
export const loadTerminal = () => import('./TerminalPane.tsx');
