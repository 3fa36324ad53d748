import { basename, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../author.ts';
import type { Call, Implementation } from '../call.ts';
import { whileBusy } from '../jobs/jobs.ts';
import type { Kit } from '../kit.ts';
import type { RepositoryFacts } from '../ports/git.ts';
import type { RepositoryRow } from '../ports/rows/worktrees.ts';
import type { Author, Transaction } from '../ports/storage.ts';
import { presentRepository } from '../present.ts';

type Needs = Pick<Kit, 'storage' | 'git' | 'places' | 'jobs' | 'now' | 'newId'>;
type Registering = Pick<Needs, 'storage' | 'places' | 'now' | 'newId'>;

/** `<owner>/<repo>` of a fetch URL, or `local/<folder>`; only characters that are safe in a path. */
function folderOf(url: string | null, path: string): string {
  const safe = (part: string) => part.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[.-]+/, '') || 'repository';
  const parts = (url ?? '')
    .replace(/\.git\/?$/, '')
    .split(/[/:]/)
    .filter((part) => part !== '');
  const [owner, repo] = parts.slice(-2);
  if (url === null || owner === undefined || repo === undefined) return join('local', safe(basename(path)));
  return join(safe(owner), safe(repo));
}

/** Stores a repository with its main checkout as a worktree; CONFLICT with its id when it is known already. */
export async function register(
  needs: Registering,
  author: Author,
  facts: RepositoryFacts,
  name: string | undefined,
): Promise<RepositoryRow> {
  return needs.storage.write(author, async (tx) => {
    const known = await tx.repositories.first({ commonDir: facts.commonDir, removedAt: null });
    if (known !== undefined) {
      throw new ConsoleError('CONFLICT', `This repository is registered already as ${known.name} (${known.id}).`, {
        repositoryId: known.id,
      });
    }
    const row = await insertRepository(needs, tx, facts, name);
    await tx.remember({ ...presentRepository(row) });
    return row;
  });
}

async function insertRepository(
  needs: Registering,
  tx: Transaction,
  facts: RepositoryFacts,
  name: string | undefined,
): Promise<RepositoryRow> {
  const at = needs.now().toISOString();
  const folder = join(needs.places.repositoriesDir, folderOf(facts.url, facts.path));
  const taken = new Set(
    (await tx.repositories.find({ worktreesDir: { startsWith: folder } })).map((row) => row.worktreesDir),
  );
  let worktreesDir = join(folder, 'worktrees');
  for (let number = 2; taken.has(worktreesDir); number += 1) worktreesDir = join(`${folder}-${number}`, 'worktrees');
  const row: RepositoryRow = {
    ...facts,
    id: needs.newId(),
    name: name ?? basename(facts.path),
    setupCommand: null,
    cleanupCommand: null,
    checkCommand: null,
    worktreesDir,
    nextIndex: 1,
    createdAt: at,
    removedAt: null,
  };
  await tx.repositories.insert(row);
  await tx.worktrees.insert({
    id: needs.newId(),
    repositoryId: row.id,
    kind: 'main',
    name: 'main checkout',
    path: facts.path,
    branch: null,
    branchCreated: false,
    index: null,
    state: 'ready',
    baseRef: null,
    baseSha: null,
    currentSha: null,
    recoveryRef: null,
    boardId: null,
    zoneId: null,
    x: null,
    y: null,
    createdAt: at,
  });
  await tx.record({
    type: 'repository.registered',
    subject: { kind: 'repository', id: row.id },
    data: { repositoryId: row.id, name: row.name },
  });
  return row;
}

async function startClone(needs: Needs, call: Call, url: string, name: string | undefined): Promise<{ jobId: string }> {
  const author = authorOf(call);
  const target = await freeTarget(needs, url);
  const job = await needs.storage.write(author, async (tx) => {
    const created = await needs.jobs.create(tx, author, 'repository-clone', { url, target, name });
    await tx.remember({ jobId: created.id });
    return created;
  });
  void needs.jobs.run(job, async (progress) => {
    const facts = await needs.git.clone(url, target, progress);
    const { idempotency, ...owner } = author;
    const row = await whileBusy(() => register(needs, owner, facts, cloneName(target, name)));
    return { repositoryId: row.id };
  });
  return { jobId: job.id };
}

/** What a clone is called that was given no name. */
export function cloneName(target: string, name: string | undefined): string {
  return name ?? basename(target);
}

async function freeTarget(needs: Needs, url: string): Promise<string> {
  const folder = join(needs.places.repositoriesDir, folderOf(url, url));
  let target = join(folder, 'repository');
  for (let number = 2; await needs.places.isFolder(target); number += 1)
    target = join(`${folder}-${number}`, 'repository');
  return target;
}

export function createRepository(needs: Needs): Implementation<'repositories.create'> {
  return async ({ path, url, name }, call) => {
    if (url !== undefined) return startClone(needs, call, url, name);
    const facts = await needs.git.inspect(path ?? '');
    return presentRepository(await register(needs, authorOf(call), facts, name));
  };
}
