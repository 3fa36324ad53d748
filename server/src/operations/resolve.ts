import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { ID_RULE, shortId } from '@agent-console/shared/ids';
import { AMBIGUOUS_MAX, NAMES_SEARCHED_MAX } from '@agent-console/shared/limits/answers';
import type { Noun } from '@agent-console/shared/operation';
import type { WorktreeRow } from '../ports/rows.ts';
import type { Readers, StoreReader, Where } from '../ports/storage.ts';

const UUID_LENGTH = 36;

interface Named {
  id: string;
  createdAt: string;
}

/** An entity of any type, with the name or title that is shown to people. */
interface NamedThing {
  kind: Noun;
  id: string;
  title: string;
}

interface Entry {
  label: string;
  find(prefix: string, includeRemoved: boolean): Promise<Named[]>;
  /** Returns the newest rows to which names can refer. Names never refer to a removed session, for example. */
  newest(): Promise<Named[]>;
  byIds(ids: readonly string[]): Promise<Named[]>;
  titleOf(row: Named): string;
  /** Returns further names, such as the branch of a worktree. */
  aliasesOf(row: Named): readonly string[];
  /**
   * Whether the row is no longer current, such as a removed worktree. A name refers to a past row only if no current
   * row has the name.
   */
  isPast(row: Named): boolean;
  sessionOf?(row: Named): string | null;
}

interface EntryOptions<Row> {
  sessionOf?: (row: Row) => string | null;
  /**
   * Filter for the rows that names can refer to. Unless `includeRemoved` is set, the filter also applies to ids.
   * Without a filter, all rows match.
   */
  present?: Where<Row>;
  aliases?: (row: Row) => readonly (string | null)[];
  past?: (row: Row) => boolean;
}

function entry<Row extends Named>(
  label: string,
  store: StoreReader<Row>,
  titleOf: (row: Row) => string,
  { present = {}, sessionOf, aliases = () => [], past = () => false }: EntryOptions<Row> = {},
): Entry {
  return {
    label,
    find(prefix, includeRemoved) {
      const id = prefix.length === UUID_LENGTH ? prefix : { startsWith: prefix };
      // Unless `includeRemoved` is set, the query leaves out removed rows, so that the limit counts only the others.
      const where = { ...(includeRemoved ? {} : present), id };
      return store.find(where as Where<Row>, { limit: AMBIGUOUS_MAX + 1 });
    },
    newest: () => store.find(present, { order: ['-id'] as never, limit: NAMES_SEARCHED_MAX }),
    byIds: (ids) => store.find({ id: ids } as never),
    titleOf: (row) => titleOf(row as Row),
    aliasesOf: (row) => aliases(row as Row).filter((name) => name !== null),
    isPast: (row) => past(row as Row),
    ...(sessionOf === undefined ? {} : { sessionOf: (row: Named) => sessionOf(row as Row) }),
  };
}

export interface Resolver {
  /** Returns the full id for an id prefix. @throws NOT_FOUND, or AMBIGUOUS_ID with the candidates. */
  resolve(
    noun: Noun,
    prefix: string,
    options: { includeRemoved: boolean },
  ): Promise<{ id: string; sessionId: string | null }>;
  /**
   * Finds an entity by its id or id prefix, by an absolute path in its directory, by its name, title or alias, a session
   * by the branch of its worktree, or, unless `exact`, by the beginning of a name, in this order. Except in paths and
   * such branches, letter case does not matter.
   * @throws NOT_FOUND, or AMBIGUOUS_ID with the candidates.
   */
  named(noun: Noun, query: string, options: { exact: boolean }): Promise<NamedThing>;
  /**
   * Returns entities whose name begins with `startsWith`. With `ids`, only these entities are searched; otherwise those
   * of the newest NAMES_SEARCHED_MAX entities that are current, newest first.
   */
  names(
    noun: Noun,
    filter: { ids?: readonly string[] | undefined; startsWith?: string | undefined; limit: number },
  ): Promise<NamedThing[]>;
}

const ID_PREFIX = /^[0-9a-f-]{8,36}$/;
/** Text that may be the beginning of an id, but is too short to be accepted as an id prefix. */
const SHORT_ID = /^[0-9a-f-]{1,7}$/;

/** Creates the resolver, which finds entities of all types by ids, id prefixes and names. */
export function createResolver(read: Readers, now: () => Date): Resolver {
  const firstLine = (text: string) => text.split('\n', 1)[0]?.slice(0, 80) ?? '';
  const entries: Record<Noun, Entry> = {
    repository: entry('Repository', read.repositories, (row) => row.name, { present: { removedAt: null } }),
    worktree: entry('Worktree', read.worktrees, (row) => row.name, {
      present: { state: { not: 'failed' } },
      aliases: ({ branch }) => [branch],
      past: ({ state }) => state === 'removed',
    }),
    board: entry('Board', read.boards, (row) => row.name, { present: { removedAt: null } }),
    zone: entry('Zone', read.zones, (row) => row.name),
    session: entry('Session', read.sessions, (row) => row.title, {
      present: { removedAt: null },
      sessionOf: (row) => row.id,
      past: (row) => row.archivedAt !== null,
    }),
    worker: entry('Worker', read.workers, (row) => row.type, { sessionOf: (row) => row.sessionId }),
    task: entry('Task', read.tasks, (row) => firstLine(row.prompt), { sessionOf: (row) => row.sessionId }),
    delegation: entry('Delegation', read.delegations, (row) => row.branch),
    job: entry('Job', read.jobs, (row) => row.kind),
    notice: entry('Notice', read.notices, (row) => row.title),
    approval: entry('Approval', read.approvals, (row) => firstLine(row.text), { sessionOf: (row) => row.sessionId }),
    token: entry('Token', read.tokens, (row) => row.name),
    user: entry('User', read.users, (row) => row.username ?? row.email ?? '', {
      present: { removedAt: null },
      aliases: ({ email }) => [email],
    }),
    integration: entry('Integration', read.integrations, (row) => `${row.branch} into ${row.into}`),
    orchestration: entry('Orchestration', read.orchestrations, (row) => firstLine(row.objective), {
      // An agent may control only the orchestrations that its own session or a descendant created.
      sessionOf: (row) => row.createdBySessionId,
    }),
    mcpServer: entry('MCP server', read.mcpServers, (row) => row.name, { present: { removedAt: null } }),
  };

  function ambiguous(noun: Noun, query: string, rows: readonly Named[], advice: string): ConsoleError {
    const { label, titleOf } = entries[noun];
    const candidates = rows.slice(0, AMBIGUOUS_MAX).map((each) => ({
      id: each.id,
      title: titleOf(each),
      ageSeconds: Math.round((now().getTime() - Date.parse(each.createdAt)) / 1_000),
    }));
    const list = candidates.map((each) => `${shortId(each.id)} "${each.title}"`).join(', ');
    return new ConsoleError('AMBIGUOUS_ID', `${label} ${query} is ambiguous, because it matches ${list}. ${advice}`, {
      candidates,
    });
  }

  /**
   * Returns the rows whose name equals the query. Rows of the past, such as removed worktrees, are returned only if no
   * current row has the name and, for a session, no session works on a branch of this name. If there are none of these
   * either, returns the rows whose name begins with the query, unless `exact`.
   */
  async function withName(noun: Noun, query: string, exact: boolean): Promise<Named[]> {
    const { newest, titleOf, aliasesOf, isPast } = entries[noun];
    const wanted = query.trim().toLowerCase();
    const rows = await newest();
    const namesOf = (row: Named) => [titleOf(row), ...aliasesOf(row)].map((name) => name.trim().toLowerCase());
    const currentOf = (found: readonly Named[]) => found.filter((row) => !isPast(row));
    const same = rows.filter((row) => namesOf(row).includes(wanted));
    const current = currentOf(same);
    if (current.length > 0) return current;
    const inBranch = noun === 'session' ? await onBranch(query.trim()) : [];
    if (inBranch.length > 0) return inBranch;
    // The beginning of a name counts last. Otherwise the same name could mean one session for commands that read, and
    // another one for commands that delete, which accept only exact names.
    if (same.length > 0 || exact) return same;
    const beginning = rows.filter((row) => namesOf(row).some((name) => name.startsWith(wanted)));
    const currentBeginning = currentOf(beginning);
    return currentBeginning.length > 0 ? currentBeginning : beginning;
  }

  /** Returns the innermost worktree whose directory contains a path. */
  async function worktreeAt(path: string): Promise<WorktreeRow | undefined> {
    const rows = await read.worktrees.find({ state: { not: ['removed', 'failed'] } });
    return rows
      .filter((row) => path === row.path || path.startsWith(`${row.path.replace(/\/$/, '')}/`))
      .sort((a, b) => b.path.length - a.path.length)[0];
  }

  /** Returns the worktree that contains a path, or its repository, depending on `noun`. Empty if there is none. */
  async function atPath(noun: Noun, path: string): Promise<Named[]> {
    if (noun !== 'repository' && noun !== 'worktree') return [];
    const worktree = await worktreeAt(path);
    if (worktree === undefined) return [];
    return noun === 'worktree' ? [worktree] : entries.repository.find(worktree.repositoryId, false);
  }

  /** Returns the sessions in the worktrees of a branch that are not archived or, if there are none, the archived ones. */
  async function onBranch(branch: string): Promise<Named[]> {
    const worktrees = await read.worktrees.find({ branch, state: { not: ['removed', 'failed'] } });
    const worktreeId = worktrees.map(({ id }) => id);
    const rows = worktreeId.length === 0 ? [] : await read.sessions.find({ worktreeId, removedAt: null });
    const current = rows.filter((row) => row.archivedAt === null);
    return current.length > 0 ? current : rows;
  }

  return {
    async resolve(noun, prefix, { includeRemoved }) {
      const { label, find, sessionOf } = entries[noun];
      const rows = await find(prefix, includeRemoved);
      const [row] = rows;
      if (row === undefined) throw notFound(label, prefix);
      if (rows.length > 1) throw ambiguous(noun, prefix, rows, 'Use more characters of the id.');
      return { id: row.id, sessionId: sessionOf?.(row) ?? null };
    },

    async named(noun, query, { exact }) {
      const { label, find, titleOf } = entries[noun];
      const prefix = query.trim().toLowerCase();
      const byId = ID_PREFIX.test(prefix) ? await find(prefix, true) : [];
      if (byId.length > 1) throw ambiguous(noun, query, byId, 'Use more characters of the id.');
      const inPath = byId.length === 0 && query.startsWith('/') ? await atPath(noun, query) : [];
      const rows = byId.length + inPath.length > 0 ? [...byId, ...inPath] : await withName(noun, query, exact);
      const [row] = rows;
      if (row === undefined) {
        if (!SHORT_ID.test(prefix)) throw notFound(label, ID_PREFIX.test(prefix) ? prefix : `"${query}"`);
        throw new ConsoleError(
          'NOT_FOUND',
          `${label} "${query}" not found. If this is the beginning of an id, pass more of it: ${label} ${ID_RULE}.`,
        );
      }
      if (rows.length > 1) throw ambiguous(noun, `"${query}"`, rows, 'Use the id instead of the name.');
      return { kind: noun, id: row.id, title: titleOf(row) };
    },

    async names(noun, { ids, startsWith, limit }) {
      const { newest, byIds, titleOf, isPast } = entries[noun];
      const rows = ids === undefined ? (await newest()).filter((row) => !isPast(row)) : await byIds(ids);
      const beginning = startsWith?.toLowerCase() ?? '';
      return rows
        .map((row): NamedThing => ({ kind: noun, id: row.id, title: titleOf(row) }))
        .filter(({ title }) => title !== '' && title.toLowerCase().startsWith(beginning))
        .slice(0, limit);
    },
  };
}
