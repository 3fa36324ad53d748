import type { OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import type { ConsoleClient } from '../../../src/surfaces/cli/client.ts';
import type { TestApp } from '../../support/test-app.ts';

type Input = RequestOf<'delegations.create'>;
type Made = OutputOf<'delegations.create'>;

/** Returns functions for delegations to an agent that only waits. `console` is called when they are used. */
export function delegationsIn(console: () => TestApp) {
  const quiet = { agentId: 'cat', prompt: 'Just wait' };

  /**
   * Delegates as the agent whose client is `by`. Without `by`, delegates as a person, who has to name the repository.
   */
  const delegate = (fields: Partial<Input>, by?: ConsoleClient): Promise<Made> =>
    by === undefined
      ? console().client.call('delegations.create', { repositoryId: console().repository.id, ...quiet, ...fields })
      : by.call('delegations.create', { ...quiet, ...fields });

  async function end(made: Made) {
    await console().client.call('sessions.stop', { sessionId: made.sessionId });
    await console()
      .client.call('tasks.cancel', { taskId: made.taskId })
      .catch(() => undefined);
  }

  /** Raises the limits, defines an agent that only waits, and starts an idle agent that can delegate. */
  async function rootAtRest(): Promise<Made> {
    const { client } = console();
    await client.call('settings.update', { defaultAgentId: 'scripted', delegationChildren: 50, liveSessions: 500 });
    await client.call('agents.create', { id: 'cat', name: 'Cat', command: ['cat'] });
    const root = await delegate({ agentId: 'scripted', prompt: '@say ready', branch: 'root' });
    await client.call('sessions.wait', { sessionId: root.sessionId });
    return root;
  }

  return { quiet, delegate, end, rootAtRest };
}

/**
 * Raises the limits, and delegates a prompt on a new branch named `own`. Returns the new session, whose agent can make
 * calls.
 */
export async function ownSession({ client, repository }: TestApp, prompt: string): Promise<Made> {
  await client.call('settings.update', { delegationChildren: 100, liveSessions: 100 });
  const fields = { repositoryId: repository.id, agentId: 'scripted', branch: 'own', prompt };
  const own = await client.call('delegations.create', fields);
  await client.call('sessions.wait', { sessionId: own.sessionId, timeoutSeconds: 45 });
  return own;
}
