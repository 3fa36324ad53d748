import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { ResolvedBase } from '../ports/git.ts';
import type { GitContext } from './context.ts';
import { reasonOf, redact, stderrOf, unusedWords } from './failure.ts';
import { commonDirOf } from './layout.ts';
import { validBranchName } from './names.ts';
import { findLocal } from './refs.ts';

interface Source {
  /** What origin is asked for. */
  from: string;
  /** Where it is kept here. */
  to: string;
}

/**
 * git would start another git in each repository that objects are borrowed from, with the settings of that one. Who may
 * write objects may name any, so they are asked nothing; a fetch then brings a little more than it had to.
 */
const NO_ALTERNATE_REFS = 'core.alternateRefsCommand=true';

/** Names under which forges keep refs that are no branches: pull requests, merge requests, changes. */
const FORGE_REF = /^(pull|pull-requests|merge-requests|changes)\//;

/**
 * Resolves a branch or ref of `origin`, fetched first: branches into `refs/remotes/origin/<branch>`, others into
 * `refs/agent-console/fetched/<ref>`. When it cannot be fetched, what is known of it here is used, with a warning.
 * @throws VALIDATION for words that no remote ref can have as a name, NOT_FOUND when nothing is known here either.
 */
export async function resolveRemote(context: GitContext, repositoryPath: string, base: string): Promise<ResolvedBase> {
  const name = base.replace(/^refs\/remotes\/origin\/|^origin\/|^refs\/heads\//, '');
  if (!validBranchName(name)) {
    const message = `${base} cannot be the name of a branch or ref of origin. Name one, or leave useRemote out.`;
    throw new ConsoleError('VALIDATION', message, { base });
  }
  const sources = sourcesOf(name);
  let reason = '';
  for (const source of sources) {
    try {
      await fetch(context, repositoryPath, source);
      const fetched = await findLocal(context, repositoryPath, [source.to]);
      if (fetched !== null) return fetched;
      reason = `${source.from} of origin is not a commit`;
    } catch (error) {
      if (!(error instanceof ConsoleError) || !['GIT_FAILED', 'TIMEOUT'].includes(error.code)) throw error;
      reason = stderrOf(error) === '' ? error.message : `${reasonOf(stderrOf(error))}${unusedWords(error)}`;
      if (!/couldn't find remote ref/i.test(reason)) break;
    }
  }
  return fallBack(context, repositoryPath, { base, name, sources, reason: redact(reason) });
}

function sourcesOf(name: string): Source[] {
  const short = name.replace(/^refs\//, '');
  const branch = { from: `refs/heads/${name}`, to: `refs/remotes/origin/${name}` };
  const other = { from: name, to: `refs/agent-console/fetched/${short}` };
  if (name.startsWith('refs/')) return [other];
  return FORGE_REF.test(name) ? [{ ...other, from: `refs/${name}` }, branch] : [branch, other];
}

async function fetch(context: GitContext, repositoryPath: string, source: Source): Promise<void> {
  const key = `${await commonDirOf(repositoryPath)}\0${source.to}`;
  const quiet = ['--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-gc', '--refmap='];
  await context.queues.share(key, () =>
    context.run(['fetch', ...quiet, '--', 'origin', `+${source.from}:${source.to}`], {
      cwd: repositoryPath,
      timeoutMs: GIT_REMOTE_LIMIT_MS,
      settings: [NO_ALTERNATE_REFS],
    }),
  );
}

async function fallBack(
  context: GitContext,
  repositoryPath: string,
  wanted: { base: string; name: string; sources: readonly Source[]; reason: string },
): Promise<ResolvedBase> {
  const { base, name, sources, reason } = wanted;
  const known = [...sources.map((source) => source.to), `refs/heads/${name}`, base];
  const found = await findLocal(context, repositoryPath, known);
  if (found === null) {
    const message = `${base} could not be fetched from origin (${reason}), and nothing here has that name. Check the name and the remote.`;
    throw new ConsoleError('NOT_FOUND', message, { base, reason });
  }
  return {
    ...found,
    warning: `${base} could not be fetched from origin (${reason}); ${found.ref} is used as it is here.`,
  };
}
