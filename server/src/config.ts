import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import packageJson from '../package.json' with { type: 'json' };

/** Version of the console, as reported by all surfaces. */
export const VERSION: string = packageJson.version;
const DEFAULT_PORT = 3457;

/** Address and access settings, used by the server and by the code that starts it. */
export interface Config {
  /** Absolute path of the data directory, which may not exist yet. */
  home: string;
  /** Port to listen on; 0 picks a free port. */
  port: number;
  /** An address to bind, or null for this machine's loopback addresses. */
  host: string | null;
  /** How callers are identified. `peer`: by their process or by a token. `token`: only by a token. */
  auth: 'peer' | 'token';
  /**
   * Host names that are accepted in requests, in addition to the names of the loopback interface. Empty with `peer`,
   * because extra host names require a token from every caller.
   */
  extraHosts: readonly string[];
  /** Whether callers may come through a proxy: with `token`, if `AGENT_CONSOLE_HOSTS` names a host. */
  isProxied: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
const ANY = ['0.0.0.0', '::'];

/** Returns the data directory: `AGENT_CONSOLE_HOME`, or `~/.agent-console`. */
export function homeOf(env: Env): string {
  const given = env.AGENT_CONSOLE_HOME;
  if (given === undefined || given === '') return join(homedir(), '.agent-console');
  return isAbsolute(given) ? given : resolve(given);
}

/**
 * Reads the configuration from flags and the environment.
 * @throws VALIDATION for an invalid value; PERMISSION_DENIED for an address that others could reach without a token;
 * UNSUPPORTED on Windows.
 */
export function readConfig(
  env: Env,
  flags: { port?: string | undefined; host?: string | undefined } = {},
  platform: NodeJS.Platform = process.platform,
): Config {
  refuseWindows(platform);
  const auth = authOf(env.AGENT_CONSOLE_AUTH ?? '');
  const host = hostOf(flags.host ?? env.HOST, auth);
  const named = (env.AGENT_CONSOLE_HOSTS ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const own = host === null || ANY.includes(host) ? '' : host.includes(':') ? `[${host}]` : host;
  return {
    home: homeOf(env),
    port: portOf(flags.port ?? env.PORT ?? String(DEFAULT_PORT)),
    host,
    auth,
    extraHosts: auth === 'token' ? [...named, own].filter((name) => name !== '') : [],
    isProxied: auth === 'token' && named.length > 0,
  };
}

/** @throws UNSUPPORTED on Windows, which has no process groups and cannot identify peer processes. */
export function refuseWindows(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'win32') return;
  throw new ConsoleError(
    'UNSUPPORTED',
    'Agent Console does not run on Windows itself; run it inside WSL 2 (https://learn.microsoft.com/windows/wsl).',
  );
}

function authOf(auth: string): Config['auth'] {
  if (auth === 'token') return 'token';
  if (auth === '') return 'peer';
  throw new ConsoleError(
    'VALIDATION',
    'AGENT_CONSOLE_AUTH has an invalid value. Set it to "token", or leave it unset.',
  );
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ConsoleError('VALIDATION', `"${text}" is not a port: use a number from 0 to 65535 (--port or PORT).`);
}

function hostOf(host: string | undefined, auth: Config['auth']): string | null {
  if (host === undefined || host === '' || host === 'localhost') return null;
  const address = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (LOOPBACK.includes(address) || auth === 'token') return address;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    `Listening on ${host} lets other machines reach the console, so every caller must then have a token. Start the console with AGENT_CONSOLE_AUTH=token and AGENT_CONSOLE_HOSTS=<host names that callers use>, or do not set a host (--host or HOST).`,
  );
}
