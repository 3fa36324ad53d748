import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { CLIENT_RETRY_PAUSE_MAX_MS } from '@agent-console/shared/limits/calls';
import * as v from 'valibot';
import { homeOf } from '../../config.ts';
import { type ConsoleClient, createClient } from './client.ts';

type Env = Readonly<Record<string, string | undefined>>;

const ServerFile = v.object({
  host: v.optional(v.string(), '127.0.0.1'),
  port: v.number(),
  pid: v.number(),
  version: v.string(),
});

/** Reads `<home>/server.json`. Returns undefined if the file is missing or unreadable. */
export async function readServerFile(home: string): Promise<v.InferOutput<typeof ServerFile> | undefined> {
  const text = await readFile(join(home, 'server.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return v.parse(ServerFile, JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Returns `AGENT_CONSOLE_TOKEN` or the contents of `<home>/cli-token`, which the server writes if it cannot identify
 * callers by their process. Workers never read that file, because it contains the owner's token.
 */
async function ownerToken(env: Env, home: string): Promise<string | undefined> {
  if (env.AGENT_CONSOLE_TOKEN) return env.AGENT_CONSOLE_TOKEN;
  if (env.AGENT_CONSOLE_WORKER_ID) return undefined;
  const text = await readFile(join(home, 'cli-token'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/**
 * Returns the address of a data directory's console from `server.json`, even if the console is not running, with the
 * owner's token if needed. Returns undefined if there is no `server.json`.
 */
export async function ownerAddress(env: Env, home: string): Promise<ConsoleAddress | undefined> {
  const file = await readServerFile(home);
  if (file === undefined) return undefined;
  return { baseUrl: baseUrlOf([file.host], file.port), token: await ownerToken(env, home) };
}

/** Returns the URL that this machine uses to reach a server that listens on `hosts`. */
export function baseUrlOf(hosts: readonly string[], port: number): string {
  const hasLoopback = hosts.some((host) => host === '127.0.0.1' || host === '0.0.0.0' || host === '::');
  const host = hasLoopback ? '127.0.0.1' : (hosts[0] ?? '127.0.0.1');
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Creates a client for the server of a data directory, with the owner's token if needed. */
export async function clientFor(env: Env, home: string, baseUrl: string): Promise<ConsoleClient> {
  const insideWorker = Boolean(env.AGENT_CONSOLE_WORKER_ID);
  return createClient({ baseUrl, token: await ownerToken(env, home), insideWorker });
}

/** Creates a client for a server that was just started or found. */
export function clientOf(
  { hosts, port }: { hosts: readonly string[]; port: number },
  env: Env,
  home: string,
): Promise<ConsoleClient> {
  return clientFor(env, home, baseUrlOf(hosts, port));
}

export interface ConsoleAddress {
  baseUrl: string;
  /**
   * Bearer token: `AGENT_CONSOLE_TOKEN`, or the content of the `cli-token` file. Undefined if the caller is identified
   * by its process.
   */
  token: string | undefined;
}

/** Returns the address in `url` or in `AGENT_CONSOLE_BASE_URL`. @throws VALIDATION if the value is not a base URL. */
export function namedAddress(env: Env, url?: string): ConsoleAddress {
  const baseUrl = url ?? (env.AGENT_CONSOLE_BASE_URL || '');
  if (!/^https?:\/\/[^/]+\/?$/.test(baseUrl)) {
    throw new ConsoleError(
      'VALIDATION',
      `"${baseUrl}" is not a console URL. Use a URL without a path, such as http://127.0.0.1:3457.`,
    );
  }
  // The cli-token file is not used, because it belongs to the console of the data directory and must not be sent to any
  // other console.
  return { baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined };
}

/** Returns the address of a data directory's console, or undefined if its server does not answer. */
export async function runningAddress(env: Env, home: string): Promise<ConsoleAddress | undefined> {
  const file = await readServerFile(home);
  if (file === undefined) return undefined;
  const baseUrl = baseUrlOf([file.host], file.port);
  const isUp = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(CLIENT_RETRY_PAUSE_MAX_MS) }).then(
    (response) => response.ok,
    () => false,
  );
  return isUp ? { baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined } : undefined;
}

export async function findConsole(env: Env, url?: string): Promise<ConsoleClient> {
  return createClient({ ...(await findAddress(env, url)), insideWorker: Boolean(env.AGENT_CONSOLE_WORKER_ID) });
}

/**
 * Returns `url`, else `AGENT_CONSOLE_BASE_URL`, else the address in the data directory's `server.json`, without
 * checking whether that console still runs.
 * @throws RUNNER_UNAVAILABLE if there is no `server.json`, VALIDATION for an invalid URL.
 */
export async function findAddress(env: Env, url?: string): Promise<ConsoleAddress> {
  if (url !== undefined || env.AGENT_CONSOLE_BASE_URL) return namedAddress(env, url);
  const home = homeOf(env);
  const address = await ownerAddress(env, home);
  if (address !== undefined) return address;
  throw new ConsoleError(
    'RUNNER_UNAVAILABLE',
    `No console is running in ${home}. Start one with \`agent-console serve\`, or pass another URL with --url.`,
  );
}
