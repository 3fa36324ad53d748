import * as v from 'valibot';
import type { Session } from '../models/session.ts';
import type { Page } from '../page.ts';
import { AgorSessionRow, agorSessionRow } from './sessions.ts';
import { type ListArguments, snakeList } from './snake.ts';

/** This file defines the results of the `agor_*` search tool. */

const AgorMatch = v.looseObject({
  ...AgorSessionRow.entries,
  message_id: v.nullable(v.string()),
  snippet: v.string(),
  matches: v.number(),
});
export const AgorSearch = v.object({
  total: v.number(),
  limit: v.number(),
  skip: v.number(),
  data: v.array(AgorMatch),
  truncated: v.boolean(),
});

interface Match {
  session: Session;
  messageId: string | null;
  taskId: string | null;
  snippet: string;
  matches: number;
}

/** Formats search results as list rows with snippets, without the positions of the matching words. */
export function agorSearch({ truncated, ...page }: Page<Match> & { truncated: boolean }, args: ListArguments) {
  const list = snakeList(
    page,
    ({ session, messageId, taskId, snippet, matches }) => ({
      ...agorSessionRow(session),
      message_id: messageId,
      task_id: taskId,
      snippet,
      matches,
    }),
    args,
  );
  return { ...list, truncated };
}
