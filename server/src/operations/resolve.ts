import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { shortId } from '@agent-console/shared/ids';
import { AMBIGUOUS_MAX } from '@agent-console/shared/limits/answers';
import type { Noun } from '@agent-console/shared/operation';
import type { Readers, StoreReader } from '../ports/storage.ts';

const UUID_LENGTH = 36;

interface Named {
  id: string;
  createdAt: string;
}

interface Entry {
  label: string;
  find(prefix: string, includeRemoved: boolean): Promise<Named[]>;
  titleOf(row: Named): string;
  sessionOf?(row: Named): string | null;
}

function entry<Row extends Named>(
  label: string,
  store: StoreReader<Row>,
  titleOf: (row: Row) => string,
  options: { sessionOf?: (row: Row) => string | null; present?: (row: Row) => boolean } = {},
): Entry {
  const { present, sessionOf } = options;
  return {
    label,
    async find(prefix, includeRemoved) {
      const exact = prefix.length === UUID_LENGTH ? await store.get(prefix) : undefined;
      const rows = exact
        ? [exact]
        : await store.find({ id: { startsWith: prefix } } as never, { limit: AMBIGUOUS_MAX + 1 });
      return includeRemoved || present === undefined ? rows : rows.filter(present);
    },
    titleOf: (row) => titleOf(row as Row),
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
}

/** Creates the resolver for id prefixes of every noun. */
export function createResolver(read: Readers, now: () => Date): Resolver {
  const firstLine = (text: string) => text.split('\n', 1)[0]?.slice(0, 80) ?? '';
  const entries: Record<Noun, Entry> = {
    repository: entry('Repository', read.repositories, (row) => row.name, { present: (row) => row.removedAt === null }),
    worktree: entry('Worktree', read.worktrees, (row) => row.name, { present: (row) => row.state !== 'failed' }),
    board: entry('Board', read.boards, (row) => row.name, { present: (row) => row.removedAt === null }),
    zone: entry('Zone', read.zones, (row) => row.name),
    session: entry('Session', read.sessions, (row) => row.title, {
      present: (row) => row.removedAt === null,
      sessionOf: (row) => row.id,
    }),
    worker: entry('Worker', read.workers, (row) => row.type, { sessionOf: (row) => row.sessionId }),
    task: entry('Task', read.tasks, (row) => firstLine(row.prompt), { sessionOf: (row) => row.sessionId }),
    delegation: entry('Delegation', read.delegations, (row) => row.branch),
    job: entry('Job', read.jobs, (row) => row.kind),
    notice: entry('Notice', read.notices, (row) => row.title),
    approval: entry('Approval', read.approvals, (row) => firstLine(row.text), { sessionOf: (row) => row.sessionId }),
    token: entry('Token', read.tokens, (row) => row.name),
    user: entry('User', read.users, (row) => row.username ?? row.email ?? '', {
      present: (row) => row.removedAt === null,
    }),
    integration: entry('Integration', read.integrations, (row) => `${row.branch} into ${row.into}`),
    orchestration: entry('Orchestration', read.orchestrations, (row) => firstLine(row.objective), {
      // Agents may control only orchestrations that a session of their own subtree created.
      sessionOf: (row) => row.createdBySessionId,
    }),
    mcpServer: entry('MCP server', read.mcpServers, (row) => row.name, { present: (row) => row.removedAt === null }),
  };

  return {
    async resolve(noun, prefix, { includeRemoved }) {
      const { label, find, titleOf, sessionOf } = entries[noun];
      const rows = await find(prefix, includeRemoved);
      const [row] = rows;
      if (row === undefined) throw notFound(label, prefix);
      if (rows.length > 1) {
        const candidates = rows.slice(0, AMBIGUOUS_MAX).map((each) => ({
          id: each.id,
          title: titleOf(each),
          ageSeconds: Math.round((now().getTime() - Date.parse(each.createdAt)) / 1_000),
        }));
        const list = candidates.map((each) => `${shortId(each.id)} "${each.title}"`).join(', ');
        throw new ConsoleError('AMBIGUOUS_ID', `${label} ${prefix} could be ${list}. Use more characters of the id.`, {
          candidates,
        });
      }
      return { id: row.id, sessionId: sessionOf?.(row) ?? null };
    },
  };
}
