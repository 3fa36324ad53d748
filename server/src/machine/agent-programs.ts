import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_ANSWER_MAX_BYTES, PROGRAM_ANSWER_MS, PROGRAM_RETRY_MS } from '@agent-console/shared/limits/agents';
import type { AgentPrograms, Installation, LoginSignals } from '../ports/agents.ts';
import type { Host } from '../ports/host.ts';
import { userPath } from './user-path.ts';

interface Probed extends Installation {
  /** Time in milliseconds for which the result is kept. */
  keptMs: number;
}

interface Answer {
  /** Output of the program; null if there is none. */
  text: string | null;
  keptMs: number;
}

const UNKNOWN_INSTALLATION: Installation = { version: null, help: null };
/** Environment variables that keep agents from using the network while they print their version. */
const QUIET = {
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  NO_UPDATE_NOTIFIER: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
};

/**
 * Reads the version and the help of agents by running their programs with `--version` and `--help`. A result is reused
 * until the executable file changes. If the program did not answer in time, the result is reused for PROGRAM_RETRY_MS;
 * if it was killed for another reason or could not be started, the result is not reused.
 */
export function createAgentPrograms(options: {
  /** Timeout for each answer of a program. */
  answerMs?: number | undefined;
  host: Pick<Host, 'which'>;
  environment: Readonly<Record<string, string | undefined>>;
}): AgentPrograms {
  const { host, environment, answerMs = PROGRAM_ANSWER_MS } = options;
  /**
   * Cached installations by command and `readsHelp`. An entry is valid until the time `until` and while its stamp
   * (path, size and modification time of the executable file) is the same.
   */
  const cache = new Map<
    string,
    { stamp: string; installation: Promise<Installation>; settled: Installation; until: number }
  >();

  async function inspect(command: readonly string[], readsHelp: boolean): Promise<Installation> {
    const [program, ...args] = command;
    const file = program === undefined ? null : await host.which(program);
    if (file === null) return UNKNOWN_INSTALLATION;
    const path = await realpath(file);
    const { mtimeMs, size } = await stat(path);
    const key = JSON.stringify([command, readsHelp]);
    const stamp = `${path} ${mtimeMs} ${size}`;
    const cached = cache.get(key);
    if (cached?.stamp === stamp && performance.now() < cached.until) return cached.installation;
    const installation = probe(file, args, readsHelp).then(
      ({ keptMs, ...found }) => {
        entry.until = performance.now() + keptMs;
        return found;
      },
      (error: unknown) => {
        // A failure that the machine caused, for example by a full disk, is not kept.
        entry.until = 0;
        throw error;
      },
    );
    const entry = { stamp, installation, settled: UNKNOWN_INSTALLATION, until: Number.POSITIVE_INFINITY };
    cache.set(key, entry);
    entry.settled = await entry.installation;
    return entry.settled;
  }

  async function probe(file: string, args: readonly string[], readsHelp: boolean): Promise<Probed> {
    const folder = await mkdtemp(join(tmpdir(), 'agent-console-ask-'));
    try {
      const isolated = await probeIn(folder, file, args, readsHelp);
      // If neither the version nor the help could be read, the file may be a version manager's shim. A shim finds the
      // installed versions only in the real HOME, so the program is run again with the real HOME.
      const home = environment.HOME ?? homedir();
      return isolated.version === null && isolated.help === null
        ? await probeIn(home, file, args, readsHelp)
        : isolated;
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
    }
  }

  async function probeIn(home: string, file: string, args: readonly string[], readsHelp: boolean): Promise<Probed> {
    const flags = readsHelp ? ['--version', '--help'] : ['--version'];
    const answers = await Promise.all(flags.map((flag) => run(home, file, [...args, flag])));
    const [version, help] = answers.map(({ text }) => text);
    return {
      version: /\d+\.\d+(?:\.\d+)?(?:[-+][\w.-]+)?/.exec(version ?? '')?.[0] ?? null,
      help: help ?? null,
      keptMs: Math.min(...answers.map(({ keptMs }) => keptMs)),
    };
  }

  async function run(home: string, file: string, args: string[]): Promise<Answer> {
    const { PATH = '' } = environment;
    try {
      const { stdout } = await promisify(execFile)(file, args, {
        cwd: tmpdir(),
        env: { PATH, HOME: home, ...QUIET },
        timeout: answerMs,
        killSignal: 'SIGKILL',
        maxBuffer: PROGRAM_ANSWER_MAX_BYTES,
      });
      return { text: stdout.trim() === '' ? null : stdout, keptMs: Number.POSITIVE_INFINITY };
    } catch (error) {
      // The code is a number only if the program ended by itself.
      const { code, killed } = error as { code?: unknown; killed?: boolean };
      const isOver = typeof code === 'number' || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
      // A program that never answers must not delay each start of its agent by the timeout.
      return { text: null, keptMs: isOver ? Number.POSITIVE_INFINITY : killed === true ? PROGRAM_RETRY_MS : 0 };
    }
  }

  const pathOf = (name: string) => userPath(environment, name);

  async function hasLogin({ path, keys }: LoginSignals['files'][number]): Promise<boolean> {
    const text = await readFile(pathOf(path), 'utf8').catch(() => undefined);
    if (text === undefined || keys.length === 0) return text !== undefined && text.trim() !== '';
    try {
      const content: unknown = JSON.parse(text);
      return typeof content === 'object' && content !== null && keys.some((key) => key in content);
    } catch {
      return false;
    }
  }

  return {
    known(command, readsHelp = true) {
      void inspect(command, readsHelp).catch(() => undefined);
      return cache.get(JSON.stringify([command, readsHelp]))?.settled ?? UNKNOWN_INSTALLATION;
    },
    learn: (command, readsHelp = true) => inspect(command, readsHelp).catch(() => UNKNOWN_INSTALLATION),
    async loggedIn(signals) {
      if (signals === null) return 'yes';
      if (signals.variables.some((name) => (environment[name] ?? '') !== '')) return 'yes';
      for (const file of signals.files) if (await hasLogin(file)) return 'yes';
      // If the agent was used on this machine (its trace file exists), the user may be logged in through a keyring or a
      // helper program, so the state is unknown.
      return (await stat(pathOf(signals.trace)).catch(() => undefined)) === undefined ? 'no' : 'unknown';
    },
  };
}
