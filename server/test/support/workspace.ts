import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyRepository, NO_MAINTENANCE } from './repository-template.ts';
import { runSync } from './run-sync.ts';

/** A temporary folder with a data directory, a HOME and git repositories. */
export interface Workspace {
  folder: string;
  /** The data directory. */
  home: string;
  /** The whole environment of the server. Its HOME contains only an identity for git. */
  env: Record<string, string>;
  /** Runs git as a user would, by default in the repository `shop`. */
  git(args: readonly string[], cwd?: string): string;
  /** Creates a repository with one commit on `main` and returns its path. */
  makeRepository(name: string): string;
  remove(): void;
}

/** Creates a workspace. `env` is added to the environment of the server. */
export function makeWorkspace(env: Record<string, string> = {}): Workspace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-test-')));
  const home = join(folder, 'console');
  const userHome = join(folder, 'home');
  mkdirSync(userHome);
  writeFileSync(join(userHome, '.gitconfig'), `[user]\nname = Tester\nemail = tester@example.com\n${NO_MAINTENANCE}`);
  const path = process.env.PATH ?? '';
  const git = (args: readonly string[], cwd = join(folder, 'shop')) =>
    runSync('git', args, { cwd, env: { PATH: env.PATH ?? path, HOME: userHome, GIT_CONFIG_NOSYSTEM: '1' } }).trim();
  return {
    folder,
    home,
    env: {
      PATH: path,
      HOME: userHome,
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
      GIT_CONFIG_NOSYSTEM: '1',
      AGENT_CONSOLE_HOME: home,
      ...env,
    },
    git,
    makeRepository(name) {
      const path = join(folder, name);
      copyRepository(`workspace ${name}`, path, (made) => {
        mkdirSync(made);
        git(['init', '--quiet', '-b', 'main'], made);
        writeFileSync(join(made, 'readme.md'), `# ${name}\n`);
        git(['add', '--all'], made);
        git(['commit', '--quiet', '-m', 'First commit'], made);
      });
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
