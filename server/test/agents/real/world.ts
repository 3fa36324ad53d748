import { createAgentKinds } from '../../../src/agents/kinds.ts';
import type { ScreenReading } from '../../../src/ports/agents.ts';
import { startConsole, type TestConsole } from '../../support/console.ts';
import type { AcpId, CliId } from './harness/clis.ts';
import { agentEnvironment, seedHome } from './harness/home.ts';
import { type ModelRequest, type ModelServer, type Step, startModelServer } from './harness/model-server.mjs';

const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });

/** Agents take their time, the first start in a new home most of all: what hangs is a failure, what is slow is not. */
const WAIT_MS = 120_000;
const LOOK_EACH_MS = 100;
/** An agent may let a key fall that comes right behind its question: three seconds later it is pressed again. */
const AGAIN_LOOKS = 30;
const REQUESTS_SHOWN = 20;
const MESSAGES_SHOWN = 10;

/** A real console whose agents are the real programs and whose model is a script on loopback. */
export interface World {
  c: TestConsole;
  model: ModelServer;
  /** Has a person delegate: an agent in a new worktree with a prompt. */
  delegate(agentId: CliId | AcpId, prompt: string): Promise<Delegated>;
  /** What the agent's screen says now, as the console reads it. */
  reading(agentId: CliId, workerId: string): Promise<ScreenReading | null>;
  /**
   * Presses the keys that allow what is asked, once it has been asked at two looks, and again after three seconds in
   * which it still is; answers whether it is asked no more.
   */
  allow(agentId: CliId, workerId: string): Promise<boolean>;
  /** Requests of conversations (not of titles and the like) whose newest text holds `text`. */
  heard(text: string): ModelRequest[];
  /** Waits until `look` answers something; what does not come in time is reported with all sessions and their screens. */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  /** Ends the agents of all sessions. */
  stopAgents(): Promise<void>;
  close(): Promise<void>;
}

export type Delegated = Awaited<ReturnType<typeof delegateIn>>;

function delegateIn(c: TestConsole, agentId: CliId | AcpId, prompt: string) {
  // A title of its own: else it is made of the prompt, which then stands in every request, whatever the agent remembers.
  const title = 'Real';
  return c.client.call('delegations.create', { repositoryId: c.repository.id, agentId, prompt, title });
}

/**
 * @param home what the agents find in HOME: `ready` has no first-run question, `untrusted` none but whether the folder is
 * trusted, and in a `fresh` one no agent was ever started.
 * @param without names of variables that the console is not given, such as those with a key.
 */
export async function openWorld(
  steps: readonly Step[],
  { home = 'ready', without = [] }: { home?: 'ready' | 'untrusted' | 'fresh'; without?: readonly string[] } = {},
): Promise<World> {
  const model = await startModelServer(steps);
  const variables = Object.entries(agentEnvironment(model.url)).filter(([name]) => !without.includes(name));
  const c = await startConsole({ env: Object.fromEntries(variables) });
  if (home !== 'fresh') seedHome(c.env.HOME ?? '', model.url, home === 'ready' ? c.repository.path : null);
  // Gemini CLI keeps the global configuration from git.
  c.git(['config', 'user.name', 'Agent']);
  c.git(['config', 'user.email', 'agent@example.invalid']);
  // Where it matters who is asked what, nobody is asked for a name besides.
  await c.client.call('settings.update', { branchNames: 'slug' });

  /** By worker: what it asks, and how many looks have found it asked. */
  const asked = new Map<string, { text: string; looks: number }>();
  const live = async () => (await c.client.call('sessions.list', { live: true })).data;
  const screenOf = (workerId: string) => c.client.call('workers.screen', { workerId });

  /** The newest messages of a session whose agent has no screen. */
  async function saidBy(sessionId: string) {
    const { data } = await c.client.call('sessions.messages', { sessionId });
    const lines = data
      .slice(-MESSAGES_SHOWN)
      .map(({ role, kind, parts }) => `${role} ${kind} ${JSON.stringify(parts)}`);
    return { title: null, text: lines.map((line) => line.slice(0, 1_000)).join('\n') };
  }

  /** All that is known of all sessions, for whoever reads why a test failed. */
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
