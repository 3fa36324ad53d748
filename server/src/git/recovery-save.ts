import { lstat, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  GIT_REMOTE_LIMIT_MS,
  RECOVERY_UNTRACKED_MAX_BYTES,
  RECOVERY_UNTRACKED_MAX_FILES,
  RISK_LIST_MAX,
} from '@agent-console/shared/limits/git';
import type { Checkout } from '../operations/ports/git.ts';
import { type CheckoutView, withView } from './checkout-view.ts';
import type { GitContext } from './context.ts';
import { errorCode } from './files.ts';
import { recoveryMessage, recoveryRef } from './recovery-ref.ts';
import { type BytePath, readStatus, type Status, shown } from './status.ts';

/** The console makes these commits, so they bear its name, and succeed where the user has not told git theirs. */
const IDENTITY = { name: 'Agent Console', email: 'agent-console@localhost' };

/** How often a save begins anew because files vanished under it. */
const SAVE_ATTEMPTS = 3;

/** One file of the working tree as it will stand in the recovery; `sha` null: it is not there. */
interface Entry {
  path: BytePath;
  mode: '100644' | '100755' | '120000';
  /** Where git reads the bytes from, or null when the file is gone. */
  source: string | null;
}

/**
 * Writes a recovery of a worktree: a commit of its files as they are, byte by byte (no line ending or other filter
 * applied), whose parents are HEAD and a commit of the index. Works on a copy of the index; the worktree is only read.
 * `leftOut` names what is not in it: untracked files beyond the limits, nested repositories and submodules.
 */
export async function saveRecovery(
  context: GitContext,
  checkout: Checkout,
  name: string,
): Promise<{ ref: string; sha: string; leftOut: string[] }> {
  const ref = recoveryRef(name, context.clock());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withView(context, checkout, async (view) => {
        const saved = await createSave(context, view).save(name);
        const mark = `agent-console: recovery of ${name}`;
        await view.run(['update-ref', '-m', mark, '--', ref, saved.sha, '']);
        return { ref, ...saved };
      });
    } catch (error) {
      if (attempt >= SAVE_ATTEMPTS) throw error;
      const { path: worktreePath } = checkout;
      context.log.warn({ err: error, worktreePath }, 'the worktree changed while it was saved; trying again');
    }
  }
}

function createSave(context: GitContext, view: CheckoutView) {
  const seconds = Math.floor(context.clock() / 1000);
  const env = {
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_AUTHOR_DATE: `${seconds} +0000`,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
    GIT_COMMITTER_DATE: `${seconds} +0000`,
  };
  const run = async (args: readonly string[], input?: Buffer | string) => {
    // A split index would put its other half into the repository.
    const settings = ['core.splitIndex=false'];
    const options = { env, settings, timeoutMs: GIT_REMOTE_LIMIT_MS };
    const { stdout } = await view.run(args, input === undefined ? options : { ...options, input });
    return stdout.toString('latin1').trimEnd();
  };
  const commit = (tree: string, parents: readonly string[], message: string) =>
    run(['commit-tree', '--no-gpg-sign', ...parents.flatMap((parent) => ['-p', parent]), tree], message);

  async function save(name: string): Promise<{ sha: string; leftOut: string[] }> {
    const status = await readStatus(view, true);
    const parents = status.head === null ? [] : [status.head];
    const conflicts = status.changes.some((change) => change.unmerged);
    const index = conflicts ? null : await commit(await writeTree(), parents, `Index of worktree ${name}\n`);
    const { entries, leftOut } = await collect(view.path, status);
    await update(entries, '0'.repeat(status.head?.length ?? 40));
    const facts = { head: status.head, branch: status.branch, index };
    const all = index === null ? parents : [...parents, index];
    return { sha: await commit(await writeTree(), all, recoveryMessage(name, facts)), leftOut: briefly(leftOut) };
  }

  const writeTree = () => run(['write-tree', '--missing-ok']);

  async function update(entries: readonly Entry[], none: string): Promise<void> {
    if (entries.length === 0) return;
    const present = await Promise.all(
      entries.flatMap((entry, number) => (entry.source === null ? [] : [sourceOf(entry, entry.source, number)])),
    );
    const list = present.map(({ source }) => `${quoted(source)}\n`).join('');
    const hashed = await run(['hash-object', '-w', '--no-filters', '--stdin-paths'], Buffer.from(list, 'latin1'));
    const shas = list === '' ? [] : hashed.split('\n');
    // All removals first: a file may stand where a folder was, and conflicts leave several entries of one name.
    const removals = entries.map((entry) => `0 ${none}\t${entry.path}\0`);
    const additions = present.map(({ entry }, at) => `${entry.mode} ${shas[at]}\t${entry.path}\0`);
    const lines = Buffer.from([...removals, ...additions].join(''), 'latin1');
    await run(['update-index', '-z', '--index-info'], lines);
  }

  /** git would follow a link to its target; what is saved is where it points to. */
  async function sourceOf(entry: Entry, source: string, number: number): Promise<{ entry: Entry; source: string }> {
    if (entry.mode !== '120000') return { entry, source };
    const file = path.join(view.folder, `link-${number}`);
    await writeFile(file, await readlink(bytes(view.path, entry.path), 'buffer'));
    return { entry, source: Buffer.from(file).toString('latin1') };
  }

  return { save };
}

/** The file system's name of a path in the worktree. */
export function bytes(root: string, relative: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(relative, 'latin1')]);
}

/** A path as one line of `--stdin-paths`. */
function quoted(file: BytePath): string {
  if (!/^"|[\r\n]/.test(file)) return file;
  const escaped = file.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
  return `"${escaped}"`;
}

function briefly(leftOut: readonly string[]): string[] {
  if (leftOut.length <= RISK_LIST_MAX) return [...leftOut];
  return [...leftOut.slice(0, RISK_LIST_MAX), `… and ${leftOut.length - RISK_LIST_MAX} more`];
}

async function collect(root: string, status: Status): Promise<{ entries: Entry[]; leftOut: string[] }> {
  const entries: Entry[] = [];
  const leftOut: string[] = [];
  for (const change of status.changes) {
    if (!change.unstaged) continue;
    if (change.submodule) leftOut.push(shown(change.path));
    else entries.push((await toEntry(root, change.path)).entry);
  }
  const untracked: { entry: Entry; size: number }[] = [];
  for (const each of status.untracked) {
    const found = await toEntry(root, each);
    if (found.entry.source === null) leftOut.push(shown(each));
    else untracked.push(found);
  }
  // The small ones first: that saves the most files.
  untracked.sort((a, b) => a.size - b.size);
  let total = 0;
  let count = 0;
  for (const { entry, size } of untracked) {
    if (total + size > RECOVERY_UNTRACKED_MAX_BYTES || count >= RECOVERY_UNTRACKED_MAX_FILES) {
      leftOut.push(shown(entry.path));
      continue;
    }
    total += size;
    count += 1;
    entries.push(entry);
  }
  return { entries, leftOut };
}

/** What stands at a path now. Folders and special files have no bytes to save and count as gone. */
async function toEntry(root: string, relative: BytePath): Promise<{ entry: Entry; size: number }> {
  const gone: Entry = { path: relative, mode: '100644', source: null };
  try {
    const stat = await lstat(bytes(root, relative));
    if (stat.isSymbolicLink()) return { entry: { ...gone, mode: '120000', source: relative }, size: stat.size };
    if (!stat.isFile()) return { entry: gone, size: 0 };
    const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755';
    return { entry: { ...gone, mode, source: relative }, size: stat.size };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return { entry: gone, size: 0 };
    throw error;
  }
}
