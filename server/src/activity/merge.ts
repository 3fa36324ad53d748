import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';

/**
 * The state of an agent as one source reports it. All times are in milliseconds of the same clock. Offsets are
 * positions in the output log.
 */
export interface Observation {
  source: Exclude<ActivitySource, 'person' | 'process'>;
  /** State that the source reports; null if it no longer reports one. */
  state: ActivityState | null;
  confidence: Confidence;
  offset: number;
  at: number;
  /** Whether the observation is the agent's own report that a turn has started. */
  startsTurn?: boolean;
}

/** The agent's state, derived from the observations of all sources. */
export interface Activity {
  state: ActivityState;
  confidence: Confidence;
  source: ActivitySource;
  /** Offset in the output log after the signal that determined `state`. */
  offset: number;
  /** Sources that report another state than `state`, most trusted first. */
  disputed: readonly Dispute[];
}

export interface ActivityMerger {
  /** Adds an observation and returns the resulting activity. */
  observe(observation: Observation): Activity;
  /** Adds a person's correction of the activity, which is valid until a newer observation contradicts it. */
  correct(state: ActivityState, position: { offset: number; at: number }): Activity;
  /** Records that the process has ended. The agent's activity then stays unknown, whatever the screen still shows. */
  end(position: { offset: number; at: number }): Activity;
  /** Returns the activity at the time `at` if no observation arrives before that time. */
  evaluate(at: number): Activity;
  /** Returns the time at which the activity may change without another observation, or null if it cannot. */
  dueAt(): number | null;
  readonly current: Activity;
}

/** Sources, most trusted first. `process` is not included, because it reports only that the process has ended. */
const SOURCES_BY_TRUST = ['protocol', 'hook', 'title', 'screen', 'output'] as const satisfies ActivitySource[];

type Source = (typeof SOURCES_BY_TRUST)[number];

/**
 * Time in milliseconds for which a source must contradict a more trusted source to overrule it. Hooks can be overruled
 * too, because they miss changes. In Claude Code, Escape fires no hook, and an answered question fires a hook only
 * after the tool has run.
 */
const OVERRULES_AFTER_MS: Readonly<Record<Source, number>> = {
  protocol: 0,
  hook: 0,
  // A title and a hook show the same change at most 100 ms apart. If they contradict each other for longer, the title
  // is right.
  title: 1_000,
  // A screen may still show the previous turn for a moment, so it must contradict a more trusted source for longer than
  // a title.
  screen: 2_000,
  // The amount of output never overrules another source.
  output: Number.POSITIVE_INFINITY,
};
/**
 * Time in milliseconds after which a source's report that the agent is working expires unless repeated. A working agent
 * changes its screen several times a second.
 */
const STALE_WORK_MS = 60_000;
/** Sources whose report that the agent is working expires after STALE_WORK_MS. */
const EXPIRING: ReadonlySet<Source> = new Set<Source>(['screen', 'output']);
/**
 * Sources in which the agent itself reports its state. Such a state does not expire, but another source can overrule
 * it.
 */
const REPORTS: ReadonlySet<Source> = new Set<Source>(['protocol', 'hook']);
/**
 * Time in milliseconds with two uses:
 * - When no source reports a state any more, the last state stays valid for this time.
 * - If neither the title nor the screen has shown a turn that the agent itself reported, the turn ends only after one
 *   of them has looked idle for this time. Gemini, for example, looks idle for seconds while it accepts a long paste.
 */
const RETAINED_MS = 30_000;

/** The state that a source currently reports: unchanged since `since`, last repeated at `at`. */
interface Claim {
  state: ActivityState;
  confidence: Confidence;
  offset: number;
  since: number;
  at: number;
}

/**
 * Creates a merger, which derives one activity from the states that all sources report. The most trusted source wins,
 * unless a less trusted source contradicts it for OVERRULES_AFTER_MS. All other states that contradict the activity are
 * listed as disputes.
 */
export function createActivityMerger(initial?: Omit<Activity, 'disputed'> & { at: number }): ActivityMerger {
  const claims = new Map<Source, Claim>();
  /** Sources, such as the title, that have confirmed the turn whose start the agent last reported. */
  let observedBy = new Set<Source>();
  let person: { state: ActivityState; offset: number; before: Map<Source, ActivityState>; stored: boolean } | null =
    null;
  let ended = false;
  let evidenceAt = initial?.at ?? Number.NEGATIVE_INFINITY;
  let overruled: Dispute[] = [];
  let current: Activity = initial
    ? { ...pick(initial), disputed: [] }
    : { state: 'unknown', confidence: 'guess', source: 'output', offset: 0, disputed: [] };
  if (initial && initial.state !== 'unknown') {
    if (initial.source === 'person')
      person = { state: initial.state, offset: initial.offset, before: new Map(), stored: true };
    else if (initial.source !== 'process')
      claims.set(initial.source, { ...pick(initial), since: initial.at, at: initial.at });
  }

  function record({ source, state, confidence, offset, at }: Observation): void {
    if (state === null) {
      if (claims.delete(source)) evidenceAt = Math.max(evidenceAt, at);
      return;
    }
    evidenceAt = Math.max(evidenceAt, at);
    const before = claims.get(source);
    const isSame = before?.state === state && before.confidence === confidence;
    claims.set(source, {
      state,
      confidence,
      offset: isSame ? before.offset : offset,
      since: isSame ? before.since : at,
      at,
    });
    // Deletes older, contradicting states of less trusted sources, unless this observation is only a guess. The deleted
    // states are out of date, so they must not count as disputes.
    for (const other of SOURCES_BY_TRUST.slice(SOURCES_BY_TRUST.indexOf(source) + 1)) {
      const claim = claims.get(other);
      if (claim && claim.state !== state && claim.at <= at && confidence !== 'guess') claims.delete(other);
    }
  }

  /**
   * Records which sources have confirmed the turn whose start the agent last reported. A source may have confirmed it
   * shortly before the agent's report.
   */
  function followTurn({ source, state, confidence, startsTurn }: Observation): void {
    if (startsTurn)
      observedBy = new Set(currentClaims().flatMap(([each, claim]) => (observesTurn(each, claim) ? [each] : [])));
    if (observesTurn(source, { state, confidence })) observedBy.add(source);
  }

  /**
   * Whether this source or a more trusted source has confirmed the turn that the agent last reported as started. The
   * agent's own reports do not confirm it.
   */
  function hasObservedTurn(source: Source): boolean {
    return SOURCES_BY_TRUST.slice(0, SOURCES_BY_TRUST.indexOf(source) + 1).some((each) => observedBy.has(each));
  }

  /**
   * Returns an array with the time at which `source` overrules the more trusted source `trusted`. The array is empty if
   * `source` never does so.
   */
  function overrulesAt(source: Source, claim: Claim, [trusted, above]: [Source, Claim]): number[] {
    if (claim.state === above.state || claim.at <= above.at || claim.confidence === 'guess') return [];
    if (above.confidence === 'guess') return [];
    const ends = claim.state === 'idle' && above.state === 'active' && REPORTS.has(trusted);
    const wait = ends && !hasObservedTurn(source) ? RETAINED_MS : 0;
    return [Math.max(claim.since, above.at) + Math.max(OVERRULES_AFTER_MS[source], wait)];
  }

  /**
   * Whether an observation ends a person's correction: its source must report a changed state that differs from the
   * correction. After a restart, the first report of a source is no change, because it repeats an earlier report.
   */
  function contradictsPerson({ source, state, confidence }: Observation): boolean {
    if (person === null || state === null || confidence === 'guess') return false;
    const before = person.before.get(source);
    person.before.set(source, state);
    return state !== person.state && state !== before && !(person.stored && before === undefined);
  }

  function merge(now: number): Activity {
    if (ended) return current;
    if (person !== null) {
      const others = currentClaims().filter(([, claim]) => claim.state !== person?.state);
      return {
        state: person.state,
        confidence: 'certain',
        source: 'person',
        offset: person.offset,
        disputed: others.map(dispute),
      };
    }
    expire(now);
    const claimed = currentClaims();
    const confidentClaims = claimed.filter(([, claim]) => claim.confidence !== 'guess');
    let leader = confidentClaims[0] ?? claimed[0];
    if (leader === undefined) return withoutClaims(now);
    for (const candidate of confidentClaims) {
      const [source, claim] = candidate;
      const [above] = leader;
      if (source === above || !overrulesAt(source, claim, leader).some((at) => at <= now)) continue;
      overruled = [dispute(leader)];
      claims.delete(above);
      leader = candidate;
    }
    const [source, claim] = leader;
    if (
      claim.state === 'unknown' ||
      overruled.some((other) => other.source === source || other.state === claim.state)
    ) {
      overruled = [];
    }
    const others = currentClaims().filter(([, other]) => other.state !== claim.state);
    const disputed = [...overruled, ...others.map(dispute)];
    const isContradicted = others.some(([, other]) => other.confidence !== 'guess');
    return {
      ...pick({ ...claim, source }),
      confidence: isContradicted ? lower(claim.confidence) : claim.confidence,
      disputed,
    };
  }

  function expire(now: number): void {
    for (const source of EXPIRING) {
      const claim = claims.get(source);
      if (claim?.state === 'active' && now - claim.at >= STALE_WORK_MS) claims.delete(source);
    }
  }

  function withoutClaims(now: number): Activity {
    if (now - evidenceAt < RETAINED_MS || current.state === 'unknown') return current;
    overruled = [];
    return { state: 'unknown', confidence: 'guess', source: 'output', offset: current.offset, disputed: [] };
  }

  function currentClaims(): [Source, Claim][] {
    return SOURCES_BY_TRUST.flatMap((source) => {
      const claim = claims.get(source);
      return claim ? [[source, claim] as [Source, Claim]] : [];
    });
  }

  return {
    get current() {
      return current;
    },
    observe(observation) {
      if (ended) return current;
      if (contradictsPerson(observation)) person = null;
      followTurn(observation);
      record(observation);
      current = merge(observation.at);
      return current;
    },
    correct(state, { offset, at }) {
      const before = new Map(currentClaims().map(([source, claim]) => [source, claim.state]));
      // Deletes the reported states that contradict the correction. Otherwise, they would apply again when the
      // correction ends.
      for (const [source, claim] of currentClaims()) if (claim.state !== state) claims.delete(source);
      person = { state, offset, before, stored: false };
      evidenceAt = at;
      current = merge(at);
      return current;
    },
    end({ offset }) {
      ended = true;
      claims.clear();
      current = { state: 'unknown', confidence: 'certain', source: 'process', offset, disputed: [] };
      return current;
    },
    evaluate(at) {
      current = merge(at);
      return current;
    },
    dueAt() {
      if (ended || person !== null) return null;
      const claimed = currentClaims();
      const times = claimed.flatMap(([source, claim], index) => [
        ...claimed.slice(0, index).flatMap((above) => overrulesAt(source, claim, above)),
        ...(EXPIRING.has(source) && claim.state === 'active' ? [claim.at + STALE_WORK_MS] : []),
      ]);
      if (claimed.length === 0 && current.state !== 'unknown') times.push(evidenceAt + RETAINED_MS);
      const next = Math.min(...times);
      return Number.isFinite(next) ? next : null;
    },
  };
}

function observesTurn(source: Source, { state, confidence }: Pick<Observation, 'state' | 'confidence'>): boolean {
  return !REPORTS.has(source) && confidence !== 'guess' && (state === 'active' || state === 'asking');
}

function pick(from: Omit<Activity, 'disputed'>): Omit<Activity, 'disputed'> {
  return { state: from.state, confidence: from.confidence, source: from.source, offset: from.offset };
}

function dispute([source, claim]: [Source, Claim]): Dispute {
  return { source, state: claim.state };
}

function lower(confidence: Confidence): Confidence {
  return confidence === 'certain' ? 'likely' : 'guess';
}
