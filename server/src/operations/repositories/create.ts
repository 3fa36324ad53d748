import { join } from 'node:path';
import type { Call } from '../../domain/call.ts';
import { authorOf } from '../../engine/author.ts';
import { retryWhileBusy } from '../../engine/jobs.ts';
import { presentRepository } from '../../engine/present.ts';
import { cloneName, folderOf, registerRepository } from '../../engine/register-repository.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'git' | 'host' | 'jobs' | 'now' | 'newId'>;

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
    const row = await retryWhileBusy(() => registerRepository(needs, owner, facts, cloneName(target, name)));
    return { repositoryId: row.id };
  });
  return { jobId: job.id };
}

async function freeTarget(needs: Needs, url: string): Promise<string> {
  const folder = join(needs.host.repositoriesDir, folderOf(url, url));
  let target = join(folder, 'repository');
  for (let number = 2; await needs.host.isFolder(target); number += 1)
    target = join(`${folder}-${number}`, 'repository');
  return target;
}

export function createRepository(needs: Needs): Implementation<'repositories.create'> {
  return async ({ path, url, name }, call) => {
    if (url !== undefined) return startClone(needs, call, url, name);
    const facts = await needs.git.inspect(path ?? '');
    return presentRepository(await registerRepository(needs, authorOf(call), facts, name));
  };
}
