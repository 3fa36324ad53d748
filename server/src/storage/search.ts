import {
  SEARCH_LOOKUPS,
  SEARCH_MATCHES_MAX,
  SEARCH_MS,
  SEARCH_READ_SLICE,
  SEARCH_SLICE,
} from '@agent-console/shared/limits/search';
import { and, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SearchQuery } from '../domain/search.ts';
import type { FoundSession, SearchReader } from '../ports/storage.ts';
import { boundConditionOf, clausesOf } from './conditions.ts';
import type { Connection } from './database.ts';
import { searchDocuments } from './schema/messages.ts';
import { sessions } from './schema/sessions.ts';

/**
 * What one batch of a search found in one session. `oldest` is the id of the oldest text searched; `newest` and
 * `newestMessage` are the ids of the newest matching text and message, or null.
 */
interface Slice {
  sessionId: string;
  /** How many texts were searched, and how many of them match. */
  searched: number;
  matches: number;
  oldest: number;
  newest: number | null;
  newestMessage: number | null;
  /** Ids of all matching messages of this batch, as a JSON array. */
  messages: string;
}

/**
 * Returns the FTS5 query. Words contain only letters, digits and combining marks, and are quoted, so FTS5 parses no
 * word as an operator.
 */
function indexQuery({ phrases }: SearchQuery): string {
  return phrases.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? '*' : ''}`).join(' AND ');
}

/**
 * Creates a search that reads the index from the newest text backwards, in batches, so that the search for a common
 * word does not block the event loop and returns quickly. Ordering by relevance would require reading every match
 * first.
 */
export function createSearch({ db }: Connection, visible?: SQL): SearchReader {
  const columns = getTableColumns(sessions);

  /**
   * Selects the ids below `before` of texts that contain the words, newest first; without words, of all texts. Texts
   * that the user may not see are included.
   */
  function textsBefore(query: SearchQuery, before: number): SQL {
    return query.phrases.length > 0
      ? sql`select rowid as id from search_index where search_index match ${indexQuery(query)} and rowid < ${before} order by rowid desc`
      : sql`select id from ${searchDocuments} where id < ${before} order by id desc`;
  }

  /**
   * Returns the id of the oldest text in the batch that begins below `before`. The next batch begins below this text.
   * Undefined if the batch is the last one, with fewer than SEARCH_LOOKUPS texts.
   */
  function oldestOfBatch(query: SearchQuery, before: number): number | undefined {
    const [last] = db.all<{ id: number }>(sql`${textsBefore(query, before)} limit 1 offset ${SEARCH_LOOKUPS - 1}`);
    return last?.id;
  }

  /**
   * Runs one batch. Looks up the next SEARCH_LOOKUPS texts, but reads and matches only the newest `limit` of those
   * whose sessions pass the filter.
   */
  function slice(query: SearchQuery, filter: SQL | undefined, before: number, limit: number): Slice[] {
    const { pieces } = query;
    const text = sql`(select lower(text) from search_texts where search_texts.id = ${searchDocuments.id})`;
    const each = pieces.map((piece) => sql`instr(${text}, ${piece.toLowerCase()}) > 0`);
    const matches = each.length === 0 ? sql`1` : sql`coalesce(${sql.join(each, sql` and `)}, 0)`;
    // The subquery is materialized, so that each text is read once instead of once per result column.
    return db.all(sql`
      with searched_texts as materialized (
        select ${searchDocuments.id}, kind, "sessionId", ${matches} as has
        from (${textsBefore(query, before)} limit ${SEARCH_LOOKUPS}) candidates
          cross join ${searchDocuments} on ${searchDocuments.id} = candidates.id
          cross join ${sessions} on ${sessions.id} = "sessionId" and ${filter ?? sql`true`}
        limit ${limit}
      )
      select "sessionId", count(*) as searched, sum(has) as matches, min(id) as oldest,
        max(iif(has, id, null)) as newest, max(iif(has and kind = 'message', id, null)) as "newestMessage",
        json_group_array(id) filter (where has and kind = 'message') as messages
      from searched_texts
      group by "sessionId"
      order by newest desc
    `);
  }

  return {
    async sessions(query, where, excerpts = 1) {
      const filter = and(boundConditionOf(columns, clausesOf(columns, where)), visible);
      const until = performance.now() + SEARCH_MS;
      const found = new Map<string, FoundSession & { isMessage: boolean }>();
      let before = Number.MAX_SAFE_INTEGER;
      let counted = 0;
      for (;;) {
        // The index does not contain the `pieces` of the query, so the texts are read to find them. Without pieces,
        // every text found in the index matches, so only as many texts are read as are needed to reach
        // SEARCH_MATCHES_MAX.
        const limit =
          query.pieces.length > 0 ? SEARCH_READ_SLICE : Math.min(SEARCH_SLICE, SEARCH_MATCHES_MAX - counted);
        const rows = slice(query, filter, before, limit);
        for (const row of rows) {
          const { sessionId, matches, newest, newestMessage } = row;
          if (newest === null) continue;
          counted += matches;
          const known = found.get(sessionId) ?? {
            sessionId,
            documentId: newest,
            more: [],
            matches: 0,
            isMessage: false,
          };
          if (!known.isMessage && newestMessage !== null) {
            known.documentId = newestMessage;
            known.isMessage = true;
          }
          if (known.more.length < excerpts - 1) {
            const others = (JSON.parse(row.messages) as number[]).filter((id) => id !== known.documentId);
            // Batches are searched from newest to oldest, so ids of this batch come after all known ids.
            known.more.push(...others.sort((a, b) => b - a).slice(0, excerpts - 1 - known.more.length));
          }
          known.matches += matches;
          found.set(sessionId, known);
        }
        const searched = rows.reduce((sum, row) => sum + row.searched, 0);
        const next = searched < limit ? oldestOfBatch(query, before) : Math.min(...rows.map(({ oldest }) => oldest));
        const isLimitReached = counted >= SEARCH_MATCHES_MAX;
        if (isLimitReached || next === undefined || performance.now() > until) {
          const complete = next === undefined && !isLimitReached;
          return { found: [...found.values()].map(({ isMessage: _, ...each }) => each), complete };
        }
        before = next;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async text(documentId) {
      const [row] = db.all(
        sql`select kind, "sourceId", coalesce((select text from search_texts where search_texts.id = ${searchDocuments.id}), '') as text from ${searchDocuments} where id = ${documentId}`,
      ) as { kind: 'message' | 'task' | 'session'; sourceId: string; text: string }[];
      return row;
    },
  };
}
