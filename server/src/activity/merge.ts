import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';

/** What one source says at one moment. Times are milliseconds of one clock, offsets those of the output log. */
export interface Observation {
  source: Exclude<ActivitySource, 'person' | 'process'>;
  /** Null when the source says nothing any more. */
  state: ActivityState | null;
  confidence: Confidence;
  offset: number;
  at: number;
  /** The agent itself says that a turn begins. */
  startsTurn?: boolean;
}

/** What all sources together say. */
export interface Activity {
  state: ActivityState;
  confidence: Confidence;
  source: ActivitySource;
  /** Place in the output log behind the sign that decided. */
  offset: number;
  /** Sources that say otherwise, the most trusted first. */
  disputed: readonly Dispute[];
}

export interface ActivityMerger {
  /** Takes what a source says and answers what is so now. */
  observe(observation: Observation): Activity;
  /** Takes a person's correction, which holds until a source says something newer to the contrary. */
  correct(state: ActivityState, place: { offset: number; at: number }): Activity;
  /** The process ended: it neither works nor waits nor asks, whatever is still on its screen. */
  end(place: { offset: number; at: number }): Activity;
  /** What is so at a later moment, when nothing new was seen. */
  look(at: number): Activity;
  /** When `look` may have something new to say, or null. */
  dueAt(): number | null;
  readonly current: Activity;
}

/** Most trusted first. What a process uses is no source of what it is at; a process only tells its own end. */
const TRUST = ['protocol', 'hook', 'title', 'screen', 'output'] as const satisfies ActivitySource[];

type Source = (typeof TRUST)[number];

/**
 * A source that contradicts a more trusted one, with newer evidence and for this long, is believed: Escape fires no hook
 * in Claude Code, and an answered question fires one only when the tool has run. Titles and hooks of one event come
 * within a tenth of a second; a screen may show the last turn for a moment. Rates of output never overrule anything.
 * Rest is newer evidence than a reported turn only where something of the turn was seen: Gemini hands a paste of 100 kB
 * over for seconds while its title and screen, painted again and again, still show the rest before.
 */
const OVERRULES_AFTER_MS: Readonly<Record<Source, number>> = {
  protocol: 0,
  hook: 0,
  title: 1_000,
  screen: 2_000,
  output: Number.POSITIVE_INFINITY,
};
/** Work leaves traces several times a second in every agent's screen; a picture of work this old is no sign of it. */
const WORK_SEEN_MS = 60_000;
/** The sources that observe. Those by which the agent speaks itself stand until it says something else. */
const FADING: ReadonlySet<Source> = new Set<Source>(['screen', 'output']);
/** The agent's own words. */
const OWN: ReadonlySet<Source> = new Set<Source>(['protocol', 'hook']);
/** Without any evidence, what was last known is kept this long; also where all evidence is as old as the turn. */
const KNOWN_MS = 30_000;

/** A source's word as it stands: `since` when it was first given in a row, `at` when last. */
interface Claim {
  state: ActivityState;
  confidence: Confidence;
  offset: number;
  since: number;
  at: number;
}

/**
 * Merges what the sources say. The most trusted word stands; a less trusted one counts where it is newer, stays, and is
 * more than a guess. What contradicts and does not win is shown beside the state, whose confidence is lowered.
 * Pure but for its memory: the clock is in the observations.
 */
export function createActivityMerger(initial?: Omit<Activity, 'disputed'> & { at: number }): ActivityMerger {
  const claims = new Map<Source, Claim>();
  /** The sources that showed something of the turn whose start was reported last. */
  let showed = new Set<Source>();
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

  function take({ source, state, confidence, offset, at }: Observation): void {
    if (state === null) {
      if (claims.delete(source)) evidenceAt = Math.max(evidenceAt, at);
      return;
    }
    evidenceAt = Math.max(evidenceAt, at);
    const before = claims.get(source);
    const stands = before?.state === state && before.confidence === confidence;
    claims.set(source, {
      state,
      confidence,
      offset: stands ? before.offset : offset,
      since: stands ? before.since : at,
      at,
    });
    // What less trusted sources said before is older news.
    for (const other of TRUST.slice(TRUST.indexOf(source) + 1)) {
      const claim = claims.get(other);
      if (claim && claim.state !== state && claim.at <= at && confidence !== 'guess') claims.delete(other);
    }
  }

  /** Also keeps what stands when a turn starts: signs of it may come a moment before its report. */
  function followTurn({ source, state, confidence, startsTurn }: Observation): void {
    if (startsTurn) showed = new Set(standing().flatMap(([one, claim]) => (showsTurn(one, claim) ? [one] : [])));
    if (showsTurn(source, { state, confidence })) showed.add(source);
  }

  /** This source or one trusted more, other than the agent itself, showed the turn, so that its word of rest is news. */
  function hasSeenTurn(source: Source): boolean {
    return TRUST.slice(0, TRUST.indexOf(source) + 1).some((one) => showed.has(one));
  }

  /** When a claim will overrule a contradicting one of a more trusted source, if nothing changes; empty for never. */
  function overrulesAt(source: Source, claim: Claim, [trusted, above]: [Source, Claim]): number[] {
    if (claim.state === above.state || claim.at <= above.at || claim.confidence === 'guess') return [];
    if (above.confidence === 'guess') return [];
    const ends = claim.state === 'idle' && above.state === 'active' && OWN.has(trusted);
    const wait = ends && !hasSeenTurn(source) ? KNOWN_MS : 0;
    return [Math.max(claim.since, above.at) + Math.max(OVERRULES_AFTER_MS[source], wait)];
  }

  /**
   * A person's word falls with the first source that changes its own to something else. After a restart the first word
   * of a source is what it said before.
   */
  function contradictsPerson({ source, state, confidence }: Observation): boolean {
    if (person === null || state === null || confidence === 'guess') return false;
    const before = person.before.get(source);
    person.before.set(source, state);
    return state !== person.state && state !== before && !(person.stored && before === undefined);
  }

  function decide(now: number): Activity {
    if (ended) return current;
    if (person !== null) {
      const others = standing().filter(([, claim]) => claim.state !== person?.state);
      return {
        state: person.state,
        confidence: 'certain',
        source: 'person',
        offset: person.offset,
        disputed: others.map(dispute),
      };
    }
    expire(now);
    const words = standing();
    const firm = words.filter(([, claim]) => claim.confidence !== 'guess');
    let leader = firm[0] ?? words[0];
    if (leader === undefined) return nothingKnown(now);
    for (const word of firm) {
      const [source, claim] = word;
      const [above] = leader;
      if (source === above || !overrulesAt(source, claim, leader).some((at) => at <= now)) continue;
      overruled = [dispute(leader)];
      claims.delete(above);
      leader = word;
    }
    const [source, claim] = leader;
    if (claim.state === 'unknown' || overruled.some((one) => one.source === source || one.state === claim.state)) {
      overruled = [];
    }
    const others = standing().filter(([, other]) => other.state !== claim.state);
    const disputed = [...overruled, ...others.map(dispute)];
    const weaker = others.some(([, other]) => other.confidence !== 'guess');
    return { ...pick({ ...claim, source }), confidence: weaker ? lower(claim.confidence) : claim.confidence, disputed };
  }

  function expire(now: number): void {
    for (const source of FADING) {
      const claim = claims.get(source);
      if (claim?.state === 'active' && now - claim.at >= WORK_SEEN_MS) claims.delete(source);
    }
  }

  function nothingKnown(now: number): Activity {
    if (now - evidenceAt < KNOWN_MS || current.state === 'unknown') return current;
    overruled = [];
    return { state: 'unknown', confidence: 'guess', source: 'output', offset: current.offset, disputed: [] };
  }

  function standing(): [Source, Claim][] {
    return TRUST.flatMap((source) => {
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
      take(observation);
      current = decide(observation.at);
      return current;
    },
    correct(state, { offset, at }) {
      const before = new Map(standing().map(([source, claim]) => [source, claim.state]));
      // What contradicts it now must not come back when the correction has fallen.
      for (const [source, claim] of standing()) if (claim.state !== state) claims.delete(source);
      person = { state, offset, before, stored: false };
      evidenceAt = at;
      current = decide(at);
      return current;
    },
    end({ offset }) {
      ended = true;
      claims.clear();
      current = { state: 'unknown', confidence: 'certain', source: 'process', offset, disputed: [] };
      return current;
    },
    look(at) {
      current = decide(at);
      return current;
    },
    dueAt() {
      if (ended || person !== null) return null;
      const words = standing();
      const times = words.flatMap(([source, claim], index) => [
        ...words.slice(0, index).flatMap((above) => overrulesAt(source, claim, above)),
        ...(FADING.has(source) && claim.state === 'active' ? [claim.at + WORK_SEEN_MS] : []),
      ]);
      if (words.length === 0 && current.state !== 'unknown') times.push(evidenceAt + KNOWN_MS);
      const next = Math.min(...times);
      return Number.isFinite(next) ? next : null;
    },
  };
}

function showsTurn(source: Source, { state, confidence }: Pick<Observation, 'state' | 'confidence'>): boolean {
  return !OWN.has(source) && confidence !== 'guess' && (state === 'active' || state === 'asking');
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
