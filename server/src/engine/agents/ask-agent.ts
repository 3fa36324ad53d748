import { ConsoleError } from '@agent-console/shared/errors';
import type { Agent } from '@agent-console/shared/models/agent';
import { oneShotEnvironment } from '../../domain/environment.ts';
import type { AgentKinds, AgentPrograms } from '../../ports/agents.ts';
import type { Host } from '../../ports/host.ts';
import type { OneShotEnd, OneShots } from '../../ports/one-shots.ts';

/**
 * Asks an agent one question without a terminal, in an empty folder. Returns null if the agent has no one-shot mode.
 * @throws AGENT_UNAVAILABLE if the executable is missing or the agent is known not to be logged in. BUSY if too many of
 * these questions are in progress.
 */
export type AskAgent = (
  agent: Pick<Agent, 'name' | 'kind' | 'command' | 'env'>,
  question: string,
  limitMs: number,
  signal?: AbortSignal,
) => Promise<OneShotEnd | null>;

export interface AskAgentDeps {
  kinds: AgentKinds;
  programs: Pick<AgentPrograms, 'loggedIn'>;
  host: Pick<Host, 'which' | 'readUserFiles' | 'environment'>;
  oneShots: Pick<OneShots, 'run'>;
}

export function createAskAgent({ kinds, programs, host, oneShots }: AskAgentDeps): AskAgent {
  return async (agent, question, limitMs, signal) => {
    const { oneShot, login, environment, namedVariables, userFiles } = kinds(agent.kind);
    if (oneShot === null) return null;
    const [program = '', ...own] = agent.command;
    const file = await host.which(program);
    if (file === null) throw new ConsoleError('AGENT_UNAVAILABLE', `${program} was not found on PATH`, {});
    const texts = await host.readUserFiles(userFiles);
    const names = [...environment, ...namedVariables(texts), ...agent.env];
    const hasCredentials = names.some((name) => (host.environment[name] ?? '') !== '');
    if (!hasCredentials && (await programs.loggedIn(login)) === 'no') {
      throw new ConsoleError('AGENT_UNAVAILABLE', 'the agent is not logged in; log in with its own program', {});
    }
    const { args, env } = oneShot(question);
    return oneShots.run({
      file,
      args: [...own, ...args],
      env: { ...oneShotEnvironment(host.environment, names), ...env },
      limitMs,
      signal,
    });
  };
}
