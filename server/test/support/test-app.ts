import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Repository } from '@agent-console/shared/models/repository';
import { type ConsoleClient, createClient } from '../../src/surfaces/cli/client.ts';
import { until } from './until.ts';
import type { Workspace } from './workspace.ts';

/** What a test needs of an app, whether it runs in this process (`app.ts`) or as real processes (`console.ts`). */
export interface TestApp {
  /** Throw-away folder that holds everything; removed by `close`. */
  folder: string;
  home: string;
  env: Record<string, string>;
  baseUrl: string;
  port: number;
  client: ConsoleClient;
  /** A registered repository with one commit on `main`. */
  repository: Repository;
  /** Runs git by hand in the repository's main checkout, unless told otherwise. */
  git(args: readonly string[], cwd?: string): string;
  /** Makes and registers one more repository. */
  addRepository(name: string): Promise<Repository>;
  /** Every event after `after` until `done` says that this one was the last; each call has a bound of 50 s. */
  events(after: number, done: (event: ConsoleEvent) => boolean): Promise<ConsoleEvent[]>;
  /** Waits until `look` answers something, for at most 50 s. */
  until: typeof until;
  close(): Promise<void>;
}

/** The part that follows from the address alone. @param port where it is reached now. */
export async function reach(workspace: Workspace, port: () => number): Promise<Omit<TestApp, 'close'>> {
  const { folder, home, env, git } = workspace;
  const baseUrl = () => `http://127.0.0.1:${port()}`;
  const client = () => createClient({ baseUrl: baseUrl(), insideWorker: true });

  async function addRepository(name: string): Promise<Repository> {
    const made = await client().call('repositories.create', { path: workspace.makeRepository(name) });
    if (!('id' in made)) throw new Error('a path is registered at once');
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
      await until('an event', async () => {
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
