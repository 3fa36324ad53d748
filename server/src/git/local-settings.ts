import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { GIT_CONFIG_READ_MAX_BYTES } from '@agent-console/shared/limits/git';
import { errorCode, readLine } from './files.ts';

type Setting = readonly [key: string, value: string];

/** One setting in the output of `git config --list --show-scope -z`. */
interface Configured {
  scope: string;
  key: string;
  value: string;
}

/** Values that replace settings of the repository's own configuration. */
export interface Overrides {
  settings: readonly Setting[];
  env: Readonly<Record<string, string>>;
  /** Options to add to `git fetch`. */
  fetchOptions: readonly string[];
  /** Options to add to `git push`. */
  pushOptions: readonly string[];
  /** Settings of the repository that git does not use because of these overrides, named as git prints them. */
  unused: readonly string[];
}

export const NO_OVERRIDES: Overrides = { settings: [], env: {}, fetchOptions: [], pushOptions: [], unused: [] };

/**
 * Whether the command writes files of the worktree. If a filter is disabled, a command that reads ignores it, but a
 * command that writes must fail, because it would write wrong files.
 */
export type FilterUse = 'read' | 'write';

/** Matches every configuration that names a program for git to start, or that includes another file. */
const NAMES_PROGRAMS =
  /\[\s*(?:filter|credential|include|includeif|hook|merge|gpg)\b|\b(?:sshcommand|gitproxy|askpass|alternaterefscommand|uploadpack|receivepack|vcs)\b/i;

/** Replacement values for settings that only the repository's configuration sets. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'gpg.program': 'gpg',
  'gpg.openpgp.program': 'gpg',
  'gpg.x509.program': 'gpgsm',
  'gpg.ssh.program': 'ssh-keygen',
  'gpg.ssh.defaultkeycommand': '',
  'core.sshcommand': 'ssh',
  'core.askpass': '',
  // The command `true` prints nothing, so git finds no alternate refs. An empty value would not work, because git would
  // try to run it as a command.
  'core.alternaterefscommand': 'true',
};
const UPLOAD_PACK = /^remote\.(.+)\.uploadpack$/s;
const RECEIVE_PACK = /^remote\.(.+)\.receivepack$/s;
const REMOTE_HELPER = /^remote\.(.+)\.vcs$/s;
const FILTER = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
const CREDENTIAL_HELPER = /^credential\.(?:.+\.)?helper$/s;
const MERGE_DRIVER = /^merge\.(.+)\.driver$/s;
const HOOK = /^hook\.(.+)\.command$/s;

/**
 * Whether the configuration of the repository at `cwd` may name programs; the user's and the machine's configurations
 * do not count. Reads only a few small files, so that most commands need no second git process.
 */
export async function mayNamePrograms(cwd: string, gitDir: string | undefined): Promise<boolean> {
  const directory = gitDir ?? (await gitDirAbove(cwd));
  if (directory === null) return false;
  const commondir = await readLine(path.join(directory, 'commondir'));
  const common = commondir === null ? directory : path.resolve(directory, commondir);
  const files = ['config', 'config.worktree'].flatMap((name) => [path.join(common, name), path.join(directory, name)]);
  const found = await Promise.all([...new Set(files)].map(namesPrograms));
  return found.includes(true);
}

/**
 * Returns the git directory that git would use in a folder: the first one in the folder or its parents. Null if there
 * is none.
 */
async function gitDirAbove(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const dotGit = path.join(at, '.git');
    const target = /^gitdir: (.+)$/s.exec((await readLine(dotGit).catch(() => null)) ?? '')?.[1];
    if (target !== undefined) return path.resolve(at, target);
    const found = await realpath(dotGit).catch(() => null);
    if (found !== null) return found;
    if (at === path.dirname(at)) return null;
  }
}

/**
 * Whether the file may name programs. Also true for a large or special file, which git would read but this function
 * does not.
 */
async function namesPrograms(file: string): Promise<boolean> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > GIT_CONFIG_READ_MAX_BYTES) return true;
      return NAMES_PROGRAMS.test(await handle.readFile('latin1'));
    } finally {
      await handle.close();
    }
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

/** Parses the output of `git config --list --show-scope -z`. */
export function parseConfiguration(printed: string): Configured[] {
  const fields = printed.split('\0');
  const found: Configured[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = '', entry = ''] = [fields[at], fields[at + 1]];
    const end = entry.indexOf('\n');
    // In git's format, a key without a value means true.
    found.push({
      scope,
      key: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? 'true' : entry.slice(end + 1),
    });
  }
  return found;
}

/**
 * Returns overrides that keep git from starting programs that only the repository's own configuration names. Each such
 * setting gets its value from the user's or the machine's configuration. If it has none there, it gets git's default or
 * a value that starts none of the repository's programs.
 */
export function overridesOf(configured: readonly Configured[], use: FilterUse): Overrides {
  const repositoryEntries = configured.filter(({ scope }) => scope === 'local' || scope === 'worktree');
  const userEntries = configured.filter(({ scope }) => scope === 'global' || scope === 'system');
  const settings: Setting[] = [];
  const unused = new Set<string>();
  const env: Record<string, string> = {};
  const fetchOptions: string[] = [];
  const pushOptions: string[] = [];
  const userValue = (key: string) => userEntries.findLast((each) => each.key === key)?.value;

  for (const { key, value } of repositoryEntries) {
    // The keys of DEFAULTS are in lower case, because git prints sections and setting names in lower case. Only
    // subsections keep their case.
    const fallback = DEFAULTS[key];
    const hook = HOOK.exec(key)?.[1];
    const remote = UPLOAD_PACK.exec(key)?.[1];
    if (fallback !== undefined) settings.push([key, userValue(key) ?? fallback]);
    else if (remote !== undefined) {
      // git uses the first value of `uploadPack`, so a setting that the console adds has no effect. The console passes
      // an option to `git fetch` instead. When git fetches missing objects of a partial clone, this option cannot be
      // passed, so such fetches are disabled.
      env.GIT_NO_LAZY_FETCH = '1';
      if (remote === 'origin') fetchOptions.push(`--upload-pack=${userValue(key) ?? 'git-upload-pack'}`);
    } else if (RECEIVE_PACK.test(key)) {
      // git uses the first value of `receivePack`, so a setting that the console adds has no effect. The console passes
      // an option to `git push` instead. A push has only one remote, so one option is enough.
      pushOptions.push(`--receive-pack=${userValue(key) ?? 'git-receive-pack'}`);
    } else if (REMOTE_HELPER.test(key)) settings.push([key, userValue(key) ?? '']);
    else if (key === 'core.gitproxy') env.GIT_PROXY_COMMAND = '';
    else if (hook !== undefined) settings.push([`hook.${hook}.enabled`, 'false']);
    // The command `false` always fails. As a merge driver, it makes git report a conflict instead of combining the
    // changes.
    else if (MERGE_DRIVER.test(key)) settings.push([key, userValue(key) ?? 'false']);
    else if (CREDENTIAL_HELPER.test(key)) settings.push(...helpersOf(key, userEntries));
    else continue;
    if (userValue(key) !== value) unused.add(key);
  }
  for (const name of new Set(repositoryEntries.flatMap(({ key }) => FILTER.exec(key)?.[1] ?? []))) {
    const filter = filterOf(name, repositoryEntries, userEntries, use);
    settings.push(...filter.settings);
    if (filter.differs) unused.add(`filter.${name}`);
  }
  return { settings, env, fetchOptions, pushOptions, unused: [...unused] };
}

/**
 * Returns settings that replace the credential helpers for a key with the user's helpers. The first value is empty,
 * which clears git's list of helpers. The user's helpers for all URLs are included as well, because git uses only the
 * most specific key.
 */
function helpersOf(key: string, userEntries: readonly Configured[]): Setting[] {
  const keys = new Set(['credential.helper', key]);
  const helpers = userEntries.filter((each) => keys.has(each.key)).map(({ value }) => value);
  return ['', ...helpers].map((value) => [key, value] as const);
}

function filterOf(
  name: string,
  repositoryEntries: readonly Configured[],
  userEntries: readonly Configured[],
  use: FilterUse,
) {
  const programs = ['clean', 'smudge', 'process'].flatMap(
    (part): { setting: Setting; differs: boolean; isDisabled: boolean }[] => {
      const key = `filter.${name}.${part}`;
      const repositoryValue = repositoryEntries.findLast((each) => each.key === key)?.value;
      const ownValue = userEntries.findLast((each) => each.key === key)?.value;
      if (repositoryValue === undefined && ownValue === undefined) return [];
      const differs = repositoryValue !== undefined && repositoryValue !== ownValue;
      return [{ setting: [key, ownValue ?? ''], differs, isDisabled: ownValue === undefined }];
    },
  );
  const required = userEntries.findLast((each) => each.key === `filter.${name}.required`)?.value ?? 'false';
  // Without its program, a filter would write wrong files. For a command that writes, the filter is therefore marked as
  // required, so that git fails instead.
  const isDisabled = programs.some((program) => program.isDisabled);
  const setting: Setting = [`filter.${name}.required`, isDisabled ? String(use === 'write') : required];
  return {
    settings: [...programs.map((program) => program.setting), setting],
    differs: programs.some((program) => program.differs),
  };
}
