import type { Dirent } from 'node:fs';
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { listNames } from '@agent-console/shared/words';
import { type Finding, type Installation, note, ok, problem, size } from './finding.ts';

/** Maximum number of files and directories to check. If some are not checked, the finding mentions this. */
const ENTRIES_MAX = 50_000;
/**
 * Free disk space, in bytes, below which a problem or a note is reported. With less than FREE_PROBLEM_BYTES, the next
 * part of an output log, a backup or a worktree may not fit.
 */
const FREE_PROBLEM_BYTES = 200e6;
const FREE_NOTE_BYTES = 2e9;
/** Total size of all logs, in bytes, from which a note is reported: sixteen workers at their log limit. */
const LOGS_NOTE_BYTES = 1e9;
const uid = process.getuid?.();

interface Entry {
  path: string;
  bytes: number;
  isOpen: boolean;
  isForeign: boolean;
}

/** Checks the data directory: its permissions, the free disk space and the size of the logs. */
export async function checkFiles({ home }: Installation): Promise<Finding[]> {
  const top = await stat(home).catch(() => undefined);
  if (top === undefined) {
    return [note('data directory', `${home} does not exist yet`, '`agent-console serve` creates this directory')];
  }
  if (!top.isDirectory()) {
    return [
      problem(
        'data directory',
        `${home} is not a directory`,
        'Rename that file, or set AGENT_CONSOLE_HOME to a directory.',
      ),
    ];
  }
  const { entries, isComplete } = await walk(home);
  const root: Entry = { path: home, bytes: 0, isOpen: isOpen(top.mode), isForeign: isForeign(top.uid) };
  return [permissions(home, [root, ...entries], isComplete), await diskSpace(home), logs(home, entries)];
}

const isOpen = (mode: number) => (mode & 0o077) !== 0;
const isForeign = (owner: number) => uid !== undefined && owner !== uid;

/**
 * Lists the regular files and directories in the data directory, up to ENTRIES_MAX, except the checkouts in
 * `repositories`, whose permissions are the user's decision.
 */
async function walk(home: string): Promise<{ entries: Entry[]; isComplete: boolean }> {
  const entries: Entry[] = [];
  const folders = [home];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const children: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const child of children) {
      if (entries.length >= ENTRIES_MAX) return { entries, isComplete: false };
      const path = join(folder, child.name);
      if (path === join(home, 'repositories') || !(child.isFile() || child.isDirectory())) continue;
      const facts = await lstat(path).catch(() => undefined);
      if (facts === undefined) continue;
      const bytes = child.isFile() ? facts.size : 0;
      entries.push({ path, bytes, isOpen: isOpen(facts.mode), isForeign: isForeign(facts.uid) });
      if (child.isDirectory()) folders.push(path);
    }
  }
  return { entries, isComplete: true };
}

/** Checks that only the owner may read the data directory, which contains tokens, prompts, output and the database. */
function permissions(home: string, entries: readonly Entry[], isComplete: boolean): Finding {
  const named = (list: readonly Entry[]) => listNames(list.map(({ path }) => relative(home, path) || path));
  const foreign = entries.filter((entry) => entry.isForeign);
  if (foreign.length > 0) {
    return problem(
      'data directory',
      `owned by another user: ${named(foreign)}`,
      `The console may have been started with sudo. Run: sudo chown -R "$USER" ${home}`,
    );
  }
  const open = entries.filter((entry) => entry.isOpen);
  const count = isComplete ? '' : ` (only the first ${ENTRIES_MAX} files and directories were checked)`;
  if (open.length === 0) return ok('data directory', `${home} is private${count}`);
  // If other users cannot enter the data directory, its mode protects everything inside it.
  const isProtected = entries[0]?.isOpen === false;
  return problem(
    'data directory',
    `${isProtected ? 'protected only by the mode of the data directory, not by their own mode' : 'readable by other users'}: ${named(open)}`,
    `find ${home} -path ${join(home, 'repositories')} -prune -o ! -type s -exec chmod go-rwx {} +`,
  );
}

async function diskSpace(home: string): Promise<Finding> {
  const facts = await statfs(home);
  const free = facts.bavail * facts.bsize;
  // A file system without a fixed number of inodes reports a total of 0 inodes, so its 0 free inodes are no problem.
  const lacksInodes = facts.files > 0 && facts.ffree < 1_000;
  const detail = lacksInodes ? `${facts.ffree} inodes free for ${home}` : `${size(free)} free for ${home}`;
  const mend = 'Free some space: remove finished worktrees and sessions, or move AGENT_CONSOLE_HOME to a larger disk.';
  if (free < FREE_PROBLEM_BYTES || lacksInodes) return problem('disk', detail, mend);
  return free < FREE_NOTE_BYTES ? note('disk', detail, mend) : ok('disk', detail);
}

function logs(home: string, entries: readonly Entry[]): Finding {
  const workers = join(home, 'workers');
  const sum = (list: readonly Entry[]) => list.reduce((total, { bytes }) => total + bytes, 0);
  const output = sum(entries.filter(({ path }) => path.startsWith(workers)));
  const own = sum(entries.filter(({ path }) => path.endsWith('.log')));
  const detail = `${size(output)} of worker output, ${size(own)} of server and runner logs`;
  if (output + own < LOGS_NOTE_BYTES) return ok('logs', detail);
  return note('logs', detail, 'Remove finished sessions; their output is deleted with them.');
}
