/**
 * Runs rounds for many sessions or orchestrations, by id. A round takes one step. The rounds of an id follow each other
 * until nothing is left to do.
 */
export interface Rounds {
  /**
   * Takes the next steps of a session or orchestration in the background. If one of its rounds is already running,
   * another round follows.
   */
  schedule(id: string): void;
  /** Like `schedule`, but resolves when no further step can be taken now. Never rejects. */
  settle(id: string): Promise<void>;
  /**
   * Like `schedule`, but at the given time, in milliseconds since the epoch; does nothing for null. Each id has one
   * timer, which fires at the earliest time for which it was set.
   */
  scheduleAt(id: string, at: number | null): void;
  /** Resolves when no rounds are running. */
  idle(): Promise<void>;
  /** Starts no more rounds, and resolves when the running rounds have ended. */
  close(): Promise<void>;
}

interface RoundsDeps {
  now: () => Date;
  /**
   * Loads the stored state of a session or orchestration, and takes its next step. Returns whether another step may be
   * due now.
   */
  round: (id: string) => Promise<boolean>;
  /** Maximum number of consecutive rounds without waiting. More rounds indicate a bug, which is reported. */
  maxRounds: number;
  onError: (error: unknown, id: string) => void;
}

/**
 * Longest delay of a timer in milliseconds. A timer for a later time fires early and is set again, because timers do
 * not count the time in which the machine sleeps, and the clock may be adjusted.
 */
const MAX_TIMER_MS = 60_000;
/**
 * Delay in milliseconds before a failed round is repeated. A round fails, for example, if the disk is full or the
 * database is locked.
 */
const RETRY_MS = 2_000;

/**
 * Creates the rounds. Only timers and running rounds are kept in memory, so a restarted server continues from the
 * stored state.
 */
export function createRounds({ now, round, maxRounds, onError }: RoundsDeps): Rounds {
  const running = new Map<string, { again: boolean; done: Promise<void> }>();
  const timers = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  let closed = false;

  async function advance(id: string): Promise<void> {
    for (let count = 0; count < maxRounds; count += 1) {
      if (closed || !(await round(id))) return;
    }
    onError(new Error(`the work is not finished after ${maxRounds} rounds without waiting, which indicates a bug`), id);
  }

  function settle(id: string): Promise<void> {
    if (closed) return Promise.resolve();
    const current = running.get(id);
    if (current !== undefined) {
      // The running round may have loaded the state before this call, so one more round follows.
      current.again = true;
      return current.done;
    }
    const state = { again: true, done: Promise.resolve() };
    state.done = (async () => {
      try {
        while (state.again && !closed) {
          state.again = false;
          await advance(id);
        }
      } catch (error) {
        // Each round works on the stored state, so it can be repeated when this timer fires or after a later event.
        onError(error, id);
        scheduleAt(id, now().getTime() + RETRY_MS);
      } finally {
        running.delete(id);
      }
    })();
    running.set(id, state);
    return state.done;
  }

  function schedule(id: string): void {
    void settle(id);
  }

  function scheduleAt(id: string, at: number | null): void {
    if (closed || at === null) return;
    const pending = timers.get(id);
    clearTimeout(pending?.timer);
    // A pending timer is set again, because the clock may have been adjusted since.
    const earliest = Math.min(at, pending?.at ?? at);
    const delay = Math.min(Math.max(earliest - now().getTime(), 1), MAX_TIMER_MS);
    const timer = setTimeout(() => {
      timers.delete(id);
      if (now().getTime() < earliest) scheduleAt(id, earliest);
      else schedule(id);
    }, delay);
    timers.set(id, { at: earliest, timer: timer.unref() });
  }

  return {
    schedule,
    settle,
    scheduleAt,
    async idle() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
    },
    async close() {
      closed = true;
      for (const { timer } of timers.values()) clearTimeout(timer);
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
