import { ConsoleError } from '@agent-console/shared/errors';
import {
  DIFF_BLOB_MAX_BYTES,
  DIFF_FILES_MAX,
  DIFF_READ_MAX_BYTES,
  GIT_REMOTE_LIMIT_MS,
} from '@agent-console/shared/limits/git';
import type { ChangeSize } from '@agent-console/shared/models/git-status';
import type { FileDiff, Git } from '../ports/git.ts';
import { type CheckoutView, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { createDiffParser, fileWithoutHunks } from './diff-parser.ts';
import { stderrOf } from './failure.ts';
import { requireCommitish } from './names.ts';
import { type BytePath, displayPath } from './status.ts';

/**
 * Maximum number of attempts to create a diff. An attempt fails if untracked files are deleted while git reads them.
 */
const DIFF_ATTEMPTS = 3;

const DIFF_NAMES = ['--src-prefix=a/', '--dst-prefix=b/', '--no-relative', '--find-renames', '-l1000', '-O/dev/null'];
const PLAIN = ['--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty'];
const DIFF_SETTINGS = [
  `core.bigFileThreshold=${DIFF_BLOB_MAX_BYTES}`,
  'core.quotePath=true',
  'diff.autoRefreshIndex=true',
  'diff.suppressBlankEmpty=false',
];

/**
 * Compares the working tree with the merge base of `base` and HEAD. Untracked files are added to a copy of the index,
 * without content, so that one git process compares all files and detects renames among them.
 * @throws NOT_FOUND if `base` names no commit, VALIDATION if it cannot be the name of one, GIT_FAILED, and the errors
 * of `withView`.
 */
export async function diff(context: GitContext, checkout: CheckoutLocation, base: string): ReturnType<Git['diff']> {
  requireCommitish(base);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withView(context, checkout, (view) => diffIn(view, base));
    } catch (error) {
      if (attempt >= DIFF_ATTEMPTS || !/did not match any files/.test(stderrOf(error))) throw error;
    }
  }
}

async function diffIn(view: CheckoutView, base: string): ReturnType<Git['diff']> {
  const baseSha = await mergeBase(view, base);
  const untracked = await listUntracked(view);
  // A path that ends in a slash is a nested repository. git does not compare its files.
  const files = untracked.filter((each) => !each.endsWith('/')).slice(0, DIFF_FILES_MAX);
  if (files.length > 0) await addToIndex(view, files);
  const parsed = await compare(view, baseSha, new Set(files.map(displayPath)));
  const nested = untracked.filter((each) => each.endsWith('/')).map(nestedRepository);
  const all = [...parsed.files, ...nested];
  const unlisted = untracked.length - files.length - nested.length;
  return {
    baseSha,
    files: all.slice(0, DIFF_FILES_MAX),
    moreFiles: parsed.moreFiles + unlisted + Math.max(0, all.length - DIFF_FILES_MAX),
  };
}

/**
 * Counts the files and lines that differ between the working tree and a commit, by the same comparison as `diff`. Of
 * more than DIFF_FILES_MAX untracked files, the further ones are counted without their lines.
 * @param untracked all untracked files. The path of a nested repository ends in `/`, and its files are not compared.
 */
export async function changeSize(
  view: CheckoutView,
  baseSha: string,
  untracked: readonly BytePath[],
): Promise<ChangeSize> {
  const files = untracked.filter((each) => !each.endsWith('/'));
  if (files.length > 0) await addToIndex(view, files.slice(0, DIFF_FILES_MAX));
  const { stdout } = await view.run(['diff', '--numstat', ...DIFF_NAMES, ...PLAIN, baseSha, '--'], {
    timeoutMs: GIT_REMOTE_LIMIT_MS,
    settings: DIFF_SETTINGS,
  });
  const size = { files: Math.max(0, files.length - DIFF_FILES_MAX), additions: 0, deletions: 0 };
  for (const line of stdout.toString('latin1').split('\n')) {
    const [, added, deleted] = /^(\d+|-)\t(\d+|-)\t/.exec(line) ?? [];
    if (added === undefined || deleted === undefined) continue;
    size.files += 1;
    // For a binary file, git prints `-` instead of numbers, which counts as 0 lines.
    size.additions += Number(added) || 0;
    size.deletions += Number(deleted) || 0;
  }
  return size;
}

/**
 * Returns the merge base of `base` and HEAD, or the commit of `base` if there is none. @throws NOT_FOUND if `base`
 * names no commit.
 */
async function mergeBase(view: CheckoutView, base: string): Promise<string> {
  const args = ['merge-base', '--', base, 'HEAD'];
  const merged = await view.run(args, { okCodes: [0, 1, 128] });
  if (merged.exitCode === 0) return merged.stdout.toString().trim();
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`];
  const commit = await view.run(verify, { okCodes: [0, 1, 128] });
  if (commit.exitCode === 0) return commit.stdout.toString().trim();
  const message = `The commit ${base} to compare with does not exist. Choose another base.`;
  throw new ConsoleError('NOT_FOUND', message, { base });
}

async function listUntracked(view: CheckoutView): Promise<string[]> {
  const { stdout } = await view.run(['ls-files', '--others', '--exclude-standard', '-z']);
  return stdout.toString('latin1').split('\0').filter(Boolean);
}

/** Adds untracked files to the view's index without their content, so that a diff contains them. */
async function addToIndex(view: CheckoutView, files: readonly string[]): Promise<void> {
  const args = ['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await view.run(args, {
    env: { GIT_LITERAL_PATHSPECS: '1' },
    settings: ['core.splitIndex=false'],
    input: Buffer.from(files.map((file) => `${file}\0`).join(''), 'latin1'),
  });
}

async function compare(view: CheckoutView, baseSha: string, untracked: ReadonlySet<string>) {
  const parser = createDiffParser(untracked);
  let bytes = 0;
  const shape = ['--raw', '--numstat', '--patch', '--unified=3', '--inter-hunk-context=0', '--abbrev=40', '--no-color'];
  await view.run(['diff', ...shape, ...DIFF_NAMES, ...PLAIN, baseSha, '--'], {
    timeoutMs: GIT_REMOTE_LIMIT_MS,
    settings: DIFF_SETTINGS,
    onStdout(chunk) {
      bytes += chunk.length;
      parser.push(chunk);
      return bytes > DIFF_READ_MAX_BYTES ? 'stop' : undefined;
    },
  });
  return parser.finish(bytes > DIFF_READ_MAX_BYTES);
}

function nestedRepository(folder: string): FileDiff {
  return { ...fileWithoutHunks(Buffer.from(folder, 'latin1'), null, 'untracked'), truncated: true };
}
