import * as v from 'valibot';
import { described } from '../describe.ts';
import { IdPrefix } from '../ids.ts';
import { MARKED_MAX } from '../limits/inbox.ts';
import { InboxCounts, InboxGroup, InboxItem, Mark, Marked } from '../models/inbox.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { SearchText } from '../text.ts';
import { Moment } from '../time.ts';

const sessionIds = v.optional(
  described(v.pipe(v.array(IdPrefix('session')), v.maxLength(MARKED_MAX)), 'Sessions, by id or prefix'),
  [],
);
const orchestrationIds = v.optional(
  described(v.pipe(v.array(IdPrefix('orchestration')), v.maxLength(MARKED_MAX)), 'Orchestrations, by id or prefix'),
  [],
);

/** Operations on a person's inbox. Read marks and pins belong to the calling user and apply on all devices. */
export const inbox = [
  operation({
    name: 'inbox.list',
    summary:
      'What needs you: questions, longest waiting first, then failures and other outcomes that you have not read, newest first',
    access: 'member',
    rest: { method: 'GET', path: '/inbox' },
    cli: {
      command: 'inbox list',
      columns: [
        'group',
        { heading: 'ID', path: ['sessionId', 'orchestrationId'] },
        'title',
        'kind',
        { heading: 'AGE', path: 'since', as: 'age' },
        'text',
      ],
    },
    input: v.strictObject({
      group: v.optional(described(InboxGroup, 'Filter by group')),
      about: v.optional(
        described(
          v.picklist(['session', 'orchestration']),
          'Only items about sessions, or only items about orchestrations',
        ),
      ),
      query: v.optional(
        described(SearchText, 'Words that must all occur in the title, text, branch, agent or repository'),
      ),
      ...PageInput,
    }),
    output: v.object({
      ...pageOf(InboxItem).entries,
      counts: described(InboxCounts, 'Number of items in each group that match all filters except group'),
    }),
  }),
  operation({
    name: 'inbox.mark',
    summary:
      'Mark outcomes as read (by session or orchestration, by group, or all) or as unread (by session or orchestration). A later outcome is unread again',
    access: 'member',
    effect: 'write',
    ids: { sessionIds: 'session', orchestrationIds: 'orchestration' },
    rest: { method: 'POST', path: '/inbox/marks' },
    cli: { command: 'inbox mark', positional: ['sessionIds'] },
    example: { sessionIds: ['0193a1b2-c3d4-7e5f'] },
    input: v.pipe(
      v.strictObject({
        sessionIds,
        orchestrationIds,
        group: v.optional(
          described(v.picklist(['failed', 'finished']), 'Mark every unread outcome of this group as read'),
        ),
        all: v.optional(described(v.boolean(), 'Mark every unread outcome as read'), false),
        read: v.optional(
          described(v.boolean(), 'false: mark as unread, which requires ids of sessions or orchestrations'),
          true,
        ),
        until: v.optional(described(Moment, 'Time up to which outcomes are marked as read; default: now')),
      }),
      v.check(
        ({ sessionIds, orchestrationIds, group, all }) =>
          [sessionIds.length + orchestrationIds.length > 0, group !== undefined, all].filter(Boolean).length === 1,
        'pass exactly one of: ids of sessions or orchestrations, `group`, `all`',
      ),
      v.check(
        ({ read, group, all }) => read || (group === undefined && !all),
        'pass the ids of the sessions or orchestrations to mark as unread, such as those that inbox.mark returned',
      ),
    ),
    output: v.object({
      ...Marked,
      counts: described(InboxCounts, 'Number of items in each group of the inbox after the call'),
    }),
  }),
  operation({
    name: 'inbox.marks',
    summary:
      'Times up to which you have read the outcomes of sessions and orchestrations, and the sessions that you have pinned',
    access: 'member',
    rest: { method: 'GET', path: '/inbox/marks' },
    cli: {
      command: 'inbox marks',
      columns: [{ heading: 'ID', path: ['sessionId', 'orchestrationId'] }, 'readUntil', 'pinnedAt'],
    },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(Mark),
  }),
  operation({
    name: 'sessions.pin',
    summary: 'Pin sessions to the top of your list, or unpin them',
    access: 'member',
    effect: 'write',
    ids: { sessionIds: 'session' },
    rest: { method: 'POST', path: '/sessions/pins' },
    cli: { command: 'sessions pin', positional: ['sessionIds'] },
    input: v.strictObject({
      sessionIds: described(
        v.pipe(v.array(IdPrefix('session')), v.minLength(1), v.maxLength(MARKED_MAX)),
        'Sessions, by id or prefix',
      ),
      pinned: v.optional(described(v.boolean(), 'false: unpin the sessions'), true),
    }),
    output: v.object({
      sessionIds: Marked.sessionIds,
      pinned: described(v.boolean(), 'Whether the sessions are now pinned'),
    }),
  }),
] as const;
