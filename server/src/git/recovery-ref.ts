import { createHash } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { GitContext } from './context.ts';
import { type InProgress, parseOperation, parseStep, type StepFiles } from './in-progress.ts';
import { isObjectId, validBranchName } from './names.ts';

/**
 * Prefix of recovery refs, followed by `<worktree>/<time>`: the name of the worktree's folder and the time at which the
 * worktree was saved. A push does not send these refs, even with `--all`, `--tags` or `--follow-tags`. The only
 * exception is `git push --mirror`, which sends every ref regardless of configuration.
 */
const RECOVERIES = 'refs/agent-console/recovery/';

/**
 * Maximum length in bytes of a folder's name in a recovery ref. With this limit, the whole ref is a valid branch name.
 */
const NAME_MAX_BYTES = 150;

/** Returns the prefix of the recovery refs of a worktree whose folder has this name. */
export const recoveriesOf = (name: string) => `${RECOVERIES}${componentOf(name)}/`;

/**
 * Returns the name of a recovery ref that is written at `now` (milliseconds since 1970). The name ends with that time
 * in UTC, in the basic format of ISO 8601 with milliseconds.
 */
export function recoveryRef(name: string, now: number): string {
  return `${recoveriesOf(name)}${new Date(now).toISOString().replace(/[-:.]/g, '')}`;
}

/**
 * Returns the name of a folder as one component of a ref. A main checkout can be in a folder with any name. If git does
 * not accept the name in a ref, its letters and digits are used, with a digest that distinguishes it from similar
 * names.
 */
function componentOf(name: string): string {
  if (validBranchName(name) && !name.includes('/') && Buffer.byteLength(name) <= NAME_MAX_BYTES) return name;
  const words = (name.match(/[A-Za-z0-9]+/g) ?? []).join('-').slice(0, 60);
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return words === '' ? digest : `${words}-${digest}`;
}

function timeOf(ref: string): number | null {
  const [, year, month, day, hour, minute, second, milliseconds] =
    /\/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(ref) ?? [];
  if (milliseconds === undefined) return null;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
}

/**
 * Deletes recovery refs that were written before `before`. If more than `keep` refs remain, or the refs use more than
 * `bytes` on disk, also deletes the oldest refs. The limit `bytes` never deletes the newest ref. Returns the number of
 * deleted refs.
 */
export async function pruneRecoveries(
  context: GitContext,
  cwd: string,
  { before, keep, bytes }: { before: Date; keep: number; bytes: number },
): Promise<number> {
  const format = '--format=%(refname) %(objectname)';
  const { stdout } = await context.run(['for-each-ref', format, RECOVERIES], { cwd });
  const newestFirst = stdout
    .toString()
    .split('\n')
    .flatMap((line) => {
      const time = timeOf(line.split(' ')[0] ?? '');
      return time === null ? [] : [{ line, time }];
    })
    .sort((a, b) => b.time - a.time);
  let kept = newestFirst.filter(({ time }, at) => time >= before.getTime() && at < keep);
  while (kept.length > 1) {
    const shas = kept.map(({ line }) => line.slice(line.indexOf(' ') + 1));
    if ((await bytesOnlyIn(context, cwd, shas)) <= bytes) break;
    kept = kept.slice(0, Math.floor(kept.length * 0.9));
  }
  const old = newestFirst.filter((each) => !kept.includes(each)).map(({ line }) => line);
  if (old.length === 0) return 0;
  const input = old.map((line) => `delete ${line}\n`).join('');
  await context.run(['update-ref', '--stdin'], { cwd, input });
  return old.length;
}

/** Returns the size on disk of the objects that are reachable from these commits, but from no branch or tag. */
async function bytesOnlyIn(context: GitContext, cwd: string, shas: readonly string[]): Promise<number> {
  const args = ['rev-list', '--objects', '--disk-usage', '--ignore-missing', '--stdin'];
  const input = shas.map((sha) => `${sha}\n`).join('');
  const options = { cwd, input, timeoutMs: GIT_REMOTE_LIMIT_MS };
  const { stdout } = await context.run([...args, '--not', '--branches', '--remotes', '--tags'], options);
  return Number(stdout.toString());
}

/** Content of a recovery ref, as described by the message of its commit. The commit's first parent is HEAD. */
export interface Recovery {
  sha: string;
  /** Commit of HEAD, or null if the branch has no commits. */
  head: string | null;
  /** Branch of HEAD; null if HEAD was detached. */
  branch: string | null;
  /** Commit with the content of the index, or null if the index had conflicts. */
  index: string | null;
  /** Commit of an index with conflicts, with each stage in a folder named by its number. Null without conflicts. */
  conflict: string | null;
  /** Commit of nested repositories and ignored files under their `toAsideName` names, or null if there were none. */
  aside: string | null;
  /**
   * The merge, cherry-pick or revert in progress. Null if there was none or if it applies several commits one after
   * another.
   */
  step: StepFiles | null;
  /**
   * The git operation that was in progress but could not be saved in the recovery ref, such as a rebase. Null if there
   * was none.
   */
  cutOff: InProgress['operation'] | null;
}

/** Creates the message of a recovery ref's commit, which `readRecovery` parses. */
export function recoveryMessage(name: string, recovery: Omit<Recovery, 'sha'>): string {
  const { head, branch, index, conflict, aside, step, cutOff } = recovery;
  const facts = JSON.stringify({ head, branch, index, conflict, aside, step, cutOff });
  return `Recovery of worktree ${componentOf(name)}\n\n${facts}\n`;
}

/** @throws NOT_FOUND if the ref does not exist, for example because it expired, or is not a recovery ref. */
export async function readRecovery(context: GitContext, repositoryPath: string, ref: string): Promise<Recovery> {
  const gone = () => {
    const message = `The recovery ref ${ref} does not exist. It may have expired. List the existing recovery refs with: git for-each-ref ${RECOVERIES}`;
    return new ConsoleError('NOT_FOUND', message, { recoveryRef: ref });
  };
  if (!ref.startsWith(RECOVERIES) || !validBranchName(ref)) throw gone();
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const found = await context.run(args, { cwd: repositoryPath, okCodes: [0, 1, 128] });
  if (found.exitCode !== 0) throw gone();
  const sha = found.stdout.toString().trim();
  const log = ['log', '-1', '--no-show-signature', '--format=%B', sha, '--'];
  const body = (await context.run(log, { cwd: repositoryPath })).stdout.toString();
  const line = body.split('\n').find((each) => each.startsWith('{'));
  try {
    const facts = JSON.parse(line ?? '') as Record<string, unknown>;
    const id = (value: unknown) => (typeof value === 'string' && isObjectId(value) ? value : null);
    return {
      sha,
      head: id(facts.head),
      branch: typeof facts.branch === 'string' ? facts.branch : null,
      index: id(facts.index),
      conflict: id(facts.conflict),
      aside: id(facts.aside),
      step: parseStep(facts.step),
      cutOff: parseOperation(facts.cutOff),
    };
  } catch {
    throw gone();
  }
}
