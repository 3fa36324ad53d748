import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { SNAPSHOT_FILE_MAX_BYTES, SNAPSHOT_FILES_MAX, SNAPSHOTS_PER_STORE } from '@agent-console/shared/limits/git';
import type { Snapshot } from '../ports/git-comparison.ts';
import { type CheckoutView, makeFolder, withView } from './checkout-view.ts';
import { mergeTree, temporaryCommit } from './combine.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { listUntracked } from './diff.ts';
import { deleteTree } from './files.ts';
import { type BytePath, displayPath } from './status.ts';

/** The object store of one repository's snapshots, which keeps them out of the repository's own. */
interface Store {
  folder: string;
  number: number;
  snapshots: number;
}

/** Takes snapshots of checkouts and compares them, without writing into the repository. */
export interface Snapshots {
  take(checkout: CheckoutLocation, base: string): Promise<Snapshot>;
  conflicts(repository: { path: string; commonDir: string }, one: Snapshot, other: Snapshot): Promise<string[] | null>;
}

export function createSnapshots(context: GitContext): Snapshots {
  const stores = new Map<string, Store>();
  let count = 0;

  /** Returns the repository's store; a new one if the last one has grown too large. */
  async function storeOf(commonDir: string): Promise<Store> {
    const known = stores.get(commonDir);
    if (known !== undefined && known.snapshots < SNAPSHOTS_PER_STORE) return known;
    count += 1;
    const store = { folder: await makeFolder(context.viewsDir, 'objects-'), number: count, snapshots: 0 };
    stores.set(commonDir, store);
    // Commands that still read the old store fail, and their callers take a new snapshot.
    if (known !== undefined) await deleteTree(known.folder);
    return store;
  }

  /** Variables that make git write new objects to the store and read all others from the repository. */
  function variables(store: Store, commonDir: string): Record<string, string> {
    const alternate = JSON.stringify(path.join(commonDir, 'objects'));
    return { GIT_OBJECT_DIRECTORY: store.folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternate };
  }

  return {
    async take(checkout, base) {
      const store = await storeOf(checkout.commonDir);
      store.snapshots += 1;
      const env = variables(store, checkout.commonDir);
      const inStore: GitContext = {
        ...context,
        run: (args, options) => context.run(args, { ...options, env: { ...options.env, ...env } }),
      };
      return withView(inStore, checkout, async (view) => {
        const text = async (args: readonly string[]) => (await view.run(args)).stdout.toString().trim();
        const head = await text(['rev-parse', '--verify', 'HEAD']);
        await addChanges(view);
        const tree = await text(['write-tree', '--missing-ok']);
        const commit = await temporaryCommit(inStore, checkout.path, tree, [head]);
        const found = await view.run(['merge-base', `refs/heads/${base}`, head], { okCodes: [0, 1, 128] });
        const start = found.exitCode === 0 ? found.stdout.toString().trim() : head;
        const named = await view.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', start, tree, '--']);
        const files = named.stdout.toString('latin1').split('\0').filter(Boolean).map(displayPath);
        return { commit, tree, files, store: store.number };
      });
    },
    async conflicts({ path: cwd, commonDir }, one, other) {
      const store = stores.get(commonDir);
      if (store === undefined || one.store !== store.number || other.store !== store.number) return null;
      const env = variables(store, commonDir);
      const inStore: GitContext = {
        ...context,
        run: (args, options) => context.run(args, { ...options, env: { ...options.env, ...env } }),
      };
      const { conflicts } = await mergeTree(inStore, cwd, one.commit, other.commit);
      return conflicts.map((conflict) => conflict.path);
    },
  };
}

/** Adds all changes to the view's index, except large untracked files and those beyond SNAPSHOT_FILES_MAX. */
async function addChanges(view: CheckoutView): Promise<void> {
  const settings = ['core.splitIndex=false'];
  await view.run(['add', '--update', '--', ':/'], { settings });
  const untracked = (await listUntracked(view)).filter((each) => !each.endsWith('/')).slice(0, SNAPSHOT_FILES_MAX);
  const small = await Promise.all(untracked.map((each) => isSmall(view.path, each)));
  const files = untracked.filter((_, at) => small[at]);
  if (files.length === 0) return;
  await view.run(['add', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    env: { GIT_LITERAL_PATHSPECS: '1' },
    settings,
    okCodes: [0, 1],
    input: Buffer.from(files.map((file) => `${file}\0`).join(''), 'latin1'),
  });
}

async function isSmall(root: string, file: BytePath): Promise<boolean> {
  const at = Buffer.concat([Buffer.from(root + path.sep), Buffer.from(file, 'latin1')]);
  const stat = await lstat(at).catch(() => null);
  return stat !== null && stat.size <= SNAPSHOT_FILE_MAX_BYTES;
}
