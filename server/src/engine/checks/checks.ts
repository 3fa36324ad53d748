import { ConsoleError } from '@agent-console/shared/errors';
import {
  AGENT_CHECK_ANSWER_MS,
  AGENT_CHECK_MS,
  AGENT_CHECK_ONE_SHOT_MS,
  AGENT_CHECK_RESULT_MS,
  AGENT_CHECKS_MAX,
} from '@agent-console/shared/limits/agents';
import type { AgentCheck } from '@agent-console/shared/models/agent-check';
import type { Call } from '../../domain/call.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import type { OneShots } from '../../ports/one-shots.ts';
import type { AskAgent } from '../agents/ask-agent.ts';
import { authorOf, SYSTEM } from '../author.ts';
import { findingsOf, isOk, type Seen } from './findings.ts';
import { removeTrial } from './remove-trial.ts';
import { runTestAgent, type TrialDeps } from './trial.ts';
import type { Trial } from './trial-look.ts';

/** Tries agents out. */
export interface AgentChecks {
  /**
   * What works of an agent, found by starting it for a moment; how far that has come after AGENT_CHECK_ANSWER_MS. It goes on
   * without its callers, and whoever asks meanwhile, or within AGENT_CHECK_RESULT_MS when nobody was told, is told of the same
   * one. CONFLICT when that one gives no prompt and this call wants it; BUSY when too many agents are tried at once.
   */
  run(agentId: string, deep: boolean, call: Call): Promise<AgentCheck>;
  /** Takes away what a dead server was trying; once, at start, before its processes are taken up. */
  sweep(): Promise<void>;
  /** Ends all that is tried, and takes it away. */
  close(): Promise<void>;
}

export interface ChecksDeps extends Omit<TrialDeps, 'oneShots'> {
  oneShots: OneShots;
  ask: AskAgent;
}

/** How far a check has come. */
interface Progress {
  beganAt: number;
  /** Filled in as it comes to be known. */
  known: Seen;
  /** What the trial that goes on shows. */
  trialNow: (() => Promise<Trial>) | null;
}

interface Going extends Progress {
  /** Calls that wait for its answer. */
  waiting: number;
  over: boolean;
  answer: Promise<AgentCheck>;
}

type Definition = Awaited<ReturnType<ChecksDeps['catalogue']['get']>>;

export function createChecks(deps: ChecksDeps): AgentChecks {
  const { catalogue, kinds, programs, storage } = deps;
  const checks = new Map<string, Going>();
  const closing = new AbortController();

  async function beforeStart(definition: Definition, deep: boolean): Promise<Progress> {
    const kind = kinds(definition.kind);
    const [program, loggedIn] = await Promise.all([
      kind.builtIn && kind.program === null ? 'built in' : deps.host.which(definition.command[0] ?? ''),
      programs.loggedIn(kind.login),
    ]);
    const seen = {
      definition,
      kind,
      program,
      version: null,
      loggedIn,
      deep,
      trial: null,
      oneShot: null,
      goingOn: null,
    };
    return { beganAt: deps.now().getTime(), known: seen, trialNow: null };
  }

  async function check(progress: Progress, definition: Definition, call: Call): Promise<AgentCheck> {
    const { known } = progress;
    const { id, command } = definition;
    if (known.program !== null) {
      const learning = known.kind.program === null ? undefined : programs.learn(command);
      // Its start looks at its help, and would wait for the same.
      if (known.kind.readsHelp) known.version = (await learning)?.version ?? null;
      known.trial = await runTestAgent(deps, {
        agent: await catalogue.choose(undefined, id),
        kind: known.kind,
        call,
        deep: known.deep,
        limitMs: AGENT_CHECK_MS,
        signal: closing.signal,
        onStarted(trialNow) {
          progress.trialNow = trialNow;
        },
      });
      progress.trialNow = null;
      // Behind the trial: two programs that start at once on a slow machine may both be too late.
      if (known.deep && !closing.signal.aborted) known.oneShot = await askOnce(definition);
      known.version = (await learning)?.version ?? null;
    }
    const found = findingsOf(known);
    const result = { agentId: id, complete: true, ok: isOk(found), version: known.version, checks: found };
    await storage.write(authorOf(call), (tx) =>
      tx.record({
        type: 'agent.checked',
        subject: { kind: 'agent', id },
        data: { ok: result.ok, version: result.version },
      }),
    );
    return result;
  }

  async function askOnce(definition: Parameters<AskAgent>[0]): Promise<Seen['oneShot']> {
    const askedAt = deps.now().getTime();
    try {
      const end = await deps.ask(definition, 'Answer with the one word OK. Use no tools.', AGENT_CHECK_ONE_SHOT_MS);
      return end && { ...end, tookMs: deps.now().getTime() - askedAt };
    } catch (error) {
      if (error instanceof ConsoleError) return `It could not be asked: ${error.message}.`;
      throw error;
    }
  }

  function begin(progress: Progress, definition: Definition, call: Call): Going {
    const { id } = definition;
    const answer = check(progress, definition, call);
    const going: Going = Object.assign(progress, { waiting: 0, over: false, answer });
    const forget = () => {
      if (checks.get(id) === going) checks.delete(id);
    };
    const end = () => {
      going.over = true;
      if (going.waiting > 0) forget();
      else setTimeout(forget, AGENT_CHECK_RESULT_MS).unref();
    };
    answer.then(end, (error: unknown) => {
      // Whoever waits is told of it, and so is who comes for it.
      if (going.waiting === 0) deps.onError(error, id);
      end();
    });
    checks.set(id, going);
    return going;
  }

  /** How far a check has come that goes on without this call. */
  async function soFar({ known, trialNow, beganAt }: Progress): Promise<AgentCheck> {
    const goingOn = Math.round((deps.now().getTime() - beganAt) / 1_000);
    const found = findingsOf({ ...known, trial: (await trialNow?.()) ?? known.trial, goingOn });
    return { agentId: known.definition.id, complete: false, ok: false, version: known.version, checks: found };
  }

  return {
    async run(agentId, deep, call) {
      const definition = await catalogue.get(agentId);
      const { id } = definition;
      const progress = await beforeStart(definition, deep);
      const current = checks.get(id);
      const serves = current !== undefined && (current.known.deep || !deep);
      if (current !== undefined && !serves && !current.over) {
        const sentence = `${id} is being tried without a prompt just now. Wait for that to end, then ask again.`;
        throw new ConsoleError('CONFLICT', sentence, { agentId: id });
      }
      const running = [...checks.values()].filter(({ over }) => !over).length;
      if (!serves && running >= AGENT_CHECKS_MAX) {
        throw new ConsoleError('BUSY', `${running} agents are being tried at once. Try again in a moment.`, {});
      }
      const going = serves ? current : begin(progress, definition, call);
      going.waiting += 1;
      const answer = await unless(call.signal, going.answer, AGENT_CHECK_ANSWER_MS).finally(() => {
        going.waiting -= 1;
      });
      if (answer === undefined) return soFar(going);
      if (checks.get(id) === going) checks.delete(id);
      return answer;
    },
    async sweep() {
      for (const worker of await storage.read.workers.find({ state: LIVE_STATES })) {
        const session = await storage.read.sessions.get(worker.sessionId);
        // Sessions are removed when nothing lives in them, but for those that were never there to be seen.
        if (session !== undefined && session.removedAt !== null && session.type === 'quick') {
          await storage.write(SYSTEM, (tx) => removeTrial(tx, session.id, worker.id));
          await deps.host.clearWorker(worker.id);
        }
      }
      await deps.oneShots.sweep();
    },
    async close() {
      closing.abort();
      await Promise.allSettled([...checks.values()].map(({ answer }) => answer));
    },
  };
}

/** Waits for work that goes on all the same: undefined after so many milliseconds, or when nobody wants it any more. */
function unless<T>(signal: AbortSignal, work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined);
    const timer = setTimeout(leave, ms);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    });
  });
}
