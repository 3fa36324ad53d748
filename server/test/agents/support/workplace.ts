import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import {
  type AgentTerminal,
  IDLE,
  openAgentObject,
  openAgentTerminal,
  type RealAgentTerminal,
} from './agent-terminal.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/scripted-agent.js', import.meta.url));

interface Workplace<T extends AgentTerminal> {
  /** Folder of this test; HOME, transcript and working folder are in it. */
  readonly folder: string;
  readonly cwd: string;
  readonly transcript: string;
  /** Starts the agent and waits until it is ready for input. */
  start(args?: string[], env?: Record<string, string>): Promise<T>;
  /** Starts the agent without waiting until it is ready. */
  open(args?: string[], env?: Record<string, string>): T;
  git(...args: string[]): string;
  /** Makes the working folder a repository with one commit. */
  repository(): void;
  /** Returns the texts of one role in the transcript, in order. */
  messages(role: 'user' | 'agent'): string[];
}

type OpenAgent<T> = (args: string[], cwd: string, env: Record<string, string>) => T;

/**
 * Gives each test its own folder, and ends the agents that the test started. Each agent is a process in a real
 * terminal.
 */
export function useWorkplace() {
  const { workplace, opened } = makeWorkplace<RealAgentTerminal>((args, cwd, env) =>
    openAgentTerminal(process.execPath, [PROGRAM, ...args], cwd, env),
  );
  return Object.assign(workplace, {
    program: PROGRAM,
    /** Starts another program in the terminal, e.g. a shell that starts the agent. */
    openWith: (file: string, args: string[], env: Record<string, string> = {}) =>
      opened((cwd, environment) => openAgentTerminal(file, args, cwd, { ...environment, ...env })),
  });
}

/** Like `useWorkplace`, but the agent is an object in the process of the test, without a terminal. */
export function useWorkplaceInProcess(): Workplace<AgentTerminal> {
  return makeWorkplace(openAgentObject).workplace;
}

function makeWorkplace<T extends AgentTerminal>(openAgent: OpenAgent<T>) {
  let folder = '';
  let terminals: T[] = [];
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'scripted-')));
    await mkdir(join(folder, 'work'));
    await mkdir(join(folder, 'home'));
    terminals = [];
  });
  afterEach(async () => {
    for (const terminal of terminals) {
      try {
        terminal.kill('SIGKILL');
      } catch {
        // Killing fails if the program has already ended.
      }
      await terminal.ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    TERM: 'xterm-256color',
    GIT_CONFIG_NOSYSTEM: '1',
  });
  function opened(open: (cwd: string, env: Record<string, string>) => T): T {
    const terminal = open(workplace.cwd, environment());
    terminals.push(terminal);
    return terminal;
  }
  const workplace: Workplace<T> = {
    get folder() {
      return folder;
    },
    get cwd() {
      return join(folder, 'work');
    },
    get transcript() {
      return join(folder, 'transcripts', 'one.jsonl');
    },
    open: (args = ['--transcript', workplace.transcript], env = {}) =>
      opened((cwd, environment) => openAgent(args, cwd, { ...environment, ...env })),
    async start(args, env) {
      const terminal = workplace.open(args, env);
      await terminal.expect(IDLE);
      return terminal;
    },
    git: (...args) => execFileSync('git', args, { cwd: workplace.cwd, env: environment(), encoding: 'utf8' }).trim(),
    repository() {
      workplace.git('init', '--quiet', '--initial-branch=main');
      workplace.git(
        '-c',
        'user.name=T',
        '-c',
        'user.email=t@localhost',
        'commit',
        '--quiet',
        '--allow-empty',
        '-m',
        'start',
      );
    },
    messages: (role) =>
      readFileSync(workplace.transcript, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .filter((entry) => entry.role === role)
        .map((entry) => entry.text),
  };
  return { workplace, opened };
}
