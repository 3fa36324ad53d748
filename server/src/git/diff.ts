import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  DIFF_BLOB_MAX_BYTES,
  DIFF_FILES_MAX,
  DIFF_READ_MAX_BYTES,
  GIT_REMOTE_LIMIT_MS,
} from '@agent-console/shared/limits';
import type { FileDiff } from '../operations/ports/git.ts';
import type { GitContext } from './context.ts';
import { createDiffParser } from './diff-parser.ts';
import { stderrOf } from './failure.ts';
import { copyIndex } from './index-copy.ts';
import { gitDirOf } from './layout.ts';
import { requireCommitish } from './names.ts';
import { shown } from './status.ts';

/** How often a diff begins anew because untracked files vanished under it. */
const DIFF_ATTEMPTS = 3;

/**
 * Everything between the merge base of `base` and HEAD and the working tree. Untracked files are entered, without
 * their content, into a copy of the index, so that one git run compares all files and finds renames among them.
 * @throws NOT_FOUND when `base` names no commit, VALIDATION, GIT_FAILED.
 */
export async function diff(
  context: GitContext,
  worktreePath: string,
  base: string,
): Promise<{ baseSha: string; files: FileDiff[]; moreFiles: number }> {
  requireCommitish(base);
  const gitDir = await gitDirOf(worktreePath);
  const baseSha = await mergeBase(context, worktreePath, base);
  for (let attempt = 1; ; attempt += 1) {
    const untracked = await listUntracked(context, worktreePath);
    // A nested repository, shown with a slash, is none of git's business here.
    const files = untracked.filter((each) => !each.endsWith('/')).slice(0, DIFF_FILES_MAX);
    const folder = await mkdtemp(path.join(tmpdir(), 'agent-console-diff-'));
    try {
      const env = files.length === 0 ? {} : await indexWith(context, { worktreePath, gitDir, folder, files });
      const parsed = await compare(context, worktreePath, baseSha, env, new Set(files.map(shown)));
      const nested = untracked.filter((each) => each.endsWith('/')).map(nestedRepository);
      const all = [...parsed.files, ...nested];
      const unlisted = untracked.length - files.length - nested.length;
      return {
        baseSha,
        files: all.slice(0, DIFF_FILES_MAX),
        moreFiles: parsed.moreFiles + unlisted + Math.max(0, all.length - DIFF_FILES_MAX),
      };
    } catch (error) {
      if (attempt >= DIFF_ATTEMPTS || !/did not match any files/.test(stderrOf(error))) throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The commit both sides have in common; histories without one are compared as they are. */
async function mergeBase(context: GitContext, cwd: string, base: string): Promise<string> {
  const args = ['merge-base', '--', base, 'HEAD'];
  const merged = await context.commands.run(args, { cwd, okCodes: [0, 1, 128] });
  if (merged.exitCode === 0) return merged.stdout.toString().trim();
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`];
  const single = await context.commands.run(verify, { cwd, okCodes: [0, 1, 128] });
  if (single.exitCode === 0) return single.stdout.toString().trim();
  const message = `There is no commit ${base} to compare with. Give another base.`;
  throw new ConsoleError('NOT_FOUND', message, { base });
}

async function listUntracked(context: GitContext, cwd: string): Promise<string[]> {
  const { stdout } = await context.commands.run(['ls-files', '--others', '--exclude-standard', '-z'], { cwd });
  return stdout.toString('latin1').split('\0').filter(Boolean);
}

async function indexWith(
  context: GitContext,
  spec: { worktreePath: string; gitDir: string; folder: string; files: readonly string[] },
): Promise<{ GIT_INDEX_FILE: string }> {
  const env = { GIT_INDEX_FILE: path.join(spec.folder, 'index') };
  await copyIndex(spec.gitDir, env.GIT_INDEX_FILE);
  const args = ['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await context.commands.run(args, {
    cwd: spec.worktreePath,
    env: { ...env, GIT_LITERAL_PATHSPECS: '1' },
    settings: ['core.splitIndex=false'],
    input: Buffer.from(spec.files.map((file) => `${file}\0`).join(''), 'latin1'),
  });
  return env;
}

async function compare(
  context: GitContext,
  cwd: string,
  baseSha: string,
  env: Record<string, string>,
  untracked: ReadonlySet<string>,
): Promise<{ files: FileDiff[]; moreFiles: number }> {
  const parser = createDiffParser(untracked);
  let bytes = 0;
  const shape = ['--raw', '--numstat', '--patch', '--unified=3', '--inter-hunk-context=0', '--abbrev=40', '--no-color'];
  const names = ['--src-prefix=a/', '--dst-prefix=b/', '--no-relative', '--find-renames', '-l1000', '-O/dev/null'];
  const plain = ['--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty'];
  await context.commands.run(['diff', ...shape, ...names, ...plain, baseSha, '--'], {
    cwd,
    env,
    timeoutMs: GIT_REMOTE_LIMIT_MS,
    settings: [
      `core.bigFileThreshold=${DIFF_BLOB_MAX_BYTES}`,
      'core.quotePath=true',
      'diff.autoRefreshIndex=true',
      'diff.suppressBlankEmpty=false',
    ],
    onStdout(chunk) {
      bytes += chunk.length;
      parser.push(chunk);
      return bytes > DIFF_READ_MAX_BYTES ? 'stop' : undefined;
    },
  });
  return parser.finish(bytes > DIFF_READ_MAX_BYTES);
}

function nestedRepository(folder: string): FileDiff {
  return {
    path: shown(folder),
    oldPath: null,
    status: 'untracked',
    binary: false,
    additions: 0,
    deletions: 0,
    hunks: [],
    truncated: true,
  };
}
