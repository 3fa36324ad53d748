import { isDeepStrictEqual } from 'node:util';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  AGENT_CHECK_ANSWER_MS,
  AGENT_CHECK_ONE_SHOT_MS,
  AGENT_CHECK_RESULT_MS,
  AGENT_CHECKS_MAX,
} from '@agent-console/shared/limits/agents';
import type { AgentCheck } from '@agent-console/shared/models/agent-check';
import type { Call } from '../../domain/call.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import type { AgentKinds, AgentPrograms } from '../../ports/agents.ts';
import type { Host } from '../../ports/host.ts';
import type { OneShots } from '../../ports/one-shots.ts';
import type { AskAgent } from '../agents/ask-agent.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { authorOf, SYSTEM } from '../changes/author.ts';
import { type Facts, findingsOf, isOk } from './findings.ts';
import { type HiddenSessionDeps, observeAgent, removeRows } from './hidden-session.ts';

/** Checks agents by starting them briefly. */
export interface AgentChecks {
  /**
   * Checks an agent. If the check still runs after AGENT_CHECK_ANSWER_MS, returns the findings so far. A later call
   * joins the running check, or receives its result until AGENT_CHECK_RESULT_MS after its end. Once a call has received
   * the result, the next call begins a new check. `withPrompt` also sends the agent a prompt, which uses tokens.
   * @throws CONFLICT if a check is running that sends no prompt although `withPrompt` is set, or that began before the
   * agent's definition was changed; BUSY if too many checks are running.
   */
  run(agentId: string, withPrompt: boolean, call: Call): Promise<AgentCheck>;
  /** Removes the data of checks that a crash interrupted. Called once at start, before `processes.recover`. */
  sweep(): Promise<void>;
  /** Ends all checks and removes their data. */
  close(): Promise<void>;
}

export interface ChecksDeps extends Omit<HiddenSessionDeps, 'repositories' | 'host'> {
  catalogue: AgentCatalogue;
  kinds: AgentKinds;
  programs: AgentPrograms;
  host: HiddenSessionDeps['host'] & Pick<Host, 'which'>;
  oneShots: OneShots;
  ask: AskAgent;
}

interface RunningCheck {
  startedAt: number;
  /** Results of the check so far. More are added while the check runs. */
  facts: Facts;
  /** Number of calls that wait for the result of this check. */
  waiting: number;
  ended: boolean;
  result: Promise<AgentCheck>;
}

const PROMPT = 'Answer with the one word OK. Use no tools.';

type Definition = Awaited<ReturnType<AgentCatalogue['get']>>;

export function createChecks(deps: ChecksDeps): AgentChecks {
  const { catalogue, programs, hidden } = deps;
  const checks = new Map<string, RunningCheck>();
  const closing = new AbortController();

  async function factsBeforeStart(definition: Definition, withPrompt: boolean): Promise<Facts> {
    const kind = deps.kinds(definition.kind);
    const isBuiltIn = kind.builtIn && kind.program === null;
    const [program, loggedIn] = await Promise.all([
      isBuiltIn ? 'built in' : deps.host.which(definition.command[0] ?? ''),
      programs.loggedIn(kind.login),
    ]);
    const nothing = { version: null, observed: null, prompted: null, unfinishedFor: null };
    return { definition, kind, program, loggedIn, withPrompt, ...nothing };
  }

  async function check(facts: Facts, definition: Definition, call: Call): Promise<AgentCheck> {
    const { id, command } = definition;
    if (facts.program !== null) {
      const learning = facts.kind.program === null ? undefined : programs.learn(command, facts.kind.readsHelp);
      // Waiting here costs no extra time: the start of the agent waits for the help text anyway, and the version is
      // read together with it.
      if (facts.kind.readsHelp) facts.version = (await learning)?.version ?? null;
      facts.observed = await observeAgent(
        { ...deps, repositories: deps.oneShots },
        {
          agent: await catalogue.choose(undefined, id),
          kind: facts.kind,
          call,
          signal: closing.signal,
          onObserved(observed) {
            facts.observed = observed;
          },
        },
      );
      // The prompt goes to a second process of the agent. On a slow machine, both processes might time out if they
      // started together.
      if (facts.withPrompt && !closing.signal.aborted) facts.prompted = await prompt(definition);
      facts.version = (await learning)?.version ?? null;
    }
    const result = resultOf(facts);
    // The check was aborted, because the server is stopping. Its result says nothing about the agent, so no event is
    // recorded.
    if (closing.signal.aborted) return result;
    await hidden.storage.write(authorOf(call), (tx) =>
      tx.record({
        type: 'agent.checked',
        subject: { kind: 'agent', id },
        data: { ok: result.ok, version: result.version },
      }),
    );
    return result;
  }

  async function prompt(definition: Definition): Promise<Facts['prompted']> {
    try {
      const end = await deps.ask(definition, PROMPT, AGENT_CHECK_ONE_SHOT_MS, closing.signal);
      return end?.ended === 'stopped' ? null : end;
    } catch (error) {
      if (error instanceof ConsoleError) return error.message;
      throw error;
    }
  }

  function resultOf(facts: Facts): AgentCheck {
    const findings = findingsOf(facts);
    const complete = facts.unfinishedFor === null;
    const ok = complete && isOk(findings, facts);
    return { agentId: facts.definition.id, complete, ok, version: facts.version, checks: findings };
  }

  function begin(definition: Definition, facts: Facts, call: Call): RunningCheck {
    const { id } = definition;
    const result = check(facts, definition, call);
    const running: RunningCheck = { startedAt: deps.now().getTime(), facts, waiting: 0, ended: false, result };
    const end = () => {
      running.ended = true;
      if (running.waiting > 0) forget(id, running);
      else setTimeout(() => forget(id, running), AGENT_CHECK_RESULT_MS).unref();
    };
    result.then(end, (error: unknown) => {
      // If calls wait for the result, each of them returns the error to its caller, so the error is not logged.
      if (running.waiting === 0) deps.onError(error, id);
      end();
    });
    checks.set(id, running);
    return running;
  }

  function forget(agentId: string, running: RunningCheck): void {
    if (checks.get(agentId) === running) checks.delete(agentId);
  }

  return {
    async run(agentId, withPrompt, call) {
      const definition = await catalogue.get(agentId);
      const { id } = definition;
      const facts = await factsBeforeStart(definition, withPrompt);
      const current = checks.get(id);
      const isOutdated = current !== undefined && !isDeepStrictEqual(current.facts.definition, definition);
      const isSufficient = current !== undefined && !isOutdated && (current.facts.withPrompt || !withPrompt);
      if (current !== undefined && !isSufficient && !current.ended) {
        const why = isOutdated ? "began before the agent's definition was changed" : 'sends no prompt';
        const message = `A check of ${id} that ${why} is already running. Wait until that check ends, then try again.`;
        throw new ConsoleError('CONFLICT', message, { agentId: id });
      }
      const runningCount = [...checks.values()].filter(({ ended }) => !ended).length;
      if (!isSufficient && runningCount >= AGENT_CHECKS_MAX) {
        throw new ConsoleError('BUSY', `${runningCount} agents are already being checked. Try again in a moment.`, {});
      }
      const joined = isSufficient ? current : begin(definition, facts, call);
      joined.waiting += 1;
      const result = await waitUpTo(AGENT_CHECK_ANSWER_MS, joined.result, call.signal).finally(() => {
        joined.waiting -= 1;
      });
      if (result !== undefined) {
        forget(id, joined);
        return result;
      }
      const unfinishedFor = Math.round((deps.now().getTime() - joined.startedAt) / 1_000);
      return resultOf({ ...joined.facts, unfinishedFor });
    },
    async sweep() {
      const { read, write } = hidden.storage;
      const cwd = { startsWith: `${await deps.oneShots.folder()}/` };
      for (const { id: sessionId } of await read.sessions.find({ type: 'quick', removedAt: { not: null }, cwd })) {
        const workers = await read.workers.find({ sessionId });
        await write(SYSTEM, (tx) => removeRows(tx, sessionId));
        for (const worker of workers) {
          await deps.host.clearWorker(worker.id);
          // Skips a worker whose process may still run: `processes.recover` ends the process and then removes its
          // output.
          if (LIVE_STATES.some((state) => state === worker.state)) continue;
          await deps.runner.dropLog(worker.id);
          await deps.host.removeWorker(worker.id);
        }
      }
      await deps.oneShots.sweep();
    },
    async close() {
      closing.abort();
      await Promise.allSettled([...checks.values()].map(({ result }) => result));
    },
  };
}

/**
 * Waits up to `ms` milliseconds for `work`. Returns undefined after that time, or when `signal` aborts because the
 * caller disconnected; `work` then continues.
 */
function waitUpTo<T>(ms: number, work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stopWaiting = () => resolve(undefined);
    const timer = setTimeout(stopWaiting, ms);
    signal.addEventListener('abort', stopWaiting, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopWaiting);
    });
  });
}
