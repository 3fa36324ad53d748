import path from 'node:path';
import type { Git } from '../ports/git.ts';
import { type CheckoutView, registeredGitDir, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { kindOfEntry, readLine } from './files.ts';
import { isObjectId, validBranchName } from './names.ts';

/** A path as git prints it, one character per byte (latin1), since file names need not be UTF-8. */
export type BytePath = string;

/** Returns the path for display, with U+FFFD for bytes that are not UTF-8. */
export function displayPath(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString();
}

export interface Change {
  path: BytePath;
  /** Whether the index differs from HEAD. */
  staged: boolean;
  /** Whether the working tree differs from the index. */
  unstaged: boolean;
  /**
   * Whether HEAD contains the path, but the index does not. A file that still exists at this path is untracked or
   * ignored.
   */
  removed: boolean;
  unmerged: boolean;
  submodule: boolean;
}

export interface Status {
  /** Commit of HEAD, or null if the branch has no commits. */
  head: string | null;
  /** Branch of HEAD; null if HEAD is detached. */
  branch: string | null;
  changes: Change[];
  /** Untracked files. The path of a nested repository ends in `/`; git does not list the files in it. */
  untracked: BytePath[];
  /** Ignored files and folders. The path of a completely ignored folder ends in `/`. */
  ignored: BytePath[];
  /**
   * Numbers of commits ahead of and behind the upstream branch. Null if there is no upstream, or if the commits were
   * not counted.
   */
  upstream: { ahead: number; behind: number } | null;
}

const FORMAT_ARGS = ['--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=dirty'];
/** Options to list every untracked file, even those in untracked folders. */
const UNTRACKED = ['--untracked-files=all', '--ignored=no'];

/**
 * Reads the status of a checkout, with every untracked and ignored file. Every checked out submodule counts as changed,
 * since git is not run inside submodules, whose configuration agents control.
 */
export async function readStatus(view: CheckoutView): Promise<Status> {
  const status = await statusOf(view, ['--untracked-files=all', '--ignored=matching']);
  for (const submodule of await checkedOutSubmodules(view)) addSubmodule(status, submodule);
  return status;
}

/** Lists the changed files and all untracked files of a checkout. */
export function readChanges(view: CheckoutView): Promise<Status> {
  return statusOf(view, UNTRACKED);
}

/** Reads the same as `readChanges`, and compares the branch with its upstream. */
export function readChangesAndUpstream(view: CheckoutView): Promise<Status> {
  return statusOf(view, [...UNTRACKED, '--ahead-behind']);
}

/** Lists only changes of tracked files. Also updates the file sizes and times in the view's index. */
export async function trackedChanges(view: CheckoutView): Promise<Change[]> {
  const options = { env: { GIT_OPTIONAL_LOCKS: '1' }, settings: ['core.splitIndex=false'] };
  return (await statusOf(view, ['--untracked-files=no'], options)).changes;
}

async function statusOf(view: CheckoutView, depth: readonly string[], options = {}): Promise<Status> {
  // `depth` comes last: it may contain `--ahead-behind`, and git uses the last of two contradicting options.
  const { stdout } = await view.run(['status', ...FORMAT_ARGS, '--no-ahead-behind', ...depth], options);
  return parseStatus(stdout.toString('latin1'));
}

/** Returns an output reader that passes each NUL-terminated entry to `onEntry`. */
export function readEntries(onEntry: (entry: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const entries = (rest + chunk.toString('latin1')).split('\0');
    rest = entries.pop() ?? '';
    for (const entry of entries) onEntry(entry);
  };
}

async function checkedOutSubmodules(view: CheckoutView): Promise<BytePath[]> {
  const found: BytePath[] = [];
  const onStdout = readEntries((entry) => {
    if (entry.startsWith('160000 ')) found.push(entry.slice(entry.indexOf('\t') + 1));
  });
  await view.run(['ls-files', '--stage', '-z'], { onStdout });
  const present = await Promise.all(
    found.map(async (each) => (await kindOfEntry(path.join(view.path, displayPath(each), '.git'))) !== 'nothing'),
  );
  return found.filter((_, at) => present[at]);
}

function addSubmodule(status: Status, submodule: BytePath): void {
  const known = status.changes.find((change) => change.path === submodule);
  if (known !== undefined) known.unstaged = true;
  else {
    const change = { staged: false, unstaged: true, removed: false, unmerged: false, submodule: true };
    status.changes.push({ path: submodule, ...change });
  }
}

function parseStatus(text: string): Status {
  const status: Status = { head: null, branch: null, changes: [], untracked: [], ignored: [], upstream: null };
  for (const entry of text.split('\0')) {
    const fields = entry.split(' ');
    const rest = (from: number) => fields.slice(from).join(' ');
    if (fields[0] === '?') status.untracked.push(rest(1));
    else if (fields[0] === '!') status.ignored.push(rest(1));
    else if (fields[0] === '1' || fields[0] === 'u') status.changes.push(toChange(fields, rest));
    else if (fields[1] === 'branch.oid') status.head = fields[2] === '(initial)' ? null : (fields[2] ?? null);
    else if (fields[1] === 'branch.ab') status.upstream = toDistance(fields);
    else if (fields[1] === 'branch.head') status.branch = rest(2) === '(detached)' ? null : displayPath(rest(2));
  }
  return status;
}

/** Parses `# branch.ab +<ahead> -<behind>`. git prints `+? -?` if it did not count commits. */
function toDistance([, , ahead = '', behind = '']: readonly string[]): Status['upstream'] {
  return /\d/.test(ahead) ? { ahead: Number(ahead), behind: -Number(behind) } : null;
}

function toChange(fields: readonly string[], rest: (from: number) => string): Change {
  const unmerged = fields[0] === 'u';
  const [staged = '.', unstaged = '.'] = fields[1] ?? '';
  return {
    path: rest(unmerged ? 10 : 8),
    staged: staged !== '.',
    unstaged: unmerged || unstaged !== '.',
    removed: !unmerged && staged === 'D',
    unmerged,
    submodule: fields[2]?.startsWith('S') ?? false,
  };
}

/** Reads the state of a worktree. `branch` is null for a detached HEAD, and `currentSha` is empty without commits. */
export async function readState(context: GitContext, checkout: CheckoutLocation): ReturnType<Git['state']> {
  // Only the existence of untracked files matters, so git need not list the contents of untracked folders.
  const brief = ['--untracked-files=normal', '--ignored=no'];
  const status = await withView(context, checkout, (view) => statusOf(view, brief));
  return {
    currentSha: status.head ?? '',
    branch: status.branch,
    hasChanges: status.changes.length > 0 || status.untracked.length > 0,
  };
}

/** Returns the number of files with uncommitted changes, including untracked files, and the names of at most `max`. */
export async function changedFiles(
  context: GitContext,
  checkout: CheckoutLocation,
  max: number,
): ReturnType<Git['changedFiles']> {
  const status = await withView(context, checkout, readChanges);
  // A file that was removed only from the index is both a change and untracked.
  const paths = new Set([...status.changes.map((change) => change.path), ...status.untracked]);
  return { files: [...paths].slice(0, max).map(displayPath), count: paths.size };
}

/**
 * Returns the commit of HEAD; an empty string if the branch has no commits. Reads git's files if possible, which needs
 * no git process. Runs git for packed refs, other ref formats and unexpected contents.
 */
export async function readHead(context: GitContext, checkout: CheckoutLocation): Promise<string> {
  const head = (await readLine(path.join(await registeredGitDir(checkout), 'HEAD'))) ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  // An agent can write any path into HEAD, so the branch name is validated. The path of a valid name is always inside
  // `refs/heads`.
  const file = branch !== undefined && validBranchName(branch) ? path.join('refs/heads', branch) : undefined;
  const commit = file === undefined ? head : await readLine(path.join(checkout.commonDir, file));
  return commit !== null && isObjectId(commit) ? commit : (await readState(context, checkout)).currentSha;
}
