import * as v from 'valibot';
import { eventColumns, sessionTaskColumns } from '../columns.ts';
import { wholeNumber } from '../describe.ts';
import { IdPrefix } from '../ids.ts';
import { ConsoleEvent } from '../models/event.ts';
import { Message } from '../models/message.ts';
import { Notice } from '../models/notice.ts';
import { Task } from '../models/task.ts';
import { Worker } from '../models/worker.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { AfterSeq } from './fields.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;

export const sessionLists = [
  operation({
    name: 'sessions.messages',
    summary: "A session's conversation, oldest first",
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/messages' },
    cli: { command: 'sessions messages', positional: ['sessionId'], columns: ['seq', 'role', 'kind', 'parts.0.text'] },
    resource: {
      uri: 'agor://session/{id}/messages',
      name: 'session-messages',
      description: "A session's conversation, oldest first. Page with ?skip=&limit=.",
      id: 'sessionId',
      offers: { from: 'sessions.list', id: (session: { id: string }) => session.id },
    },
    input: v.strictObject({
      sessionId,
      changedSince: v.optional(
        wholeNumber('Return only messages whose revision is higher than this number, lowest revision first', 0),
      ),
      ...PageInput,
    }),
    output: pageOf(Message),
  }),
  operation({
    name: 'sessions.events',
    summary: 'Events of one session after a sequence number, oldest first',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/events' },
    cli: { command: 'sessions events', positional: ['sessionId'], columns: eventColumns },
    input: v.strictObject({
      sessionId,
      after: AfterSeq,
      ...PageInput,
    }),
    output: pageOf(ConsoleEvent),
  }),
  operation({
    name: 'sessions.notices',
    summary: 'Notices for a session, oldest first, with their delivery state',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/notices' },
    cli: {
      command: 'sessions notices',
      positional: ['sessionId'],
      columns: ['id', 'kind', 'status', 'state', 'summary'],
    },
    input: v.strictObject({ sessionId, ...PageInput }),
    output: pageOf(Notice),
  }),
  operation({
    name: 'sessions.workers',
    summary: 'Live and ended workers of a session, oldest first',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/workers' },
    cli: {
      command: 'sessions workers',
      positional: ['sessionId'],
      columns: ['id', 'type', 'state', 'pid', { heading: 'ACTIVITY', path: 'activityState' }],
    },
    input: v.strictObject({ sessionId, ...PageInput }),
    output: pageOf(Worker),
  }),
  operation({
    name: 'sessions.tasks',
    summary: 'Tasks of a session, oldest first',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/tasks' },
    cli: {
      command: 'sessions tasks',
      positional: ['sessionId'],
      columns: sessionTaskColumns,
    },
    input: v.strictObject({ sessionId, ...PageInput }),
    output: pageOf(Task),
  }),
] as const;
