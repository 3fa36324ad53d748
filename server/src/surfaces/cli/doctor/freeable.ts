import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PRUNABLE_ARCHIVED_DAYS } from '@agent-console/shared/limits/worktrees';
import { listNames } from '@agent-console/shared/words';
import { pruneReasons } from '../../../domain/pruning.ts';
import { runGit } from '../git.ts';
import { type Finding, type Installation, note, size } from './finding.ts';
import type { Records } from './records.ts';

/** Time limit in milliseconds to measure the disk usage of the worktrees of one repository. */
const MEASURE_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Total size of recovery refs, in bytes, from which a note is reported. */
const RECOVERIES_NOTE_BYTES = 100e6;

/**
 * Reports large recovery refs, and worktrees that can be removed because, according to the database, their work is
 * done.
 */
export async function checkFreeable({ env }: Installation, records: Records): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { id, name, path } of records.repositories) {
    if (!existsSync(path)) continue;
    const rows = records.worktrees.filter((row) => row.repositoryId === id && isPrunable(row, records));
    if (rows.length > 0) {
      const bytes = await diskUsage(
        env,
        rows.map((row) => row.path),
      );
      const freed = bytes === null ? '' : ` (${size(bytes)})`;
      found.push(
        note(
          `repository ${name}`,
          `${rows.length} worktree${rows.length === 1 ? '' : 's'} can be removed${freed}: ${listNames(rows.map((row) => row.name))}`,
          `List these worktrees: agent-console repositories prunable ${id}. Then: agent-console prune ${id} <worktreeIds...>`,
        ),
      );
    }
    found.push(...(await recoveries(env, name, path)));
  }
  return found;
}

/** Whether a worktree is managed, has no running workers, and can be removed because its work is done. */
function isPrunable(row: Records['worktrees'][number], { sessions, workers }: Records): boolean {
  if (row.kind !== 'managed' || row.state !== 'ready' || !existsSync(row.path)) return false;
  const own = sessions.filter(({ worktreeId }) => worktreeId === row.id);
  if (workers.some(({ sessionId }) => own.some(({ id }) => id === sessionId))) return false;
  return pruneReasons(row, own, new Date(Date.now() - PRUNABLE_ARCHIVED_DAYS * DAY_MS)).length > 0;
}

/** Returns the size on disk of folders; null if it cannot be measured in time. */
function diskUsage(env: Installation['env'], paths: readonly string[]): Promise<number | null> {
  const options = { env: { PATH: env.PATH, LC_ALL: 'C' }, timeout: MEASURE_MS, cwd: '/' };
  return new Promise((resolve) => {
    const child = execFile('du', ['-sk', ...paths], options, (_error, stdout) => {
      const kibibytes = [...stdout.matchAll(/^\d+/gm)].map(([text]) => Number(text));
      const isComplete = !child.killed && kibibytes.length === paths.length;
      resolve(isComplete ? kibibytes.reduce((total, each) => total + each, 0) * 1024 : null);
    });
  });
}

/** Reports the recovery refs of a repository if they exceed RECOVERIES_NOTE_BYTES. */
async function recoveries(env: Installation['env'], name: string, path: string): Promise<Finding[]> {
  const glob = 'refs/agent-console/recovery';
  const args = [
    'rev-list',
    '--objects',
    '--disk-usage',
    `--glob=${glob}`,
    '--not',
    '--branches',
    '--remotes',
    '--tags',
  ];
  const [refs, bytes] = await Promise.all([
    runGit(env, ['for-each-ref', '--format=%(refname)', glob], path),
    runGit(env, args, path),
  ]).catch(() => ['', '0']);
  const count = (refs ?? '').split('\n').filter(Boolean).length;
  if (count === 0 || Number(bytes) < RECOVERIES_NOTE_BYTES) return [];
  return [
    note(
      `repository ${name}`,
      `saved work of removed worktrees and discarded changes: ${count} recovery refs with ${size(Number(bytes))}`,
      `Recovery refs expire after 30 days. To free the space now, while no agent is working: git -C ${path} for-each-ref ${glob}, then git -C ${path} update-ref -d <ref>, then git -C ${path} gc --prune=now`,
    ),
  ];
}
