import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { EXAMPLE_PROMPT } from '@agent-console/shared/example-task';
import type { ConsoleClient } from './client.ts';
import { clientOf } from './find-console.ts';
import type { RunningServer } from './launch.ts';
import { print, withNpx } from './output.ts';

/**
 * Prints the address of the console, how to open it, and a first command to try. Registers the repository that contains
 * the cwd. In a terminal, also opens the dashboard in a browser.
 */
export async function printIntroduction(
  { port, pid, hosts }: Pick<RunningServer, 'port' | 'pid' | 'hosts'>,
  home: string,
): Promise<void> {
  const client = await clientOf({ hosts, port }, process.env, home);
  print(`Agent Console at ${client.baseUrl} (server ${pid}, data in ${home})`);
  try {
    const repositoryId = await registerCheckout(client, process.cwd());
    const link = await loginLink(client);
    print(`Dashboard: ${link}`);
    print(withNpx('  (valid once, for a minute; `agent-console open` prints a new link)'));
    if (process.stdout.isTTY) openInBrowser(link, process.env);
    if (repositoryId === undefined) {
      print(withNpx('No repository is registered. Add one: agent-console repositories create --path /absolute/path'));
    } else {
      print(`Try it:\n  ${sampleCurl(port, repositoryId)}`);
    }
  } catch (error) {
    if (!(error instanceof ConsoleError) || error.code !== 'UNAUTHENTICATED') throw error;
    print(`The console could not identify this process: ${error.message}`);
  }
}

/**
 * Registers the repository that contains `folder` and returns its id. If that is not possible, returns the id of any
 * registered repository; undefined if there is none.
 */
async function registerCheckout(client: ConsoleClient, folder: string): Promise<string | undefined> {
  const path = findCheckout(folder);
  if (path !== undefined) {
    try {
      const made = await client.call('repositories.create', { path });
      if ('id' in made) {
        print(`Registered the repository ${made.name}, because the console was started in ${made.path}`);
        return made.id;
      }
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      // CONFLICT means that the repository is already registered, and its id is in the details. Other failures are only
      // printed.
      if (error.code !== 'CONFLICT') print(`Could not register the repository at ${path}: ${error.message}`);
      if (typeof error.details.repositoryId === 'string') return error.details.repositoryId;
    }
  }
  return (await client.call('repositories.list', { limit: 1 })).data[0]?.id;
}

function findCheckout(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findCheckout(parent);
}

function sampleCurl(port: number, repositoryId: string): string {
  const body = JSON.stringify({ repositoryId, agentId: 'scripted', prompt: EXAMPLE_PROMPT });
  return `curl -s http://127.0.0.1:${port}/api/delegations -H 'Content-Type: application/json' -d '${body}'`;
}

/**
 * Creates a link that logs in to the dashboard. Its one-time code is in the fragment, which browsers do not send to
 * servers or logs.
 */
export async function loginLink(client: ConsoleClient): Promise<string> {
  const { code } = await client.call('login.open', {});
  return `${client.baseUrl}/#code=${encodeURIComponent(code)}`;
}

/** Opens a link in the desktop's browser. Does nothing without a desktop. */
export function openInBrowser(link: string, env: NodeJS.ProcessEnv): void {
  const isMac = process.platform === 'darwin';
  if (!isMac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return;
  const child = spawn(isMac ? 'open' : 'xdg-open', [link], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
