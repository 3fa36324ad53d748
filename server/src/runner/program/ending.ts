import { ConsoleError } from '@agent-console/shared/errors';
import type { ProcessIdentity } from '../port.ts';
import { readStat, sendSignal, sessionMembers } from '../processes.ts';

const LOOK_MIN_MS = 5;
const LOOK_MAX_MS = 100;
/** A process that SIGKILL does not end within this time hangs in the kernel. */
const KILL_LIMIT_MS = 5_000;

/**
 * Ends a process and everything that still belongs to its terminal session, also what moved to another process group
 * or was left behind by a leader that has ended: asks (SIGHUP, SIGTERM), waits `graceMs`, forces (SIGKILL).
 * @param leader the process that we started as the leader of its own session and group.
 * @param leaderEnded whether it has been reaped.
 * @throws TIMEOUT when a process survives SIGKILL.
 */
export async function endSession(leader: ProcessIdentity, graceMs: number, leaderEnded: () => boolean): Promise<void> {
  const ask = () => {
    for (const signal of ['SIGHUP', 'SIGTERM', 'SIGCONT'] as const) signalAll(leader, leaderEnded(), signal);
  };
  if (await tryUntilGone(leader, graceMs, leaderEnded, once(ask))) return;
  const force = () => signalAll(leader, leaderEnded(), 'SIGKILL');
  if (await tryUntilGone(leader, KILL_LIMIT_MS, leaderEnded, force)) return;
  throw new ConsoleError('TIMEOUT', `Process ${leader.pid} does not end although it was forced to`, {
    pid: leader.pid,
  });
}

async function tryUntilGone(
  leader: ProcessIdentity,
  limitMs: number,
  leaderEnded: () => boolean,
  act: () => void,
): Promise<boolean> {
  const until = performance.now() + limitMs;
  for (let wait = LOOK_MIN_MS; ; wait = Math.min(wait * 2, LOOK_MAX_MS)) {
    act();
    if (leaderEnded() && members(leader).length === 0) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, left)));
  }
}

function signalAll(leader: ProcessIdentity, leaderEnded: boolean, signal: NodeJS.Signals): void {
  // While the leader is not reaped, its pid can mean nobody else, nor can its group.
  if (!leaderEnded) sendSignal(-leader.pid, signal);
  for (const member of members(leader)) {
    if (leaderEnded || member.group !== leader.pid) sendSignal(member.pid, signal);
  }
}

/** Processes of the leader's session; none when its pid belongs to a later process by now. */
function members(leader: ProcessIdentity) {
  const present = readStat(leader.pid);
  if (present !== undefined && present.startTime !== leader.startTime) return [];
  return sessionMembers(leader.pid);
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
