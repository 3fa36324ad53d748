import * as v from 'valibot';
import { AgorSearch, agorSearch } from '../agor/search.ts';
import { described } from '../describe.ts';
import { IdPrefix, nullableIdOf } from '../ids.ts';
import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_PREFIX_MIN_CHARS } from '../limits/search.ts';
import { StoredAgentId } from '../models/agent.ts';
import { Session, SessionStatus } from '../models/session.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { SearchText } from '../text.ts';

const query = v.pipe(
  SearchText,
  v.description(
    `All words must occur in one text; "…" for a phrase, word* for a prefix of at least ${SEARCH_PREFIX_MIN_CHARS} characters`,
  ),
);
const agent = v.pipe(StoredAgentId, v.description('Id of an agent definition'));
const limit = v.optional(
  v.pipe(
    v.number(),
    v.safeInteger(),
    v.minValue(1),
    v.maxValue(SEARCH_LIMIT_MAX),
    v.description(`Number of rows, 1 to ${SEARCH_LIMIT_MAX}`),
  ),
  SEARCH_LIMIT_DEFAULT,
);

/** Filters. Without any, all sessions that the caller sees are searched. */
const among = {
  status: v.optional(v.pipe(SessionStatus, v.description('Filter by status'))),
  worktreeId: v.optional(IdPrefix('worktree')),
  repositoryId: v.optional(IdPrefix('repository')),
  boardId: v.optional(v.pipe(IdPrefix('board'), v.description('Filter by board of the worktree'))),
  archived: v.optional(v.pipe(v.boolean(), v.description('true: only archived sessions; false: only the others'))),
};
const page = { limit, skip: PageInput.skip };

/** One session that matches the query. */
const SessionMatch = v.object({
  session: described(Session, 'Matching session'),
  messageId: described(
    v.nullable(v.string()),
    'Newest matching message; null when only a queued prompt, the title or the description matches',
  ),
  taskId: nullableIdOf('task', 'Queued task whose prompt matches where no message does, or null'),
  snippet: described(v.string(), 'Excerpt around the match, on one line, as plain text'),
  marks: described(
    v.array(
      v.object({
        start: described(v.number(), 'Start in UTF-16 units'),
        end: described(v.number(), 'End in UTF-16 units, exclusive'),
      }),
    ),
    'Positions of the matching words in the snippet',
  ),
  matches: described(v.number(), 'Number of matching texts of the session'),
});
export type SessionMatch = v.InferOutput<typeof SessionMatch>;

export const sessionSearch = [
  operation({
    name: 'sessions.search',
    summary:
      'Find sessions by words of their messages, waiting prompts, titles and descriptions; the newest match first',
    effect: 'read',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree', repositoryId: 'repository', boardId: 'board' },
    rest: { method: 'GET', path: '/sessions/search' },
    cli: {
      command: 'sessions search',
      also: ['session search'],
      positional: ['query'],
      columns: ['session.id', 'session.title', 'session.status', 'matches', 'snippet'],
    },
    tool: {
      name: 'agor_sessions_search',
      toolset: 'sessions',
      description:
        'Find sessions by words of their messages, waiting prompts, titles and descriptions; the newest match first, one row for each session. Read more with agor_sessions_get and includeMessages.',
      input: v.strictObject({ query, agent: v.optional(agent), ...among, ...page }),
      output: AgorSearch,
      names: { agent: 'agentId' },
      toResult: agorSearch,
    },
    input: v.strictObject({ query, agentId: v.optional(agent), ...among, ...page }),
    output: v.object({
      ...pageOf(SessionMatch).entries,
      truncated: described(v.boolean(), 'Whether older texts were not searched; a narrower query finds them'),
    }),
  }),
] as const;
