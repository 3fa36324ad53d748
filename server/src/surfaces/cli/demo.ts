import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import type { ConsoleClient } from './client.ts';
import { orchestrate } from './demo-orchestration.ts';
import { helpWith } from './examples.ts';
import { clientOf } from './find-console.ts';
import { runGit } from './git.ts';
import { type RunningServer, startServer } from './launch.ts';
import { print, reportError } from './output.ts';

/** Time limit of the demo in milliseconds. The demo normally takes a few seconds. */
const DEMO_LIMIT_MS = 120_000;
const POLL_MS = 150;

export function addDemo(cli: Command, programs: string): void {
  cli
    .command('demo')
    .description(
      'Run a demo: an agent delegates two tasks and integrates the results, and an orchestration runs (no account needed)',
    )
    .addHelpText('after', helpWith(['demo']))
    .action(async () => {
      process.exitCode = await runDemo(programs, process.env);
    });
}

/** Returns a prompt for the scripted agent to write a file, commit it and report the result. */
const childPrompt = (file: string, line: string) =>
  `@write ${file} ${line}\n@commit Add ${file}\n@report succeeded ${file} is committed`;

const DEMO_TASKS = [
  { branch: 'demo/one', file: 'one.txt', line: 'written by the first child' },
  { branch: 'demo/two', file: 'two.txt', line: 'written by the second child' },
] as const;

const PARENT_PROMPT = [
  ...DEMO_TASKS.map(({ branch, file, line }) => {
    const input = { prompt: childPrompt(file, line), branch, agentId: 'scripted', title: branch };
    return `@tool delegate_to_worktree ${JSON.stringify(input)}`;
  }),
  '@after 2',
  ...DEMO_TASKS.map((_, at) => {
    const cleanup = { archiveSessions: true, removeWorktree: true, deleteBranch: true };
    return `@tool integrate_worktree {"worktreeId":"{{${at + 1}.worktreeId}}","cleanup":${JSON.stringify(cleanup)}}`;
  }),
  '@say both branches are integrated',
].join('\n');

/**
 * Runs the demo in a temporary data directory and repository on a free port, and removes them afterwards, even after a
 * failure or Ctrl-C. Returns the exit status, which is 0 if the delegated work is integrated and the orchestration
 * completed.
 */
async function runDemo(programs: string, env: NodeJS.ProcessEnv): Promise<number> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error('Interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const limit = setTimeout(
    () => stop.abort(new Error(`The demo did not finish within ${DEMO_LIMIT_MS / 1000} s`)),
    DEMO_LIMIT_MS,
  );
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-console-demo-')));
  let started: RunningServer | undefined;
  try {
    const narrate = createNarrator();
    const repository = join(folder, 'repository');
    await makeRepository(env, repository);
    narrate(`created a git repository with one commit: ${repository}`);
    const own = { ...env, AGENT_CONSOLE_HOME: join(folder, 'home'), AGENT_CONSOLE_AUTH: '', HOST: '', PORT: '0' };
    const config = readConfig(own);
    started = await startServer(config, programs, own);
    const client = await clientOf(started, own, config.home);
    narrate(`started a console at ${client.baseUrl}`);
    await play(client, repository, narrate, stop.signal);
    return 0;
  } catch (error) {
    return Math.min(reportError(error, false), 1);
  } finally {
    clearTimeout(limit);
    // If the runner cannot be stopped, it ends by itself once its data directory is gone.
    await started?.runner.stopAll().catch(() => {});
    started?.runner.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** Prints a line with the seconds since the start. `at` is the time of the event; default: now. */
type Narrate = (text: string, at?: string) => void;

function createNarrator(): Narrate {
  const start = Date.now();
  return (text, at) => {
    const seconds = ((at === undefined ? Date.now() : Date.parse(at)) - start) / 1000;
    print(`${seconds.toFixed(2).padStart(6)} s  ${text}`);
  };
}

async function makeRepository(env: NodeJS.ProcessEnv, path: string): Promise<void> {
  await mkdir(path);
  await writeFile(join(path, 'README.md'), '# Demo\n');
  const git = (...args: string[]) => runGit(env, args, path);
  await git('init', '--quiet', '--template=', '--initial-branch=main');
  // An integration creates a commit in the user's name. The user's git configuration may not contain a name, so the
  // repository of the demo gets one.
  await git('config', 'user.name', 'Agent Console Demo');
  await git('config', 'user.email', 'demo@localhost');
  // Commits in this repository must not run hooks from the user's git configuration.
  await git('config', 'core.hooksPath', '/dev/null');
  await git('add', '--', 'README.md');
  await git('commit', '--quiet', '--no-gpg-sign', '--message=Begin');
}

async function play(client: ConsoleClient, repository: string, narrate: Narrate, stop: AbortSignal): Promise<void> {
  const registered = await client.call('repositories.create', { path: repository });
  if (!('id' in registered)) throw new Error('The demo repository was not registered');
  const worktrees = await client.call('worktrees.list', { repositoryId: registered.id });
  const main = worktrees.data.find((worktree) => worktree.kind === 'main');
  if (main === undefined) throw new Error('The list of worktrees does not contain the main checkout');
  await client.call('repositories.update', { repositoryId: registered.id, agentsMayIntegrate: true });
  const parent = await client.call('sessions.create', { worktreeId: main.id, agentId: 'scripted', title: 'parent' });
  narrate('created the session "parent" in the main checkout, with the built-in agent "scripted"; its prompt:');
  for (const line of PARENT_PROMPT.split('\n')) print(`          ${line}`);
  await client.call('sessions.prompt', { sessionId: parent.id, prompt: PARENT_PROMPT });
  const isMerged = () => DEMO_TASKS.every(({ file }) => existsSync(join(repository, file)));
  await follow(client, parent.id, narrate, stop, isMerged);
  narrate(`done: the main checkout contains ${DEMO_TASKS.map(({ file }) => file).join(' and ')}`);
  await orchestrate(client, registered.id, narrate, stop);
}

/**
 * Prints the events of the parent session and its children until a task of the parent ends and `isDone` returns true.
 */
async function follow(
  client: ConsoleClient,
  parentId: string,
  narrate: Narrate,
  stop: AbortSignal,
  isDone: () => boolean,
): Promise<void> {
  const names = new Map([[parentId, 'parent']]);
  const cursors = new Map<string, number>();
  for (;;) {
    stop.throwIfAborted();
    const { data: delegations } = await client.call('delegations.list', { parentSessionId: parentId });
    for (const { sessionId, branch, state, error } of delegations) {
      names.set(sessionId, branch);
      if (state === 'rejected')
        throw new Error(`The delegation of ${branch} failed: ${error?.message ?? 'unknown reason'}`);
    }
    const news: { name: string; event: ConsoleEvent; own: boolean }[] = [];
    for (const [sessionId, name] of names) {
      const { data } = await client.call('sessions.events', { sessionId, after: cursors.get(sessionId) ?? 0 });
      const last = data.at(-1);
      if (last !== undefined) cursors.set(sessionId, last.seq);
      news.push(...data.map((event) => ({ name, event, own: sessionId === parentId })));
    }
    news.sort((a, b) => a.event.seq - b.event.seq);
    for (const { name, event } of news) {
      const text = describe(event, names);
      if (text !== undefined) narrate(`${name}: ${text}`, event.at);
      if (event.type === 'task.ended' && event.data.status !== 'completed')
        throw new Error(`The task of ${name} ended with status ${event.data.status}`);
    }
    if (news.some(({ own, event }) => own && event.type === 'task.ended') && isDone()) return;
    await delay(POLL_MS);
  }
}

/** Returns a sentence about an event, or undefined for events that the demo does not print. */
function describe({ type, data }: ConsoleEvent, names: ReadonlyMap<string, string>): string | undefined {
  const about = names.get(String(data.aboutSessionId)) ?? 'another session';
  const isNotice = data.kind === 'notice';
  switch (type) {
    case 'delegation.advanced':
      if (data.state === 'creating_worktree') return 'delegated; creating its worktree and branch';
      return data.state === 'starting_agent' ? 'worktree ready; starting its agent' : undefined;
    case 'worker.started':
      return 'agent started';
    case 'task.started':
      return isNotice ? 'started a turn for its notices' : 'started its task';
    case 'task.ended':
      if (isNotice) return 'ended the turn for its notices';
      return data.outcomeSource === 'report' ? 'reported success' : 'ended its turn';
    case 'notice.created':
      return `will be notified that ${about} ${data.status}`;
    case 'notice.delivered':
      return `received the notice about ${about}`;
    default:
      return undefined;
  }
}
