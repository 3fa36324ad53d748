import { createAgentKinds } from '../../../src/agents/kinds.ts';
import type { ScreenReading } from '../../../src/ports/agents.ts';
import { startConsole, type TestConsole } from '../../support/console.ts';
import type { AcpId, CliId } from './harness/clis.ts';
import { agentEnvironment, seedHome } from './harness/home.ts';
import { type ModelRequest, type ModelServer, type Step, startModelServer } from './harness/model-server.mjs';

const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });

/**
 * Maximum time to wait, in milliseconds. It is long, because agents are slow, especially at the first start in a new
 * HOME. Only a hang should fail a test.
 */
const WAIT_MS = 120_000;
const LOOK_EACH_MS = 100;
/**
 * Number of calls after which `allow` presses the keys again, because an agent may ignore a key right after its
 * question. `until` calls `allow` every LOOK_EACH_MS, so this takes three seconds.
 */
const AGAIN_LOOKS = 30;
const REQUESTS_SHOWN = 20;
const MESSAGES_SHOWN = 10;

/** A real console whose agents are the real programs and whose model is a script on loopback. */
export interface World {
  c: TestConsole;
  model: ModelServer;
  /** Delegates a prompt to an agent in a new worktree, as a person. */
  delegate(agentId: CliId | AcpId, prompt: string): Promise<Delegated>;
  /** Reads the agent's current screen as the console does. */
  reading(agentId: CliId, workerId: string): Promise<ScreenReading | null>;
  /**
   * Answers the agent's question with the keys that allow what the agent asks for, once two consecutive calls of
   * `allow` have seen the question. Presses the keys again after three seconds. Returns whether the question has been
   * answered.
   */
  allow(agentId: CliId, workerId: string): Promise<boolean>;
  /**
   * Returns the model requests whose newest text contains `text`, except requests outside a conversation, such as
   * those for a title.
   */
  heard(text: string): ModelRequest[];
  /**
   * Waits until `look` returns a value. On a timeout, the error contains all sessions with their screens, and the
   * newest requests to the model.
   */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  stopAgents(): Promise<void>;
  close(): Promise<void>;
}

export type Delegated = Awaited<ReturnType<typeof delegateIn>>;

function delegateIn(c: TestConsole, agentId: CliId | AcpId, prompt: string) {
  // Every request to the model contains the title. The default title contains the prompt, so tests could not detect
  // that an agent forgot the prompt.
  const title = 'Real';
  return c.client.call('delegations.create', { repositoryId: c.repository.id, agentId, prompt, title });
}

/**
 * Starts a console with real agents and a model that follows `steps`.
 * @param home state of HOME. With `ready`, agents ask no first-run question. With `untrusted`, they only ask whether to
 * trust the folder. With `fresh`, no agent was ever started, so they ask all first-run questions.
 * @param without names of environment variables that the console does not get, e.g. an API key.
 */
export async function openWorld(
  steps: readonly Step[],
  { home = 'ready', without = [] }: { home?: 'ready' | 'untrusted' | 'fresh'; without?: readonly string[] } = {},
): Promise<World> {
  const model = await startModelServer(steps);
  const variables = Object.entries(agentEnvironment(model.url)).filter(([name]) => !without.includes(name));
  const c = await startConsole({ env: Object.fromEntries(variables) });
  if (home !== 'fresh') seedHome(c.env.HOME ?? '', model.url, home === 'ready' ? c.repository.path : null);
  // Gemini CLI hides the global configuration from git, so the repository needs its own name and address for commits.
  c.git(['config', 'user.name', 'Agent']);
  c.git(['config', 'user.email', 'agent@example.invalid']);
  // Branches are named without an agent's help, so that the model gets no extra requests.
  await c.client.call('settings.update', { branchNames: 'slug' });

  /** The current question of each worker, and how many calls of `allow` have seen it. */
  const asked = new Map<string, { text: string; looks: number }>();
  const live = async () => (await c.client.call('sessions.list', { live: true })).data;
  const screenOf = (workerId: string) => c.client.call('workers.screen', { workerId });

  /** Returns the newest messages of a session whose agent has no screen. */
  async function saidBy(sessionId: string) {
    const { data } = await c.client.call('sessions.messages', { sessionId });
    const lines = data
      .slice(-MESSAGES_SHOWN)
      .map(({ role, kind, parts }) => `${role} ${kind} ${JSON.stringify(parts)}`);
    return { title: null, text: lines.map((line) => line.slice(0, 1_000)).join('\n') };
  }

  /** Returns the state of all sessions, for the message of a failed test. */
  async function content(): Promise<string> {
    const sessions = (await c.client.call('sessions.list', {})).data;
    const parts = sessions.map(async ({ id, agentId, status, queued, driver }) => {
      const { tasks } = await c.client.call('sessions.get', { sessionId: id });
      const { data: workers } = await c.client.call('sessions.workers', { sessionId: id });
      const told = tasks.map(
        (task) => `  ${task.kind} ${task.status} ${task.blocked ?? ''} ${task.error?.message ?? ''}`,
      );
      const shown = workers.map(async (worker) => {
        const { title, text } = driver === 'acp' ? await saidBy(id) : await screenOf(worker.id);
        const { state, exitCode, signal, activityState, activitySource, warnings } = worker;
        return `  ${JSON.stringify({ state, exitCode, signal, activityState, activitySource, warnings, title })}\n${text}`;
      });
      return [`--- ${agentId} ${status}, ${queued} queued`, ...told, ...(await Promise.all(shown))].join('\n');
    });
    return (await Promise.all(parts)).join('\n');
  }

  async function reading(agentId: CliId, workerId: string): Promise<ScreenReading | null> {
    const { text, title, alternateScreen } = await screenOf(workerId);
    return kindOf(agentId).readScreen({ lines: text.split('\n'), title, alternateScreen });
  }

  return {
    c,
    model,
    delegate: (agentId, prompt) => delegateIn(c, agentId, prompt),
    reading,
    async allow(agentId, workerId) {
      const question = (await reading(agentId, workerId))?.question ?? null;
      const before = asked.get(workerId);
      if (before !== undefined && before.looks > 1 && question?.text !== before.text) {
        asked.delete(workerId);
        return true;
      }
      const keys = question?.options.find((option) => option.kind === 'allow')?.keys;
      if (question === null || keys === undefined) return false;
      const looks = before?.text === question.text ? before.looks + 1 : 1;
      asked.set(workerId, { text: question.text, looks });
      if (looks % AGAIN_LOOKS === 2) await c.client.call('workers.input', { workerId, data: keys });
      return false;
    },
    heard: (text) => model.requests.filter((request) => !request.aside && request.last.includes(text)),
    async until(what, look) {
      const end = performance.now() + WAIT_MS;
      for (;;) {
        const seen = await look();
        if (seen !== undefined && seen !== false) return seen;
        if (performance.now() > end) {
          const heard = model.requests
            .slice(-REQUESTS_SHOWN)
            .map((request) => `${request.last.slice(-150)} -> ${request.calls.join()}`);
          throw new Error(`waited ${WAIT_MS / 1_000} s for ${what}\n${await content()}\nmodel:\n${heard.join('\n')}`);
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_EACH_MS));
      }
    },
    async stopAgents() {
      for (const session of await live()) await c.client.call('sessions.stop', { sessionId: session.id });
    },
    async close() {
      await c.close();
      model.close();
    },
  };
}
