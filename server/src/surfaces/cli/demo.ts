import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import type { ConsoleClient } from './client.ts';
import { type Started, startServer } from './local.ts';
import { print, reportError } from './output.ts';

/** The whole demonstration takes a few seconds; more than this is a failure. */
const DEMO_LIMIT_MS = 120_000;
const LOOK_MS = 150;

export function addDemo(cli: Command, programs: string): void {
  cli
    .command('demo')
    .description('Show an agent that delegates two tasks, hears of their ends and merges them; needs no account')
    .action(async () => {
      process.exitCode = await runDemo(programs, process.env);
    });
}

/** The work of a child: a file, a commit, a report. */
const childPrompt = (file: string, line: string) =>
  `@write ${file} ${line}\n@commit Add ${file}\n@report succeeded ${file} is committed`;

const CHILDREN = [
  { branch: 'demo/one', file: 'one.txt', line: 'the first child was here' },
  { branch: 'demo/two', file: 'two.txt', line: 'the second child was here' },
] as const;

const PARENT_PROMPT = [
  ...CHILDREN.map(({ branch, file, line }) => {
    const input = { prompt: childPrompt(file, line), branch, agentId: 'scripted', title: branch };
    return `@tool delegate_to_worktree ${JSON.stringify(input)}`;
  }),
  '@after 2',
  ...CHILDREN.map(({ branch }) => `@merge ${branch}`),
  '@say both branches are merged',
].join('\n');

/**
 * Runs the demonstration in a data directory and a repository of its own, on a free port, and removes everything it
 * started, also after a failure or Ctrl-C. Answers with the exit status: 0 when both files are on the main checkout.
 */
async function runDemo(programs: string, env: NodeJS.ProcessEnv): Promise<number> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const limit = setTimeout(() => stop.abort(new Error(`not done after ${DEMO_LIMIT_MS / 1000} s`)), DEMO_LIMIT_MS);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-console-demo-')));
  let started: Started | undefined;
  try {
    const say = narrator();
    const repository = join(folder, 'repository');
    await makeRepository(repository);
    say(`a git repository with one commit: ${repository}`);
    const own = { ...env, AGENT_CONSOLE_HOME: join(folder, 'home'), AGENT_CONSOLE_AUTH: '', HOST: '', PORT: '0' };
    started = await startServer(readConfig(own), programs, own);
    say(`the console runs at ${started.client.baseUrl}`);
    await play(started.client, repository, say, stop.signal);
    return 0;
  } catch (error) {
    return Math.min(reportError(error, false), 1);
  } finally {
    clearTimeout(limit);
    // A stop that fails leaves its runner to end by itself: its data directory goes next.
    await started?.runner.stopAll().catch(() => {});
    started?.runner.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** Prints a line with its time; `at` is when it happened, where that is not now. */
type Say = (text: string, at?: string) => void;

function narrator(): Say {
  const begun = Date.now();
  return (text, at) => {
    const seconds = ((at === undefined ? Date.now() : Date.parse(at)) - begun) / 1000;
    print(`${seconds.toFixed(2).padStart(6)} s  ${text}`);
  };
}

async function makeRepository(path: string): Promise<void> {
  await mkdir(path);
  await writeFile(join(path, 'README.md'), '# Demo\n');
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Agent Console Demo', '-c', 'user.email=demo@localhost', ...args], {
      cwd: path,
    });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--', 'README.md');
  await git('commit', '--quiet', '--no-gpg-sign', '--message=Begin');
}

async function play(client: ConsoleClient, repository: string, say: Say, stop: AbortSignal): Promise<void> {
  const registered = await client.call('repositories.create', { path: repository });
  if (!('id' in registered)) throw new Error('the repository was not registered');
  const worktrees = await client.call('worktrees.list', { repositoryId: registered.id });
  const main = worktrees.data.find((worktree) => worktree.kind === 'main');
  if (main === undefined) throw new Error('the main checkout is not listed');
  const parent = await client.call('sessions.create', { worktreeId: main.id, agentId: 'scripted', title: 'parent' });
  say('a session "parent" in the main checkout, with the built-in agent "scripted"; its prompt:');
  for (const line of PARENT_PROMPT.split('\n')) print(`          ${line}`);
  await client.call('sessions.prompt', { sessionId: parent.id, prompt: PARENT_PROMPT });
  await follow(client, parent.id, say, stop, async () => {
    const there = await Promise.all(
      CHILDREN.map(({ file }) =>
        access(join(repository, file)).then(
          () => true,
          () => false,
        ),
      ),
    );
    return there.every(Boolean);
  });
  say(`${CHILDREN.map(({ file }) => file).join(' and ')} are on the main checkout: done`);
}

/** Tells what happens to the parent and its children until the parent ended a turn after which `done` holds. */
async function follow(
  client: ConsoleClient,
  parentId: string,
  say: Say,
  stop: AbortSignal,
  done: () => Promise<boolean>,
): Promise<void> {
  const names = new Map([[parentId, 'parent']]);
  const cursors = new Map<string, number>();
  for (;;) {
    stop.throwIfAborted();
    const { data: delegations } = await client.call('delegations.list', { parentSessionId: parentId });
    for (const { sessionId, branch, state, error } of delegations) {
      names.set(sessionId, branch);
      if (state === 'rejected')
        throw new Error(`the delegation of ${branch} failed: ${error?.message ?? 'no reason given'}`);
    }
    const fresh: { name: string; event: ConsoleEvent; own: boolean }[] = [];
    for (const [sessionId, name] of names) {
      const { data } = await client.call('sessions.events', { sessionId, after: cursors.get(sessionId) ?? 0 });
      const last = data.at(-1);
      if (last !== undefined) cursors.set(sessionId, last.seq);
      fresh.push(...data.map((event) => ({ name, event, own: sessionId === parentId })));
    }
    fresh.sort((a, b) => a.event.seq - b.event.seq);
    for (const { name, event } of fresh) {
      const words = tell(event, names);
      if (words !== undefined) say(`${name}: ${words}`, event.at);
      if (event.type === 'task.ended' && event.data.status !== 'completed')
        throw new Error(`the task of ${name} ended ${event.data.status}`);
    }
    if (fresh.some(({ own, event }) => own && event.type === 'task.ended') && (await done())) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** One event in plain words, or undefined where it says nothing new. */
function tell({ type, data }: ConsoleEvent, names: ReadonlyMap<string, string>): string | undefined {
  const about = names.get(String(data.aboutSessionId)) ?? 'another session';
  const isNotice = data.kind === 'notice';
  switch (type) {
    case 'delegation.advanced':
      if (data.state === 'creating_worktree') return 'delegated; its worktree and branch are being made';
      return data.state === 'starting_agent' ? 'the worktree is ready, its agent starts' : undefined;
    case 'worker.started':
      return 'an agent process runs';
    case 'task.started':
      return isNotice ? 'reads its notices' : 'begins its task';
    case 'task.ended':
      if (isNotice) return 'has dealt with them';
      return data.outcomeSource === 'report' ? 'reports that its task succeeded' : 'has ended its turn';
    case 'notice.created':
      return `is told that ${about} ${data.status}`;
    case 'notice.delivered':
      return `has taken the notice about ${about}`;
    default:
      return undefined;
  }
}
