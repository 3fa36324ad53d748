import { PEER_TRUSTED_MS, PROCESS_ANCESTORS_MAX } from '@agent-console/shared/limits/access';
import type { IdentitySource, PeerEvidence } from '../ports/identity.ts';
import { createHolderScan, type Holder, stillHolds } from './holders.ts';
import type { FindSocket } from './proc-net.ts';
import { lineage, processFacts, startedWith } from './proc-pid.ts';

/** The identity of the process at the other end of a connection. */
export type PeerVerdict =
  | { kind: 'worker'; workerId: string; sessionId: string }
  | { kind: 'owner' }
  | { kind: 'nobody'; reason: string };

type LiveWorker = Awaited<ReturnType<IdentitySource['liveWorkers']>>[number];

export interface PeerOptions {
  source: Pick<IdentitySource, 'liveWorkers'>;
  /**
   * Pids of this server and its runner. Their children outside workers (hooks, setup commands) get the verdict
   * `nobody`, so that they have no permissions.
   */
  ownPids: () => readonly number[];
  /** Path at which procfs is mounted. */
  proc: string;
  /** The Unix user to whom the process at the other end must belong. */
  uid: number;
  findSocket: FindSocket;
  /** Returns milliseconds of a monotonic clock. */
  now: () => number;
}

interface CachedVerdict {
  inode: number;
  holders: readonly Holder[];
  verdict: PeerVerdict;
  workers: string;
  checkedAt: number;
}

/** Environment variable with the worker's id, which the console sets for every worker. */
const WORKER_VARIABLE = 'AGENT_CONSOLE_WORKER_ID';

const nobody = (reason: string): PeerVerdict => ({ kind: 'nobody', reason });
const PROCESS_NOT_FOUND =
  'The calling process could not be found (it ended, or runs in another container): call again, or send a token.';

/**
 * Creates a function that identifies the process at the other end of a loopback connection (Linux only), and the worker
 * to which it belongs. The verdict is cached for the connection. A few small reads verify it again after
 * PEER_TRUSTED_MS, and after workers have started or ended.
 */
export function createPeerLookup(options: PeerOptions): (evidence: PeerEvidence) => Promise<PeerVerdict> {
  const { source, ownPids, proc, uid, findSocket, now } = options;
  const holdersOf = createHolderScan(proc);
  const cache = new WeakMap<object, CachedVerdict>();
  const lookups = new WeakMap<object, Promise<PeerVerdict>>();

  /**
   * Returns the verdict for one process, such as the worker to which it belongs; undefined if the process has ended or
   * cannot be inspected.
   */
  async function classify(pid: number, workers: readonly LiveWorker[]): Promise<PeerVerdict | undefined> {
    const found = await lineage(proc, pid);
    const self = found?.line[0];
    if (found === undefined || self === undefined) return undefined;
    const { line, complete } = found;
    for (const ancestor of line) {
      const worker = workers.find((one) => one.pid === ancestor.pid && one.startTime === ancestor.startTime);
      if (worker !== undefined) return { kind: 'worker', workerId: worker.workerId, sessionId: worker.sessionId };
    }
    const leader = workers.find((one) => one.pid === self.session);
    if (leader !== undefined && (await processFacts(proc, leader.pid))?.startTime === leader.startTime) {
      return { kind: 'worker', workerId: leader.workerId, sessionId: leader.sessionId };
    }
    const own = ownPids();
    if (line.some((ancestor) => own.includes(ancestor.pid))) {
      return nobody(
        'The calling process was started by the console itself, outside any worker (for example a git hook or a setup command), so it has no permissions. Send a token.',
      );
    }
    if (!complete) {
      return nobody(
        `The calling process has more than ${PROCESS_ANCESTORS_MAX} ancestors, so whether it belongs to a worker is unknown. Call from a process that is nested less deeply, or send a token.`,
      );
    }
    const marked = await startedWith(proc, pid, WORKER_VARIABLE);
    if (marked === undefined) return undefined;
    if (!marked) return { kind: 'owner' };
    return nobody(
      `The calling process has ${WORKER_VARIABLE} in its environment but does not belong to a live worker: it left its worker's process tree, or the worker ended. Start it again inside a worker, or send a token.`,
    );
  }

  async function verdictFor(
    holders: readonly Holder[],
    workers: readonly LiveWorker[],
  ): Promise<PeerVerdict | undefined> {
    const verdicts: PeerVerdict[] = [];
    for (const pid of new Set(holders.map((holder) => holder.pid))) {
      const verdict = await classify(pid, workers);
      if (verdict === undefined) return undefined;
      verdicts.push(verdict);
    }
    return leastPrivileged(verdicts);
  }

  const allHold = async (holders: readonly Holder[], inode: number) =>
    (await Promise.all(holders.map((holder) => stillHolds(proc, holder, inode)))).every(Boolean);

  async function lookUpOnce(evidence: PeerEvidence, workers: readonly LiveWorker[], key: string) {
    const owner = await findSocket(
      { address: evidence.remoteAddress, port: evidence.remotePort },
      { address: evidence.localAddress, port: evidence.localPort },
    );
    if (owner === undefined || owner.inode === 0) return undefined;
    if (owner.uid !== uid) return nobody('The calling process belongs to another Unix user: send a token.');
    const holders = await holdersOf(owner.inode);
    if (holders.length === 0) return undefined;
    const verdict = await verdictFor(holders, workers);
    // The holders must have the socket open during the whole look-up, so this is checked again after the verdict.
    if (verdict === undefined || !(await allHold(holders, owner.inode))) return undefined;
    cache.set(evidence.connection, { inode: owner.inode, holders, verdict, workers: key, checkedAt: now() });
    return verdict;
  }

  async function lookUp(evidence: PeerEvidence, workers: readonly LiveWorker[], key: string): Promise<PeerVerdict> {
    const before = cache.get(evidence.connection);
    if (before !== undefined) {
      const verdict = await verdictFor(before.holders, workers);
      if (verdict !== undefined && (await allHold(before.holders, before.inode))) {
        cache.set(evidence.connection, { ...before, verdict, workers: key, checkedAt: now() });
        return verdict;
      }
      cache.delete(evidence.connection);
    }
    return (
      (await lookUpOnce(evidence, workers, key)) ??
      (await lookUpOnce(evidence, workers, key)) ??
      nobody(PROCESS_NOT_FOUND)
    );
  }

  return async (evidence) => {
    const workers = await source.liveWorkers();
    const key = workers.map((one) => `${one.workerId} ${one.pid} ${one.startTime}`).join('\n');
    const before = cache.get(evidence.connection);
    if (before !== undefined && before.workers === key && now() - before.checkedAt < PEER_TRUSTED_MS)
      return before.verdict;
    // If a look-up for this connection is already running, waits for its result. The result is used only if no worker
    // has started or ended since that look-up began.
    const open = lookups.get(evidence.connection);
    if (open !== undefined) {
      await open;
      const after = cache.get(evidence.connection);
      if (after?.workers === key) return after.verdict;
    }
    const answer = lookUp(evidence, workers, key).finally(() => lookups.delete(evidence.connection));
    lookups.set(evidence.connection, answer);
    return answer;
  };
}

/**
 * Returns the verdict for a socket that several processes share: the verdict with the fewest permissions, or `nobody`
 * if the processes belong to different workers.
 */
function leastPrivileged(verdicts: readonly PeerVerdict[]): PeerVerdict | undefined {
  const unprivileged = verdicts.find((verdict) => verdict.kind === 'nobody');
  if (unprivileged !== undefined) return unprivileged;
  const workers = verdicts.filter((verdict) => verdict.kind === 'worker');
  if (workers.some((worker) => worker.workerId !== workers[0]?.workerId)) {
    return nobody('Processes of different workers share this connection: open a separate connection for each worker.');
  }
  return workers[0] ?? verdicts[0];
}
