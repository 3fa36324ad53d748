import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endOrphanedServer, ensureRunner, findRunner, type RunnerControl } from '../../src/runner/supervisor.ts';
import { reach, type TestApp } from './test-app.ts';
import { makeWorkspace } from './workspace.ts';

const PROGRAMS = fileURLToPath(new URL('../../dist', import.meta.url));

/** A console in a temporary HOME, with a real runner, server, database and git, and real agent processes. */
export interface TestConsole extends TestApp {
  runner: RunnerControl;
  serverPid(): number;
  /** Starts the server if it was stopped, or restarts it with another port or environment. */
  serve(options?: { port?: number; env?: Record<string, string> }): Promise<void>;
}

/**
 * Starts a console with its own data directory, HOME and repository. `env` is added to the server's environment.
 * `runnerProgram` is another build of the runner, and `runnerArgs` are options for the runner.
 */
export async function startConsole(
  options: { env?: Record<string, string>; runnerProgram?: string; runnerArgs?: string[] } = {},
): Promise<TestConsole> {
  const workspace = makeWorkspace(options.env);
  const { home, env } = workspace;
  const program = options.runnerProgram ?? join(PROGRAMS, 'runner.js');
  const runner = await ensureRunner({ home, program, programArgs: options.runnerArgs ?? [] });
  const running = { port: 0 };
  async function serve(next: { port?: number; env?: Record<string, string> } = {}): Promise<void> {
    const settings = { script: join(PROGRAMS, 'server.js'), args: [], env: { ...env, ...next.env }, host: null };
    const { port } = await runner.runServer({ ...settings, port: next.port ?? running.port });
    running.port = port;
  }
  await serve();
  return Object.assign(await reach(workspace, () => running.port), {
    runner,
    serverPid: () => (JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { pid: number }).pid,
    serve,
    async close() {
      await (await findRunner(home))?.stopAll();
      runner.close();
      // Ends a server whose runner has ended, because it could otherwise write to the folder while the folder is
      // removed.
      await endOrphanedServer(home);
      workspace.remove();
    },
  });
}
