import { homeOf, readConfig } from '../../config.ts';
import { findRunner } from '../../runner/supervisor.ts';
import { baseUrlOf, type ConsoleAddress, namedAddress, runningAddress } from './find-console.ts';
import { startServer } from './launch.ts';

/**
 * Returns the address of the console to connect to. Starts the console if the data directory has none. Does not read
 * the cli-token file, because an agent that was started outside the console must not act as the owner.
 */
export async function findOrStart(
  url: string | undefined,
  programs: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ConsoleAddress> {
  if (url !== undefined || env.AGENT_CONSOLE_BASE_URL) return namedAddress(env, url);
  const running = (await runningAddress(env, homeOf(env))) ?? (await keptAddress(env, homeOf(env)));
  if (running !== undefined) return running;
  const { runner, hosts, port } = await startServer(readConfig(env), programs, env);
  runner.close();
  const baseUrl = baseUrlOf(hosts, port);
  process.stderr.write(`Started Agent Console at ${baseUrl}\n`);
  return { baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined };
}

/**
 * Returns the address at which the runner keeps a server, or undefined if it keeps none. That server may be busy or
 * about to be restarted, and answers later. It must not be started from here: the runner would replace it by a server
 * with the settings of this process.
 */
async function keptAddress(env: NodeJS.ProcessEnv, home: string): Promise<ConsoleAddress | undefined> {
  const runner = await findRunner(home);
  if (runner === undefined) return undefined;
  try {
    const primary = (await runner.status()).ports.find((port) => port.primary);
    if (primary === undefined) return undefined;
    return { baseUrl: baseUrlOf(primary.hosts, primary.port), token: env.AGENT_CONSOLE_TOKEN || undefined };
  } finally {
    runner.close();
  }
}
