import { basename, join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { firstFreeName } from '../../domain/branch-name.ts';
import type { RepositoryFacts } from '../../ports/git.ts';
import type { RepositoryRow } from '../../ports/rows.ts';
import type { Author, Transaction } from '../../ports/storage.ts';
import type { EngineContext } from '../context.ts';
import { presentRepository } from '../present.ts';

type Needs = Pick<EngineContext, 'storage' | 'host' | 'now' | 'newId'>;

/**
 * Returns the last two parts of a fetch URL, usually `<owner>/<repo>`, or `local/<folder>` if it does not have two. The
 * result contains only characters that are safe in a path, and neither the user name nor the password of the URL.
 */
export function folderOf(url: string | null, path: string): string {
  const safe = (part: string) => part.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[.-]+/, '') || 'repository';
  const parts = (url ?? '')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i, '$1')
    .replace(/\.git\/?$/, '')
    .split(/[/:]/)
    .filter((part) => part !== '');
  const [owner, repo] = parts.slice(-2);
  if (url === null || owner === undefined || repo === undefined) return join('local', safe(basename(path)));
  return join(safe(owner), safe(repo));
}

/** Returns the name that git would give to a clone of this URL, with only characters that are safe in a path. */
export function cloneName(url: string): string {
  return basename(folderOf(url, url));
}

interface RepositoryName {
  name?: string | undefined;
  /** Is used without `name`, with a number if another repository has it. Default: the name of the folder. */
  suggestedName?: string | undefined;
}

/**
 * Stores a repository and, as a worktree, its main checkout. @throws CONFLICT if the repository is already registered.
 */
export async function registerRepository(
  needs: Needs,
  author: Author,
  facts: RepositoryFacts,
  name: RepositoryName,
): Promise<RepositoryRow> {
  return needs.storage.write(author, async (tx) => {
    const known = await tx.repositories.first({ commonDir: facts.commonDir, removedAt: null });
    if (known !== undefined) {
      throw new ConsoleError('CONFLICT', `This repository is already registered as ${known.name} (${known.id}).`, {
        repositoryId: known.id,
      });
    }
    const row = await insertRepository(needs, tx, facts, name);
    await tx.remember({ ...presentRepository(row) });
    return row;
  });
}

async function insertRepository(
  needs: Needs,
  tx: Transaction,
  facts: RepositoryFacts,
  { name, suggestedName }: RepositoryName,
): Promise<RepositoryRow> {
  const at = needs.now().toISOString();
  const folder = join(needs.host.repositoriesDir, folderOf(facts.url, facts.path));
  const taken = new Set(
    (await tx.repositories.find({ worktreesDir: { startsWith: folder } })).map((row) => row.worktreesDir),
  );
  let worktreesDir = join(folder, 'worktrees');
  for (let number = 2; taken.has(worktreesDir); number += 1) worktreesDir = join(`${folder}-${number}`, 'worktrees');
  const row = await tx.repositories.insert({
    ...facts,
    id: needs.newId(),
    name: name ?? (suggestedName === undefined ? basename(facts.path) : await freeName(tx, suggestedName)),
    worktreesDir,
    createdAt: at,
  });
  await tx.worktrees.insert({
    id: needs.newId(),
    repositoryId: row.id,
    kind: 'main',
    name: 'main checkout',
    path: facts.path,
    state: 'ready',
    createdAt: at,
  });
  await tx.record({
    type: 'repository.registered',
    subject: { kind: 'repository', id: row.id },
    data: { repositoryId: row.id, name: row.name },
  });
  return row;
}

async function freeName(tx: Transaction, suggestion: string): Promise<string> {
  const taken = new Set((await tx.repositories.find({ removedAt: null })).map(({ name }) => name));
  return firstFreeName(suggestion, async (candidate) => taken.has(candidate));
}
