import { homeOf, readConfig } from '../../config.ts';
import { baseUrlOf, type ConsoleAddress, namedAddress, runningAddress } from './find-console.ts';
import { startServer } from './launch.ts';

/**
 * Returns the address of the console to connect to. Starts the console if the data directory has none. Does not read
 * the cli-token file, because an agent that was started outside the console must not act as the owner.
 */
export async function findOrStart(url: string | undefined, programs: string): Promise<ConsoleAddress> {
  const { env } = process;
  if (url !== undefined || env.AGENT_CONSOLE_BASE_URL) return namedAddress(env, url);
  const running = await runningAddress(env, homeOf(env));
  if (running !== undefined) return running;
  const { runner, hosts, port } = await startServer(readConfig(env), programs, env);
  runner.close();
  const baseUrl = baseUrlOf(hosts, port);
  process.stderr.write(`Started Agent Console at ${baseUrl}\n`);
  return { baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined };
}
