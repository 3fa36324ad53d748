import * as v from 'valibot';
import { AgorSearch, agorSearch } from '../agor/search.ts';
import { IdPrefix } from '../ids.ts';
import { SEARCH_BEGINNING_MIN_CHARS, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from '../limits/search.ts';
import { StoredAgentId } from '../models/agent.ts';
import { Session, SessionStatus } from '../models/session.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { SearchText } from '../text.ts';

const query = v.pipe(
  SearchText,
  v.description(
    `All words must occur in one text; "…" for a phrase, word* for a prefix of at least ${SEARCH_BEGINNING_MIN_CHARS} characters`,
  ),
);
const agent = v.pipe(StoredAgentId, v.description('Id of an agent definition'));
const limit = v.optional(
  v.pipe(
    v.number(),
    v.safeInteger(),
    v.minValue(1),
    v.maxValue(SEARCH_LIMIT_MAX),
    v.description(`Rows to answer, 1 to ${SEARCH_LIMIT_MAX}`),
  ),
  SEARCH_LIMIT_DEFAULT,
);

/** Which sessions are searched; every one that the caller sees where nothing is said. */
const among = {
  status: v.optional(v.pipe(SessionStatus, v.description('Filter by status'))),
  worktreeId: v.optional(IdPrefix('worktree')),
  repositoryId: v.optional(IdPrefix('repository')),
  boardId: v.optional(v.pipe(IdPrefix('board'), v.description('Only those whose worktree lies on this board'))),
  archived: v.optional(v.pipe(v.boolean(), v.description('true: only archived sessions; false: only the others'))),
};
const page = { limit, skip: PageInput.skip };

/** One session in which the words stand. */
const SessionMatch = v.object({
  session: Session,
  /** The newest message that has the words; null when only a waiting prompt or the title and description have them. */
  messageId: v.nullable(v.string()),
  /** The prompt that has them and has not begun, where no message does. */
  taskId: v.nullable(v.string()),
  /** The place in that text, on one line, as plain text. */
  snippet: v.string(),
  /** Where the words stand in the snippet, in UTF-16 units; `end` is behind the last. */
  marks: v.array(v.object({ start: v.number(), end: v.number() })),
  /** Texts of the session that have the words. */
  matches: v.number(),
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
      /** Not every matching text was looked at, only the newest: more words find the others. */
      truncated: v.boolean(),
    }),
  }),
] as const;
