import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_ANSWER_MAX_BYTES, PROGRAM_ANSWER_MS } from '@agent-console/shared/limits/agents';
import type { AgentPrograms, Installation, LoginSignals } from '../ports/agents.ts';
import type { Host } from '../ports/host.ts';
import { personsPath } from './persons-path.ts';

const NOTHING: Installation = { version: null, help: null };
/** Keep programs from calling home while they are asked who they are. */
const QUIET = {
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  NO_UPDATE_NOTIFIER: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
};
/** Asks agents' programs for version and help, in the background and once per version of their file. */
export function createAgentPrograms(options: {
  host: Pick<Host, 'which'>;
  environment: Readonly<Record<string, string | undefined>>;
}): AgentPrograms {
  const { host, environment } = options;
  /** By command; the stamp changes with the file behind it. */
  const answers = new Map<string, { stamp: string; answer: Promise<Installation>; settled: Installation }>();

  async function learn(command: readonly string[]): Promise<Installation> {
    const [program, ...args] = command;
    const file = program === undefined ? null : await host.which(program);
    if (file === null) return NOTHING;
    const path = await realpath(file);
    const { mtimeMs, size } = await stat(path);
    const key = JSON.stringify(command);
    const stamp = `${path} ${mtimeMs} ${size}`;
    const there = answers.get(key);
    if (there?.stamp === stamp) return there.answer;
    const entry = { stamp, answer: ask(file, args), settled: NOTHING };
    answers.set(key, entry);
    entry.settled = await entry.answer;
    return entry.settled;
  }

  async function ask(file: string, args: readonly string[]): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'agent-console-ask-'));
    try {
      const asked = await answersIn(folder, file, args);
      // Where versions are managed by a shim, it looks for them in the real one.
      const home = environment.HOME ?? homedir();
      return asked.version === null && asked.help === null ? await answersIn(home, file, args) : asked;
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
    }
  }

  async function answersIn(home: string, file: string, args: readonly string[]): Promise<Installation> {
    const [version, help] = await Promise.all(['--version', '--help'].map((flag) => run(home, file, [...args, flag])));
    return { version: /\d+\.\d+(?:\.\d+)?(?:[-+][\w.-]+)?/.exec(version ?? '')?.[0] ?? null, help: help ?? null };
  }

  async function run(home: string, file: string, args: string[]): Promise<string | null> {
    const { PATH = '' } = environment;
    try {
      const { stdout } = await promisify(execFile)(file, args, {
        cwd: tmpdir(),
        env: { PATH, HOME: home, ...QUIET },
        timeout: PROGRAM_ANSWER_MS,
        killSignal: 'SIGKILL',
        maxBuffer: PROGRAM_ANSWER_MAX_BYTES,
      });
      return stdout.trim() === '' ? null : stdout;
    } catch {
      return null;
    }
  }

  const pathOf = (name: string) => personsPath(environment, name);

  async function fileSaysYes({ path, keys }: LoginSignals['files'][number]): Promise<boolean> {
    const text = await readFile(pathOf(path), 'utf8').catch(() => undefined);
    if (text === undefined || keys.length === 0) return text !== undefined && text.trim() !== '';
    try {
      const said: unknown = JSON.parse(text);
      return typeof said === 'object' && said !== null && keys.some((key) => key in said);
    } catch {
      return false;
    }
  }

  return {
    known(command) {
      void learn(command).catch(() => undefined);
      return answers.get(JSON.stringify(command))?.settled ?? NOTHING;
    },
    learn: (command) => learn(command).catch(() => NOTHING),
    async loggedIn(signs) {
      if (signs === null) return 'yes';
      if (signs.variables.some((name) => (environment[name] ?? '') !== '')) return 'yes';
      for (const file of signs.files) if (await fileSaysYes(file)) return 'yes';
      // A program that was used here may keep its log-in in a key ring, or know a helper that fetches keys.
      return (await stat(pathOf(signs.trace)).catch(() => undefined)) === undefined ? 'no' : 'unknown';
    },
  };
}
