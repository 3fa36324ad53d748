import { ConsoleError } from '@agent-console/shared/errors';
import type { ProcessIdentity } from '../port.ts';
import { type ProcessStat, sendSignal, sessionMembers } from '../processes.ts';

const POLL_MIN_MS = 5;
const POLL_MAX_MS = 100;
/**
 * Maximum time in milliseconds to wait for processes to end after SIGKILL. A process that survives longer is stuck in
 * the kernel.
 */
const KILL_LIMIT_MS = 5_000;

/**
 * Ends a process and all other processes of its Unix session, including those that moved to another group or survived
 * their leader. Sends SIGHUP, SIGTERM and SIGCONT, and SIGKILL after `graceMs`.
 * @param leader the process that was started as the leader of its own session and group.
 * @param leaderEnded whether the leader has been reaped.
 * @throws TIMEOUT when a process survives SIGKILL.
 */
export async function endSession(leader: ProcessIdentity, graceMs: number, leaderEnded: () => boolean): Promise<void> {
  let isTerminated = false;
  const terminate = (found: readonly ProcessStat[]) => {
    if (!isTerminated) signalAll(leader, leaderEnded(), found, ['SIGHUP', 'SIGTERM', 'SIGCONT']);
    isTerminated = true;
  };
  if (await tryUntilGone(leader, graceMs, leaderEnded, terminate)) return;
  const force = (found: readonly ProcessStat[]) => signalAll(leader, leaderEnded(), found, ['SIGKILL']);
  if (await tryUntilGone(leader, KILL_LIMIT_MS, leaderEnded, force)) return;
  throw new ConsoleError(
    'TIMEOUT',
    `Process ${leader.pid} did not end after SIGKILL. It is probably stuck in the kernel. Try again later`,
    { pid: leader.pid },
  );
}

async function tryUntilGone(
  leader: ProcessIdentity,
  limitMs: number,
  leaderEnded: () => boolean,
  sendSignals: (found: readonly ProcessStat[]) => void,
): Promise<boolean> {
  const until = performance.now() + limitMs;
  for (let wait = POLL_MIN_MS; ; wait = Math.min(wait * 2, POLL_MAX_MS)) {
    const found = await members(leader);
    if (leaderEnded() && found.length === 0) return true;
    sendSignals(found);
    const remaining = until - performance.now();
    if (remaining <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, remaining)));
  }
}

function signalAll(
  leader: ProcessIdentity,
  leaderEnded: boolean,
  found: readonly ProcessStat[],
  signals: readonly NodeJS.Signals[],
): void {
  for (const signal of signals) {
    // A leader that has not been reaped still owns its pid and process group, so the signal cannot reach another
    // process.
    if (!leaderEnded) sendSignal(-leader.pid, signal);
    for (const member of found) {
      if (leaderEnded || member.group !== leader.pid) sendSignal(member.pid, signal);
    }
  }
}

/** Returns the processes of the leader's session; empty if a later process has reused the leader's pid. */
async function members(leader: ProcessIdentity): Promise<ProcessStat[]> {
  const found = await sessionMembers(leader.pid);
  const present = found.find(({ pid }) => pid === leader.pid);
  return present !== undefined && present.startTime !== leader.startTime ? [] : found;
}
