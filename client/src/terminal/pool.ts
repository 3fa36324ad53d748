import { DASHBOARD_TERMINALS_MAX } from '@agent-console/shared/limits/dashboard';
import { LiveTerminal } from './live-terminal.ts';

/** Terminals in order of their last use, newest last. */
const live = new Map<string, LiveTerminal>();

/**
 * Returns the worker's terminal. A pooled terminal is reused, so that it shows its current state at once. While there
 * are more than DASHBOARD_TERMINALS_MAX, the least recently used hidden terminal is disposed; terminals with unsent
 * input are disposed last. When opened again, a disposed terminal starts with a screen snapshot.
 */
export function terminalOf(sessionId: string, workerId: string): LiveTerminal {
  const terminal = live.get(workerId) ?? new LiveTerminal(sessionId, workerId);
  live.delete(workerId);
  live.set(workerId, terminal);
  while (live.size > DASHBOARD_TERMINALS_MAX) {
    const hidden = [...live.values()].filter((other) => other !== terminal && other.isHidden);
    const leaving = hidden.find((other) => other.isSettled) ?? hidden[0];
    if (leaving === undefined) break;
    live.delete(leaving.workerId);
    leaving.dispose();
  }
  return terminal;
}
