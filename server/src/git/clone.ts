import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { RepositoryFacts } from '../ports/git.ts';
import type { GitContext } from './context.ts';
import { deleteTree } from './delete-folder.ts';
import { gitFailed, redact, stderrOf } from './failure.ts';
import { errorCode, kindOfEntry } from './files.ts';
import { inspect } from './inspect.ts';

export type OnProgress = (fraction: number, phase: string) => void;

/** git's phases in order, each with its start and end as fractions of the duration of a typical clone. */
const PHASES: readonly (readonly [phase: string, from: number, to: number])[] = [
  ['Counting objects', 0, 0.05],
  ['Compressing objects', 0.05, 0.1],
  ['Receiving objects', 0.1, 0.75],
  ['Resolving deltas', 0.75, 0.9],
  ['Updating files', 0.9, 1],
  ['Filtering content', 0.9, 1],
];

/** Target paths of the clones running in this process. */
const busy = new Set<string>();

/**
 * Clones into a temporary folder beside `target` and renames it when complete, so `target` is either absent or
 * complete. If a clone is killed, the next clone to the same target deletes its leftovers.
 * @throws VALIDATION for a URL that `requireCloneUrl` rejects, CONFLICT when `target` exists or is being cloned,
 * GIT_FAILED, TIMEOUT.
 */
export async function clone(
  context: GitContext,
  url: string,
  target: string,
  onProgress: OnProgress,
  signal?: AbortSignal,
): Promise<RepositoryFacts> {
  requireCloneUrl(url);
  const taken = new ConsoleError('CONFLICT', `${target} already exists. Choose another folder.`, { path: target });
  if (busy.has(target)) throw taken;
  busy.add(target);
  try {
    if ((await kindOfEntry(target)) !== 'nothing') throw taken;
    await mkdir(path.dirname(target), { recursive: true });
    await discardClone(context, target);
    const temporary = `${leftoverPrefix(target)}${randomBytes(4).toString('hex')}`;
    try {
      await runClone(context, { url, temporary, onProgress, signal });
      await rename(temporary, target).catch((error: unknown) => {
        throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '') ? taken : error;
      });
    } catch (error) {
      await deleteTree(context, temporary);
      throw error;
    }
    onProgress(1, 'Done');
    return await inspect(context, target);
  } finally {
    busy.delete(target);
  }
}

/**
 * @throws VALIDATION for a URL that is empty, begins like an option, contains control characters or names a transport
 * that runs commands.
 */
function requireCloneUrl(url: string): void {
  const helper = /^[a-z0-9][a-z0-9+.-]*::/i.test(url);
  if (url !== '' && !url.startsWith('-') && !helper && !/[\x00-\x1f\x7f]/.test(url)) return;
  const message = 'This URL cannot be cloned. Use https://…, ssh://… or user@host:path.';
  throw new ConsoleError('VALIDATION', message, { url: redact(url) });
}

const leftoverPrefix = (target: string) =>
  path.join(path.dirname(target), `.${path.basename(target)}.agent-console-clone-`);

/**
 * Deletes the temporary folders of clones to `target` that were killed. A clone that still writes to its folder fails.
 */
export async function discardClone(context: GitContext, target: string): Promise<void> {
  const prefix = path.basename(leftoverPrefix(target));
  if ((await kindOfEntry(path.dirname(target))) === 'nothing') return;
  for (const name of await readdir(path.dirname(target))) {
    if (name.startsWith(prefix)) await deleteTree(context, path.join(path.dirname(target), name));
  }
}

async function runClone(
  context: GitContext,
  spec: { url: string; temporary: string; onProgress: OnProgress; signal: AbortSignal | undefined },
): Promise<void> {
  try {
    await context.run(['clone', '--progress', '--no-recurse-submodules', '--', spec.url, spec.temporary], {
      cwd: path.dirname(spec.temporary),
      timeoutMs: GIT_REMOTE_LIMIT_MS,
      signal: spec.signal,
      // An `onStdout` keeps `run` from retrying the clone. A retry could take minutes.
      onStdout: () => {},
      onStderr: createProgressReader(spec.onProgress),
    });
  } catch (error) {
    if (!(error instanceof ConsoleError) || stderrOf(error) === '') throw error;
    // Removes progress lines and the temporary folder's name from the error.
    const lines = stderrOf(error)
      .split(/[\r\n]+/)
      .filter((line) => line !== '' && !/^(remote: )?\w+ \w+:\s+\d+%/.test(line));
    const stderr = lines.filter((line) => !line.startsWith('Cloning into ')).join('\n');
    throw gitFailed({ command: 'clone', exitCode: Number(error.details.exitCode), stderr });
  }
}

/** Parses git's progress lines and reports each whole percent at most once, in ascending order. */
export function createProgressReader(onProgress: OnProgress): (text: string) => void {
  let line = '';
  let reported = -1;
  return (text) => {
    const lines = (line + text).split(/[\r\n]/);
    // Progress lines have about 80 characters, so the last 1000 characters of an incomplete line are enough.
    line = (lines.pop() ?? '').slice(-1_000);
    for (const each of lines) {
      const [, phase, percent] = /^(?:remote: )?(\w+ \w+):\s+(\d+)%/.exec(each) ?? [];
      const range = PHASES.find(([name]) => name === phase);
      if (range === undefined) continue;
      const reached = Math.floor(100 * (range[1] + (range[2] - range[1]) * (Number(percent) / 100)));
      if (reached <= reported) continue;
      reported = reached;
      onProgress(reached / 100, range[0]);
    }
  };
}
