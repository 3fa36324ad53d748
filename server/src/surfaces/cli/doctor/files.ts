import type { Dirent } from 'node:fs';
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Finding, note, ok, type Place, problem, size, some } from './finding.ts';

/** Entries looked at; a data directory with more has its first ones looked at, and says so. */
const ENTRIES_MAX = 50_000;
/** Below this the next output segment, backup or worktree may not fit. */
const FREE_PROBLEM_BYTES = 200e6;
const FREE_NOTE_BYTES = 2e9;
/** Logs that are worth a word: sixteen workers at their cap. */
const LOGS_NOTE_BYTES = 1e9;
/** Files below the data directory that other users own would be written by somebody else. */
const uid = process.getuid?.();

interface Entry {
  path: string;
  bytes: number;
  open: boolean;
  foreign: boolean;
}

/** The data directory: who can read it, what is left over in it, how much room there is and what the logs take. */
export async function examineFiles({ home }: Place): Promise<Finding[]> {
  const top = await stat(home).catch(() => undefined);
  if (top === undefined) {
    return [note('data directory', `${home} does not exist yet`, 'agent-console serve makes it')];
  }
  if (!top.isDirectory()) {
    return [problem('data directory', `${home} is no folder`, 'Move it away, or set AGENT_CONSOLE_HOME.')];
  }
  const { entries, whole } = await walk(home);
  const root: Entry = { path: home, bytes: 0, open: (top.mode & 0o077) !== 0, foreign: isForeign(top.uid) };
  return [privacy(home, [root, ...entries], whole), await room(home), logs(home, entries)];
}

const isForeign = (owner: number) => uid !== undefined && owner !== uid;

/** Everything but the checkouts, which are people's files and as open as these wish, and the sockets. */
async function walk(home: string): Promise<{ entries: Entry[]; whole: boolean }> {
  const entries: Entry[] = [];
  const folders = [home];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const children: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const child of children) {
      if (entries.length >= ENTRIES_MAX) return { entries, whole: false };
      const path = join(folder, child.name);
      if (path === join(home, 'repositories') || !(child.isFile() || child.isDirectory())) continue;
      const facts = await lstat(path).catch(() => undefined);
      if (facts === undefined) continue;
      const open = (facts.mode & 0o077) !== 0;
      entries.push({ path, bytes: child.isFile() ? facts.size : 0, open, foreign: isForeign(facts.uid) });
      if (child.isDirectory()) folders.push(path);
    }
  }
  return { entries, whole: true };
}

/** Others may read neither the data directory nor what is in it: tokens, prompts, output, the database. */
function privacy(home: string, entries: readonly Entry[], whole: boolean): Finding {
  const named = (list: readonly Entry[]) => some(list.map(({ path }) => relative(home, path) || path));
  const foreign = entries.filter((entry) => entry.foreign);
  if (foreign.length > 0) {
    return problem(
      'data directory',
      `belongs to another user: ${named(foreign)}`,
      `Was it started with sudo? As root: chown -R "$USER" ${home}`,
    );
  }
  const open = entries.filter((entry) => entry.open);
  const count = whole ? '' : ` (the first ${ENTRIES_MAX} entries were looked at)`;
  if (open.length === 0) return ok('data directory', `${home} is private${count}`);
  // The modes of the files are the second lock; the first one is the folder's.
  const closed = entries[0]?.open === false;
  return problem(
    'data directory',
    `${closed ? 'readable for others if the folder is ever opened' : 'others can read'}: ${named(open)}`,
    `find ${home} -path ${join(home, 'repositories')} -prune -o ! -type s -exec chmod go-rwx {} +`,
  );
}

async function room(home: string): Promise<Finding> {
  const facts = await statfs(home);
  const free = facts.bavail * facts.bsize;
  // Some file systems have no fixed number of files and say 0 of 0.
  const noFiles = facts.files > 0 && facts.ffree < 1_000;
  const detail = noFiles ? `${facts.ffree} more files fit on the disk of ${home}` : `${size(free)} free for ${home}`;
  const mend = 'Make room: remove worktrees and sessions that are done, or move AGENT_CONSOLE_HOME to a larger disk.';
  if (free < FREE_PROBLEM_BYTES || noFiles) return problem('disk', detail, mend);
  return free < FREE_NOTE_BYTES ? note('disk', detail, mend) : ok('disk', detail);
}

function logs(home: string, entries: readonly Entry[]): Finding {
  const workers = join(home, 'workers');
  const sum = (list: readonly Entry[]) => list.reduce((total, { bytes }) => total + bytes, 0);
  const output = sum(entries.filter(({ path }) => path.startsWith(workers)));
  const own = sum(entries.filter(({ path }) => path.endsWith('.log')));
  const detail = `${size(output)} of workers, ${size(own)} of the server and the runner`;
  if (output + own < LOGS_NOTE_BYTES) return ok('logs', detail);
  return note('logs', detail, 'Remove sessions that are done: their output goes with them.');
}
