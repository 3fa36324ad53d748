import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Config, VERSION } from '../../config.ts';
import { ensureRunner, type RunnerControl } from '../../runner/supervisor.ts';
import type { ConsoleClient } from './client.ts';
import { asCalled } from './output.ts';
import { baseUrlOf, clientAt } from './place.ts';

/** Variables that belong to one terminal or one run of npm: they say nothing to a server and differ each time. */
const PASSING =
  /^(?:_|PWD|OLDPWD|SHLVL|INIT_CWD|WINDOWID|COLUMNS|LINES|TERM_SESSION_ID|TMUX|TMUX_PANE|STY|SSH_CLIENT|SSH_CONNECTION|SSH_TTY|npm_.*|NODE_CHANNEL_FD|AGENT_CONSOLE_(?:BASE_URL|MCP_URL|SESSION_ID|WORKER_ID|REPOSITORY_ID|TOKEN))$/;

/** The environment the server gets: this one's, without what belongs to a terminal or a worker, and what flags said. */
function serverEnv(env: NodeJS.ProcessEnv, { home, host, port }: Config): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !PASSING.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), AGENT_CONSOLE_HOME: home, HOST: host ?? '', PORT: String(port) };
}

export interface Started {
  runner: RunnerControl;
  port: number;
  pid: number;
  client: ConsoleClient;
}

/** Finds or starts the runner and has it run the server with these settings; resolves when the server answers. */
export async function startServer(config: Config, programs: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const runner = await ensureRunner({ home: config.home, program: join(programs, 'runner.js'), version: VERSION });
  try {
    const { port, pid, hosts } = await runner.runServer({
      script: join(programs, 'server.js'),
      args: [],
      env: serverEnv(env, config),
      host: config.host,
      port: config.port,
    });
    return { runner, port, pid, client: await clientAt(env, config.home, baseUrlOf(hosts, port)) };
  } catch (error) {
    runner.close();
    throw error;
  }
}

/** Makes a login link: its fragment holds a code that works once and never reaches a server's log. */
export async function loginLink(client: ConsoleClient): Promise<string> {
  const { code } = await client.call('login.open', {});
  return `${client.baseUrl}/#code=${encodeURIComponent(code)}`;
}

/** Opens a link in the desktop's browser where there is a desktop; says whether it tried. */
export function openInBrowser(link: string, env: NodeJS.ProcessEnv): boolean {
  const mac = process.platform === 'darwin';
  if (!mac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const child = spawn(mac ? 'open' : 'xdg-open', [link], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
  return true;
}

/** `1 worker keeps running`, `3 workers keep running`: agents and terminals. */
export function workersLiveOn(count: number): string {
  if (count === 0) return 'No agent or terminal was running.';
  const [noun, verb] = count === 1 ? ['worker', 'keeps'] : ['workers', 'keep'];
  return asCalled(
    `${count} ${noun} (agents and terminals) ${verb} running: \`agent-console serve\` shows them again, \`agent-console stop --all\` ends them.`,
  );
}
