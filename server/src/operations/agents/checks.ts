import { ConsoleError } from '@agent-console/shared/errors';
import { AGENT_CHECKS_MAX, BRANCH_NAMING_MS } from '@agent-console/shared/limits';
import type { AgentCheck } from '@agent-console/shared/models/agent-check';
import { authorOf, SYSTEM } from '../author.ts';
import type { Call } from '../call.ts';
import type { OneShotEnd, OneShots } from '../ports/one-shots.ts';
import type { AskAgent } from './ask-agent.ts';
import { findingsOf, isOk, type Seen } from './findings.ts';
import { removeTrial } from './remove-trial.ts';
import { type TrialDeps, trialEnd, tryAgent } from './trial.ts';

/** Tries agents out. */
export interface AgentChecks {
  /**
   * What works of an agent, found by starting it for a moment, within AGENT_CHECK_MS and END_GRACE_MS. A second call joins
   * the first; CONFLICT when it asks for another depth, BUSY when too many agents are tried at once.
   */
  run(agentId: string, deep: boolean, call: Call): Promise<AgentCheck>;
  /** Takes away what a dead server was trying; once, at start, before its processes are taken up. */
  sweep(): Promise<void>;
}

export interface ChecksDeps extends Omit<TrialDeps, 'oneShots'> {
  oneShots: OneShots;
  ask: AskAgent;
}

/** A program that says nothing of itself for this long is not waited for: its start would wait for the same. */
const LEARN_MS = 15_000;

export function createChecks(deps: ChecksDeps): AgentChecks {
  const { catalogue, kinds, programs, storage } = deps;
  const running = new Map<string, { deep: boolean; answer: Promise<AgentCheck> }>();

  async function check(agentId: string, deep: boolean, call: Call): Promise<AgentCheck> {
    const endsAt = trialEnd(deps.now().getTime());
    const definition = await catalogue.get(agentId);
    const kind = kinds(definition.kind);
    const program = definition.kind === 'scripted' ? 'built in' : await deps.places.which(definition.command[0] ?? '');
    const asked = program === null || kind.program === null ? undefined : programs.learn(definition.command);
    // Where its start looks at its help it would wait for the same.
    const startable =
      program !== null && (asked === undefined || !kind.readsHelp || (await within(asked, LEARN_MS)) !== undefined);
    const [trial, oneShot] = await Promise.all([
      startable ? tryAgent(deps, { agent: await catalogue.choose(agentId), kind, call, deep, endsAt }) : null,
      deep && startable ? askOnce(definition) : null,
    ]);
    // A slow program may still be starting for its version when its trial is over.
    if (asked !== undefined) await within(asked, Math.max(endsAt - deps.now().getTime(), 0));
    const seen: Seen = {
      definition,
      kind,
      program,
      version: asked === undefined ? null : programs.known(definition.command).version,
      loggedIn: await programs.loggedIn(kind.login),
      deep,
      trial,
      oneShot,
    };
    const checks = findingsOf(seen);
    const result = { agentId: definition.id, ok: isOk(checks), version: seen.version, checks };
    await storage.write(authorOf(call), (tx) =>
      tx.record({
        type: 'agent.checked',
        subject: { kind: 'agent', id: definition.id },
        data: { ok: result.ok, version: result.version },
      }),
    );
    return result;
  }

  async function askOnce(definition: Parameters<AskAgent>[0]): Promise<OneShotEnd | string | null> {
    try {
      return await deps.ask(definition, 'Answer with the one word OK. Use no tools.', BRANCH_NAMING_MS);
    } catch (error) {
      if (error instanceof ConsoleError) return `It could not be asked: ${error.message}.`;
      throw error;
    }
  }

  return {
    async run(agentId, deep, call) {
      const { id } = await catalogue.get(agentId);
      const current = running.get(id);
      if (current !== undefined) {
        if (current.deep === deep) return current.answer;
        throw new ConsoleError('CONFLICT', `${id} is being tried in another way just now. Wait for that to end.`, {
          agentId: id,
        });
      }
      if (running.size >= AGENT_CHECKS_MAX) {
        throw new ConsoleError('BUSY', `${running.size} agents are being tried at once. Try again in a moment.`, {});
      }
      const answer = check(id, deep, call).finally(() => running.delete(id));
      running.set(id, { deep, answer });
      return answer;
    },
    async sweep() {
      for (const worker of await storage.read.workers.find({ state: ['starting', 'running'] })) {
        const session = await storage.read.sessions.get(worker.sessionId);
        // Sessions are removed when nothing lives in them, but for those that were never there to be seen.
        if (session !== undefined && session.removedAt !== null && session.type === 'quick') {
          await storage.write(SYSTEM, (tx) => removeTrial(tx, session.id, worker.id));
          await deps.places.clearWorker(worker.id);
        }
      }
      await deps.oneShots.sweep();
    },
  };
}

function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
