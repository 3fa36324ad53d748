import { join } from 'node:path';
import { rawWorktrees } from '../limits/raw-worktree.mjs';
import { atMost, never } from '../support/aims.mjs';
import { startConsole } from '../support/product.mjs';
import { makeRepository } from '../support/repository.mjs';

const TOGETHER = 10;

/** Delegates `count` tasks at once, each with its own prompt, then removes their workers, sessions and worktrees. */
async function delegate(console, repositoryId, count, from) {
  const task = (n) => ({
    repositoryId,
    agentId: console.agentId,
    prompt: `Part ${from + n}: read it and say what it does`,
  });
  const since = performance.now();
  const results = await Promise.allSettled(
    Array.from({ length: count }, (_, n) => console.api.call('POST', '/delegations', task(n))),
  );
  const ms = performance.now() - since;
  const done = results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  const errors = results.filter((result) => result.status === 'rejected').map((result) => String(result.reason));
  const late = done.filter((delegation) => delegation.state !== 'prompting');
  for (const { delegationId } of late) errors.push(`${delegationId} returned before its agent started`);
  await Promise.all(done.map((delegation) => removeDelegation(console, delegation)));
  return { ms, errors };
}

async function removeDelegation({ api }, { sessionId, workerId, delegationId }) {
  const { worktreeId } = await api.call('GET', `/delegations/${delegationId}`);
  await api.call('DELETE', `/workers/${workerId}`);
  await api.call('DELETE', `/sessions/${sessionId}`).catch(() => {});
  await api.call('DELETE', `/worktrees/${worktreeId}?force=true`);
}

/** Row 2 of the results: duration of a delegation, compared with the git command that every delegation needs. */
export async function measureDelegation({ product, quick, long }) {
  const console = await startConsole(product);
  const wanted = long ? 1_000 : quick ? 20 : 50;
  const rows = [];
  const errors = [];
  let races = 0;
  let delegated = 0;

  for (const files of [100, 10_000]) {
    const path = join(console.folder, `repository-${files}`);
    const rawPath = join(console.folder, `raw-${files}`);
    await makeRepository(path, files);
    await makeRepository(rawPath, files);
    const { id } = await console.api.call('POST', '/repositories', { path });
    const raw = rawWorktrees(rawPath, join(console.folder, `raw-worktrees-${files}`));
    const rounds = files === 100 ? (quick ? 5 : 15) : quick ? 3 : 7;
    const one = { ours: [], limit: [] };
    const ten = { ours: [], limit: [] };

    const both = async (count, into) => {
      const limit = await raw.add(count);
      const ours = await delegate(console, id, count, delegated);
      races += limit.races;
      errors.push(...ours.errors);
      delegated += count;
      into?.limit.push(limit.ms);
      into?.ours.push(ours.ms);
    };
    await both(1);
    for (let round = 0; round < rounds; round += 1) await both(1, one);
    for (let round = 0; round < Math.ceil(rounds / 2); round += 1) await both(TOGETHER, ten);
    const name = `in a repository of ${files} files`;
    const against = 'git worktree add';
    rows.push({ name: `delegation ${name}`, unit: 'ms', ...one, against, aim: atMost(1.1, 25) });
    rows.push({
      name: `ten delegations at once ${name}`,
      unit: 'ms',
      ...ten,
      against: `ten ${against}`,
      aim: atMost(1.25, 150),
    });
    if (files !== 100) continue;
    while (delegated < wanted) await both(TOGETHER);
  }
  await console.close();
  for (const error of new Set(errors)) process.stderr.write(`\n${error}`);
  rows.push({
    name: `errors in ${delegated} delegations`,
    unit: 'errors',
    ours: [errors.length],
    limit: [races],
    against: 'git alone',
    aim: never(0),
    ...(delegated >= 1_000 ? {} : { note: '--long makes 1 000' }),
  });
  return rows;
}
