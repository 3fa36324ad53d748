import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Repository } from '@agent-console/shared/models/repository';
import { type ConsoleClient, createClient } from '../../src/surfaces/cli/client.ts';
import { until } from './until.ts';
import type { Workspace } from './workspace.ts';

/** An app for tests, which runs in this process (`app.ts`) or in its own processes (`console.ts`). */
export interface TestApp {
  /** Temporary folder that contains everything. `close` removes it. */
  folder: string;
  home: string;
  env: Record<string, string>;
  baseUrl: string;
  port: number;
  client: ConsoleClient;
  /** A registered repository with one commit on `main`. */
  repository: Repository;
  /** Runs git as a user would, by default in the repository's main checkout. */
  git(args: readonly string[], cwd?: string): string;
  addRepository(name: string): Promise<Repository>;
  /** Returns the events after `after`, up to the first for which `done` returns true. Waits at most 150 s for it. */
  events(after: number, done: (event: ConsoleEvent) => boolean): Promise<ConsoleEvent[]>;
  /** Waits until `look` returns something, for at most 150 s. */
  until: typeof until;
  close(): Promise<void>;
}

/** Returns the members of a TestApp that need only its workspace and port. @param port returns the current port. */
export async function reach(workspace: Workspace, port: () => number): Promise<Omit<TestApp, 'close'>> {
  const { folder, home, env, git } = workspace;
  const baseUrl = () => `http://127.0.0.1:${port()}`;
  const client = () => createClient({ baseUrl: baseUrl(), insideWorker: true });

  async function addRepository(name: string): Promise<Repository> {
    const made = await client().call('repositories.create', { path: workspace.makeRepository(name) });
    if (!('id' in made)) throw new Error('registering a path must return the repository, not a job');
    return made;
  }

  return {
    folder,
    home,
    env,
    get baseUrl() {
      return baseUrl();
    },
    get port() {
      return port();
    },
    get client() {
      return client();
    },
    repository: await addRepository('shop'),
    git,
    addRepository,
    async events(after, done) {
      const seen: ConsoleEvent[] = [];
      let cursor = after;
      await until('the expected event', async () => {
        const { data } = await client().call('events.list', { after: cursor, limit: 500 });
        for (const event of data) {
          seen.push(event);
          cursor = event.seq;
          if (done(event)) return true;
        }
        return false;
      });
      return seen;
    },
    until,
  };
}
