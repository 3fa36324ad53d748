import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import type { ResolvedBase } from '../ports/git.ts';
import type { FetchedUpstream } from '../ports/git-integration.ts';
import type { GitContext } from './context.ts';
import { reasonOf, redact, stderrOf, unusedSettingsAdvice } from './failure.ts';
import { commonDirOf } from './layout.ts';
import { requireBranchName, validBranchName } from './names.ts';
import { findLocal } from './refs.ts';

interface Source {
  remote: string;
  /** The ref at the remote to fetch. */
  from: string;
  /** The local ref that receives the fetched commit. */
  to: string;
}

/**
 * Keeps git from listing the refs of alternates, the repositories from which this repository borrows objects. To list
 * them, git would start a process in each alternate, without the console's settings, and anyone who may write objects
 * can add an alternate. Without the list, a fetch transfers slightly more than needed.
 */
const NO_ALTERNATE_REFS = 'core.alternateRefsCommand=true';

/**
 * Prefixes of the refs of pull requests, of merge requests (GitLab) and of changes (Gerrit). Such refs are not
 * branches.
 */
const FORGE_REF = /^(pull|pull-requests|merge-requests|changes)\//;

/**
 * Fetches and resolves a branch or ref of `origin`: branches into `refs/remotes/origin/<branch>`, others into
 * `refs/agent-console/fetched/<ref>`. If the fetch fails, a local ref of that name is used, with a warning.
 * @throws VALIDATION for an invalid ref name, NOT_FOUND when there is no local ref either.
 */
export async function resolveRemote(context: GitContext, repositoryPath: string, base: string): Promise<ResolvedBase> {
  const name = base.replace(/^refs\/remotes\/origin\/|^origin\/|^refs\/heads\//, '');
  if (!validBranchName(name)) {
    const message = `${base} cannot be the name of a branch or ref of origin. Pass a valid name, or omit \`useRemote\`.`;
    throw new ConsoleError('VALIDATION', message, { base });
  }
  const sources = sourcesOf(name);
  let reason = '';
  for (const source of sources) {
    try {
      await fetch(context, repositoryPath, source);
      const fetched = await findLocal(context, repositoryPath, [source.to]);
      if (fetched !== null) return fetched;
      reason = `${source.from} of origin does not name a commit`;
    } catch (error) {
      if (!(error instanceof ConsoleError) || !['GIT_FAILED', 'TIMEOUT'].includes(error.code)) throw error;
      reason = reasonFor(error);
      if (!/couldn't find remote ref/i.test(reason)) break;
    }
  }
  return fallBack(context, repositoryPath, { base, name, sources, reason: redact(reason) });
}

/**
 * Fetches the upstream of a local branch into its remote-tracking ref. Returns null if the branch tracks no remote
 * branch. A failed fetch is returned with its reason.
 */
export async function fetchUpstream(
  context: GitContext,
  repositoryPath: string,
  branch: string,
): Promise<FetchedUpstream | null> {
  requireBranchName(branch);
  const format = '--format=%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream)';
  const { stdout } = await context.run(['for-each-ref', format, `refs/heads/${branch}`], { cwd: repositoryPath });
  const [remote = '', from = '', to = ''] = stdout.toString().trimEnd().split('\0');
  if (remote === '' || !from.startsWith('refs/') || !to.startsWith('refs/remotes/')) return null;
  const name = to.slice('refs/remotes/'.length);
  try {
    await fetch(context, repositoryPath, { remote, from, to });
    const found = await findLocal(context, repositoryPath, [to]);
    return found === null
      ? { name, commit: null, reason: 'the fetched ref does not name a commit' }
      : { name, commit: found.sha };
  } catch (error) {
    if (!(error instanceof ConsoleError) || !['GIT_FAILED', 'TIMEOUT'].includes(error.code)) throw error;
    return { name, commit: null, reason: redact(reasonFor(error)) };
  }
}

function reasonFor(error: ConsoleError): string {
  const stderr = stderrOf(error);
  return stderr === '' ? error.message : `${reasonOf(stderr)}${unusedSettingsAdvice(error)}`;
}

function sourcesOf(name: string): Source[] {
  const short = name.replace(/^refs\//, '');
  const remote = 'origin';
  const branch = { remote, from: `refs/heads/${name}`, to: `refs/remotes/origin/${name}` };
  const other = { remote, from: name, to: `refs/agent-console/fetched/${short}` };
  if (name.startsWith('refs/')) return [other];
  return FORGE_REF.test(name) ? [{ ...other, from: `refs/${name}` }, branch] : [branch, other];
}

async function fetch(context: GitContext, repositoryPath: string, source: Source): Promise<void> {
  const key = `${await commonDirOf(repositoryPath)}\0${source.to}`;
  const flags = ['--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-gc', '--refmap='];
  await context.queues.share(key, () =>
    context.run(['fetch', ...flags, '--', source.remote, `+${source.from}:${source.to}`], {
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
    const message = `${base} could not be fetched from origin (${reason}), and no local ref has that name. Check the name and the remote.`;
    throw new ConsoleError('NOT_FOUND', message, { base, reason });
  }
  return {
    ...found,
    warning: `${base} could not be fetched from origin (${reason}); using the local ${found.ref} instead.`,
  };
}
