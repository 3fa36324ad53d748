import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { GIT_CONFIG_READ_MAX_BYTES } from '@agent-console/shared/limits/git';
import { errorCode, readLine } from './files.ts';

/** A setting and its value. */
type Setting = readonly [key: string, value: string];

/** One line of `git config --list --show-scope -z`. */
interface Configured {
  scope: string;
  key: string;
  value: string;
}

/** What git is told in place of settings of a repository. */
export interface Overrides {
  settings: readonly Setting[];
  env: Readonly<Record<string, string>>;
  /** Further options of `fetch`. */
  fetchOptions: readonly string[];
  /** The settings of the repository that do not hold, as git names them. */
  unused: readonly string[];
}

export const NO_OVERRIDES: Overrides = { settings: [], env: {}, fetchOptions: [], unused: [] };

/**
 * Whether files are being written. Where a filter of the repository does not run, a file is read as it is; but what it
 * would have been written as is not known, so that writing it fails.
 */
export type FilterUse = 'read' | 'write';

/** Words without which a configuration names no program that git would start for us, nor other files that might. */
const NAMES_PROGRAMS =
  /\[\s*(?:filter|credential|include|includeif|hook)\b|\b(?:sshcommand|gitproxy|askpass|alternaterefscommand|uploadpack)\b/i;

/** What single settings are when only the repository has them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'core.sshcommand': 'ssh',
  'core.askpass': '',
  // Says that there are none; an empty one would be run.
  'core.alternaterefscommand': 'true',
};
const UPLOAD_PACK = /^remote\.(.+)\.uploadpack$/s;
const FILTER = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
const CREDENTIAL_HELPER = /^credential\.(?:.+\.)?helper$/s;
const HOOK = /^hook\.(.+)\.command$/s;

/**
 * Whether the configuration of the repository at `cwd`, apart from the person's own and the machine's, may name programs. Reads
 * two or three small files, so that most commands need no second git to find out.
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

/** Where git would find the repository of a folder. */
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

/** What cannot be read as a small file is left to git to read. */
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

/** Reads what `git config --list --show-scope -z` printed. */
export function parseConfiguration(printed: string): Configured[] {
  const fields = printed.split('\0');
  const found: Configured[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = '', entry = ''] = [fields[at], fields[at + 1]];
    const end = entry.indexOf('\n');
    // A key alone means true.
    found.push({
      scope,
      key: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? 'true' : entry.slice(end + 1),
    });
  }
  return found;
}

/**
 * What git is told so that it starts no program which only the repository's own configuration names: each of these settings gets
 * the value that the person's and the machine's configuration have for it, else one that starts nothing.
 */
export function overridesOf(configured: readonly Configured[], use: FilterUse): Overrides {
  const ofRepository = configured.filter(({ scope }) => scope === 'local' || scope === 'worktree');
  const ofPerson = configured.filter(({ scope }) => scope === 'global' || scope === 'system');
  const settings: Setting[] = [];
  const unused = new Set<string>();
  const env: Record<string, string> = {};
  const fetchOptions: string[] = [];
  const personal = (key: string) => ofPerson.findLast((each) => each.key === key)?.value;

  for (const { key, value } of ofRepository) {
    // Names of sections and settings are in lower case here; those between them are as they were written.
    const otherwise = DEFAULTS[key];
    const hook = HOOK.exec(key)?.[1];
    const remote = UPLOAD_PACK.exec(key)?.[1];
    if (otherwise !== undefined) settings.push([key, personal(key) ?? otherwise]);
    else if (remote !== undefined) {
      // The first one holds here, not the last, so that it can only be overridden where the remote is asked by name.
      env.GIT_NO_LAZY_FETCH = '1';
      if (remote === 'origin') fetchOptions.push(`--upload-pack=${personal(key) ?? 'git-upload-pack'}`);
    } else if (key === 'core.gitproxy') env.GIT_PROXY_COMMAND = '';
    else if (hook !== undefined) settings.push([`hook.${hook}.enabled`, 'false']);
    else if (CREDENTIAL_HELPER.test(key)) settings.push(...helpersOf(key, ofPerson));
    else continue;
    if (personal(key) !== value) unused.add(key);
  }
  for (const name of new Set(ofRepository.flatMap(({ key }) => FILTER.exec(key)?.[1] ?? []))) {
    const filter = filterOf(name, ofRepository, ofPerson, use);
    settings.push(...filter.settings);
    if (filter.differs) unused.add(`filter.${name}`);
  }
  return { settings, env, fetchOptions, unused: [...unused] };
}

/** An empty helper ends the list so far. The most specific key decides alone, so it gets the general ones as well. */
function helpersOf(key: string, ofPerson: readonly Configured[]): Setting[] {
  const keys = new Set(['credential.helper', key]);
  const helpers = ofPerson.filter((each) => keys.has(each.key)).map(({ value }) => value);
  return ['', ...helpers].map((value) => [key, value] as const);
}

function filterOf(name: string, ofRepository: readonly Configured[], ofPerson: readonly Configured[], use: FilterUse) {
  const programs = ['clean', 'smudge', 'process'].flatMap(
    (part): { setting: Setting; differs: boolean; cut: boolean }[] => {
      const key = `filter.${name}.${part}`;
      const theirs = ofRepository.findLast((each) => each.key === key)?.value;
      const own = ofPerson.findLast((each) => each.key === key)?.value;
      if (theirs === undefined && own === undefined) return [];
      return [{ setting: [key, own ?? ''], differs: theirs !== undefined && theirs !== own, cut: own === undefined }];
    },
  );
  const required = ofPerson.findLast((each) => each.key === `filter.${name}.required`)?.value ?? 'false';
  // A filter that is not there as a whole would not do what its files need.
  const cut = programs.some((program) => program.cut);
  const setting: Setting = [`filter.${name}.required`, cut ? String(use === 'write') : required];
  return {
    settings: [...programs.map((program) => program.setting), setting],
    differs: programs.some((program) => program.differs),
  };
}
