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

/** What `<home>/server.json` says of the running server; undefined when there is none. */
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
 * The owner's token for the console of this data directory: `AGENT_CONSOLE_TOKEN`, else the file that the server leaves
 * where processes are not recognised. Inside a worker the file is not read, since it belongs to the owner.
 */
async function ownToken(env: Env, home: string): Promise<string | undefined> {
  if (env.AGENT_CONSOLE_TOKEN) return env.AGENT_CONSOLE_TOKEN;
  if (env.AGENT_CONSOLE_WORKER_ID) return undefined;
  const text = await readFile(join(home, 'cli-token'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** Where a server that listens on these addresses is reached from this machine. */
export function baseUrlOf(hosts: readonly string[], port: number): string {
  const everywhere = hosts.some((host) => host === '127.0.0.1' || host === '0.0.0.0' || host === '::');
  const host = everywhere ? '127.0.0.1' : (hosts[0] ?? '127.0.0.1');
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A client for the server that runs in this data directory, at an address that is known. */
export async function clientAt(env: Env, home: string, baseUrl: string): Promise<ConsoleClient> {
  const insideWorker = Boolean(env.AGENT_CONSOLE_WORKER_ID);
  return createClient({ baseUrl, token: await ownToken(env, home), insideWorker });
}

/** A console's address, and the token that goes along when one was named. */
export interface Place {
  baseUrl: string;
  token: string | undefined;
}

/** The console that was named: by `url`, else by `AGENT_CONSOLE_BASE_URL`. */
export function placeOf(env: Env, url?: string): Place {
  const baseUrl = url ?? (env.AGENT_CONSOLE_BASE_URL || '');
  if (!/^https?:\/\/[^/]+\/?$/.test(baseUrl)) {
    throw new ConsoleError(
      'VALIDATION',
      `"${baseUrl}" is not the address of a console; it looks like http://127.0.0.1:3457.`,
    );
  }
  // Another console's owner token is not for it, so only one that was named goes along.
  return { baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined };
}

/** The console of a data directory, if its server answers now. */
export async function runningPlace(env: Env, home: string): Promise<Place | undefined> {
  const file = await readServerFile(home);
  if (file === undefined) return undefined;
  const baseUrl = baseUrlOf([file.host], file.port);
  const answers = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(CLIENT_RETRY_PAUSE_MAX_MS) }).then(
    (response) => response.ok,
    () => false,
  );
  return answers ? { baseUrl, token: env.AGENT_CONSOLE_TOKEN || undefined } : undefined;
}

/** The client of a command: `--url`, else `AGENT_CONSOLE_BASE_URL`, else what the data directory says. */
export async function findConsole(env: Env, url?: string): Promise<ConsoleClient> {
  if (url !== undefined || env.AGENT_CONSOLE_BASE_URL) {
    return createClient({ ...placeOf(env, url), insideWorker: Boolean(env.AGENT_CONSOLE_WORKER_ID) });
  }
  const home = homeOf(env);
  const file = await readServerFile(home);
  if (file !== undefined) return clientAt(env, home, baseUrlOf([file.host], file.port));
  throw new ConsoleError(
    'RUNNER_UNAVAILABLE',
    `No console runs in ${home}. Start one with \`agent-console serve\`, or name another with --url.`,
  );
}
