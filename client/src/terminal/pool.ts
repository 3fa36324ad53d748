import { PAGE_TERMINALS_MAX } from '@agent-console/shared/limits/dashboard';
import { LiveTerminal } from './live-terminal.ts';

/** Terminals in the order of their last use, the newest last. */
const live = new Map<string, LiveTerminal>();

/**
 * The terminal of a worker: the one that is alive, so that going back to it shows it as it is now, or a new one. Beyond
 * PAGE_TERMINALS_MAX the one that was out of sight the longest ends; it comes back with a picture of its screen.
 */
export function terminalOf(sessionId: string, workerId: string): LiveTerminal {
  const terminal = live.get(workerId) ?? new LiveTerminal(sessionId, workerId);
  live.delete(workerId);
  live.set(workerId, terminal);
  while (live.size > PAGE_TERMINALS_MAX) {
    const hidden = [...live.values()].filter((other) => other !== terminal && other.isHidden);
    const leaving = hidden.find((other) => other.isSettled) ?? hidden[0];
    if (leaving === undefined) break;
    live.delete(leaving.workerId);
    leaving.dispose();
  }
  return terminal;
}
