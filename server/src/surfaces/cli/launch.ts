import { join } from 'node:path';
import { type Config, VERSION } from '../../config.ts';
import { ensureRunner, type RunnerControl } from '../../runner/supervisor.ts';
import { print, withNpx } from './output.ts';

/**
 * Environment variables that belong to one terminal, one run of npm or one worker. The server does not inherit them.
 */
const TRANSIENT_VARIABLE =
  /^(?:_|PWD|OLDPWD|SHLVL|INIT_CWD|WINDOWID|COLUMNS|LINES|TERM_SESSION_ID|TMUX|TMUX_PANE|STY|SSH_CLIENT|SSH_CONNECTION|SSH_TTY|npm_.*|NODE_CHANNEL_FD|AGENT_CONSOLE_(?:BASE_URL|MCP_URL|SESSION_ID|WORKER_ID|REPOSITORY_ID|TOKEN))$/;

/**
 * Returns the environment of the server: that of this process without TRANSIENT_VARIABLE, and with the given data
 * directory, host and port.
 */
function serverEnv(env: NodeJS.ProcessEnv, { home, host, port }: Config): Record<string, string> {
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !TRANSIENT_VARIABLE.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), AGENT_CONSOLE_HOME: home, HOST: host ?? '', PORT: String(port) };
}

export interface RunningServer {
  runner: RunnerControl;
  port: number;
  pid: number;
  /** Addresses on which the server listens. */
  hosts: readonly string[];
  /** Port of the running server that this one replaced, or null. */
  replacedPort: number | null;
}

/** Finds or starts the runner, and lets it start a server with these settings. Resolves when the server answers. */
export async function startServer(config: Config, programs: string, env: NodeJS.ProcessEnv): Promise<RunningServer> {
  const runner = await ensureRunner({ home: config.home, program: join(programs, 'runner.js'), version: VERSION });
  try {
    const { server: previous } = await runner.status();
    const running = await runner.runServer({
      script: join(programs, 'server.js'),
      args: [],
      env: serverEnv(env, config),
      host: config.host,
      port: config.port,
    });
    const replacedPort = previous === null || previous.pid === running.pid ? null : previous.port;
    return { runner, ...running, replacedPort };
  } catch (error) {
    runner.close();
    throw error;
  }
}

/** Prints that a start replaced the server that was running, and on which port that server was. */
export function printReplacement({ replacedPort, port }: RunningServer): void {
  if (replacedPort === null) return;
  const was = replacedPort === port ? 'on the same port' : `which listened on port ${replacedPort}`;
  print(`Replaced the running server, ${was}.`);
}

/** Returns a sentence about the workers that keep running after the server was stopped. */
export function describeWorkers(count: number): string {
  if (count === 0) return 'No agent or terminal was running.';
  const [noun, verb] = count === 1 ? ['worker', 'keeps'] : ['workers', 'keep'];
  return withNpx(
    `${count} ${noun} (agents and terminals) ${verb} running. \`agent-console serve\` reconnects to them; \`agent-console stop --all\` ends them.`,
  );
}
