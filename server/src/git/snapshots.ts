import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { SNAPSHOT_FILE_MAX_BYTES, SNAPSHOT_FILES_MAX, SNAPSHOTS_PER_STORE } from '@agent-console/shared/limits/git';
import type { Snapshot } from '../ports/git-comparison.ts';
import { type CheckoutView, makeFolder, withView } from './checkout-view.ts';
import { mergeTree, temporaryCommit } from './combine.ts';
import type { BaseComparisons } from './compare-base.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { deleteTree } from './delete-folder.ts';
import { requireBranchName } from './names.ts';
import { branchCommit } from './refs.ts';
import { type BytePath, displayPath, readChanges, type Status } from './status.ts';

/** A folder outside the repository for the git objects of the repository's snapshots. */
interface Store {
  folder: string;
  number: number;
  snapshots: number;
  /** Number of unfinished calls of `within` for this object store. */
  users: number;
  isReplaced: boolean;
}

/** Takes snapshots of checkouts and compares them, without writing into the repository. */
export interface Snapshots {
  /** Takes a snapshot of a checkout, like `GitComparison.snapshot`. */
  take(cwd: string, checkout: CheckoutLocation, base: string, last: Snapshot | null): Promise<Snapshot | null>;
  conflicts(repository: { path: string; commonDir: string }, one: Snapshot, other: Snapshot): Promise<string[] | null>;
}

export function createSnapshots(context: GitContext, comparisons: Pick<BaseComparisons, 'mergeBase'>): Snapshots {
  const stores = new Map<string, Promise<Store>>();
  let count = 0;

  /**
   * Returns the object store of the repository's snapshots. Creates a new one if there is none or it has grown too
   * large.
   */
  async function storeOf(commonDir: string): Promise<Store> {
    const known = stores.get(commonDir);
    const store = known === undefined ? undefined : await known;
    if (store !== undefined && store.snapshots < SNAPSHOTS_PER_STORE) return store;
    // While this call waited for `known`, another call may have replaced the repository's store.
    if (stores.get(commonDir) !== known) return storeOf(commonDir);
    const created = makeStore();
    stores.set(commonDir, created);
    created.catch(() => stores.delete(commonDir));
    if (store !== undefined) {
      store.isReplaced = true;
      await deleteUnused(store);
    }
    return created;
  }

  async function makeStore(): Promise<Store> {
    count += 1;
    const number = count;
    return {
      folder: await makeFolder(context.viewsDir, 'objects-'),
      number,
      snapshots: 0,
      users: 0,
      isReplaced: false,
    };
  }

  async function deleteUnused(store: Store): Promise<void> {
    if (store.isReplaced && store.users === 0) await deleteTree(context, store.folder);
  }

  /**
   * Calls `work` with a context in which git writes new objects to the store and reads all others from the repository.
   */
  async function within<T>(store: Store, commonDir: string, work: (inStore: GitContext) => Promise<T>): Promise<T> {
    const alternate = JSON.stringify(path.join(commonDir, 'objects'));
    const env = { GIT_OBJECT_DIRECTORY: store.folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternate };
    store.users += 1;
    try {
      return await work({
        ...context,
        run: (args, options) => context.run(args, { ...options, env: { ...options.env, ...env } }),
      });
    } finally {
      store.users -= 1;
      await deleteUnused(store);
    }
  }

  return {
    async take(cwd, checkout, base, last) {
      requireBranchName(base);
      const store = await storeOf(checkout.commonDir);
      return within(store, checkout.commonDir, (inStore) =>
        withView(inStore, checkout, async (view) => {
          const baseHead = await branchCommit(inStore, cwd, base);
          const status = await readChanges(view);
          const { head } = status;
          if (head === null) return null;
          // The fingerprint is computed before the files are read. If a file changes while it is read, the next
          // fingerprint therefore differs from this one.
          const fingerprint = await fingerprintOf(view, status);
          const same = last?.fingerprint === fingerprint && last.store === store.number ? last : null;
          if (same !== null && same.baseHead === baseHead) return same;
          const compared = baseHead === null ? undefined : comparisons.mergeBase(checkout.commonDir, baseHead, head);
          const start = compared === undefined ? await mergeBase(view, baseHead, head) : (compared ?? head);
          if (same !== null && same.start === start) return { ...same, baseHead };
          store.snapshots += 1;
          const commit = same?.commit ?? (await commitOf(view, inStore, status, head));
          const files = start === commit ? [] : await changedFiles(view, start, commit);
          return { commit, files, fingerprint, baseHead, start, store: store.number };
        }),
      );
    },
    async conflicts({ path: cwd, commonDir }, one, other) {
      const store = await stores.get(commonDir);
      if (store === undefined || one.store !== store.number || other.store !== store.number) return null;
      const merged = await within(store, commonDir, (inStore) =>
        mergeTree(inStore, cwd, one.commit, other.commit),
      ).catch((error: unknown) => {
        // Branches without a common commit cannot be merged, so they cannot conflict.
        if (error instanceof ConsoleError && error.code === 'CONFLICT') return { conflicts: [] };
        throw error;
      });
      return merged.conflicts.map((conflict) => conflict.path);
    },
  };
}

async function changedFiles(view: CheckoutView, start: string, commit: string): Promise<string[]> {
  const { stdout } = await view.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', start, commit, '--']);
  return stdout.toString('latin1').split('\0').filter(Boolean).map(displayPath);
}

/**
 * Returns the commit where the work began: the merge base of the base branch and HEAD, or HEAD if there is no merge
 * base.
 */
async function mergeBase(view: CheckoutView, baseHead: string | null, head: string): Promise<string> {
  if (baseHead === null || baseHead === head) return head;
  const found = await view.run(['merge-base', baseHead, head], { okCodes: [0, 1, 128] });
  return found.exitCode === 0 ? found.stdout.toString().trim() : head;
}

/**
 * Identifies the contents of a checkout without reading its files: by HEAD, and by the inode, mode, size and times of
 * each changed file. One of these times is the inode's change time, which no program can set, so every edit changes the
 * result.
 */
async function fingerprintOf(view: CheckoutView, status: Status): Promise<string> {
  const paths = [...status.changes.map((change) => change.path), ...status.untracked];
  const stats = await Promise.all(
    paths.map(async (each) => {
      const stat = await lstat(bytesOf(view.path, each), { bigint: true }).catch(() => null);
      return stat === null ? '-' : `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    }),
  );
  const content = JSON.stringify([status.head, status.changes, status.untracked, stats]);
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Returns the commit for a snapshot: HEAD if nothing is changed, otherwise a temporary commit that contains the working
 * tree's changes.
 */
async function commitOf(view: CheckoutView, inStore: GitContext, status: Status, head: string): Promise<string> {
  const { changes, untracked } = status;
  if (changes.length === 0 && untracked.length === 0) return head;
  const settings = ['core.splitIndex=false'];
  if (changes.length > 0) await view.run(['add', '--update', '--', ':/'], { settings });
  await addUntracked(view, untracked, settings);
  const tree = (await view.run(['write-tree', '--missing-ok'])).stdout.toString().trim();
  return temporaryCommit(inStore, view.path, tree, [head]);
}

/** Adds untracked files to the view's index, except large ones and those beyond SNAPSHOT_FILES_MAX. */
async function addUntracked(view: CheckoutView, untracked: readonly BytePath[], settings: string[]): Promise<void> {
  const listed = untracked.filter((each) => !each.endsWith('/')).slice(0, SNAPSHOT_FILES_MAX);
  const small = await Promise.all(listed.map((each) => isSmall(view.path, each)));
  const files = listed.filter((_, at) => small[at]);
  if (files.length === 0) return;
  await view.run(['add', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    env: { GIT_LITERAL_PATHSPECS: '1' },
    settings,
    okCodes: [0, 1],
    input: Buffer.from(files.map((file) => `${file}\0`).join(''), 'latin1'),
  });
}

const bytesOf = (root: string, file: BytePath) =>
  Buffer.concat([Buffer.from(root + path.sep), Buffer.from(file, 'latin1')]);

async function isSmall(root: string, file: BytePath): Promise<boolean> {
  const stat = await lstat(bytesOf(root, file)).catch(() => null);
  return stat !== null && stat.size <= SNAPSHOT_FILE_MAX_BYTES;
}
