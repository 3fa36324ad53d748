import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_ANSWER_MAX_BYTES, PROGRAM_ANSWER_MS } from '@agent-console/shared/limits/agents';
import type { AgentPrograms, Installation, LoginSignals } from '../ports/agents.ts';
import type { Host } from '../ports/host.ts';
import { userPath } from './user-path.ts';

interface Probed extends Installation {
  /** Whether the result may be cached. False if a run of the program was killed or could not be started. */
  isComplete: boolean;
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
 * Reads the version and the help of agents by running them with `--version` and `--help`, in the background. A result
 * is reused until the executable file changes, unless the program was killed or could not be started.
 */
export function createAgentPrograms(options: {
  host: Pick<Host, 'which'>;
  environment: Readonly<Record<string, string | undefined>>;
}): AgentPrograms {
  const { host, environment } = options;
  /**
   * Cached installations by command and `readsHelp`. An entry is valid while its stamp (path, size and modification
   * time of the executable file) is the same.
   */
  const cache = new Map<string, { stamp: string; installation: Promise<Installation>; settled: Installation }>();

  async function inspect(command: readonly string[], readsHelp: boolean): Promise<Installation> {
    const [program, ...args] = command;
    const file = program === undefined ? null : await host.which(program);
    if (file === null) return UNKNOWN_INSTALLATION;
    const path = await realpath(file);
    const { mtimeMs, size } = await stat(path);
    const key = JSON.stringify([command, readsHelp]);
    const stamp = `${path} ${mtimeMs} ${size}`;
    const cached = cache.get(key);
    if (cached?.stamp === stamp) return cached.installation;
    // A failure that the machine caused, for example by high load or a full disk, is not kept.
    const forget = () => {
      if (cache.get(key) === entry) cache.delete(key);
    };
    const installation = probe(file, args, readsHelp).then(
      ({ isComplete, ...found }) => {
        if (!isComplete) forget();
        return found;
      },
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    const entry = { stamp, installation, settled: UNKNOWN_INSTALLATION };
    cache.set(key, entry);
    entry.settled = await entry.installation;
    return entry.settled;
  }

  async function probe(file: string, args: readonly string[], readsHelp: boolean): Promise<Probed> {
    const folder = await mkdtemp(join(tmpdir(), 'agent-console-ask-'));
    try {
      const isolated = await probeIn(folder, file, args, readsHelp);
      // If neither the version nor the help could be read, the file may be a version manager's shim. A shim finds the
      // installed versions only in the real HOME, so the program is run again with it.
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
    const [version, help] = answers.map((answer) => answer ?? null);
    return {
      version: /\d+\.\d+(?:\.\d+)?(?:[-+][\w.-]+)?/.exec(version ?? '')?.[0] ?? null,
      help: help ?? null,
      isComplete: !answers.includes(undefined),
    };
  }

  /** Returns the output, null if there is none, or undefined if the program could not run to its end. */
  async function run(home: string, file: string, args: string[]): Promise<string | null | undefined> {
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
    } catch (error) {
      // The code is a number only if the program ended by itself.
      const { code } = error as { code?: unknown };
      return typeof code === 'number' || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? null : undefined;
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
