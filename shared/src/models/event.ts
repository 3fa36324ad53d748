import * as v from 'valibot';
import { described } from '../describe.ts';
import { actor, idOf, kindAndId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { EVENT_TYPES } from './event-data.ts';

export const EventType = v.picklist(EVENT_TYPES);
export type EventType = v.InferOutput<typeof EventType>;

/**
 * Alternative names of some events, for clients that expect these names. An event has its own name in `type` and its
 * alternative name in `alias`.
 */
const EVENT_ALIASES: Partial<Record<EventType, string>> = {
  'worktree.created': 'worktree-creation-completed',
  'worktree.failed': 'worktree-creation-failed',
  'session.forked': 'genealogy',
  'session.spawned': 'genealogy',
  'session.updated': 'sessions patched',
};

/**
 * Returns the alternative name of an event, if it has one. A `task.ended` event has one only if `childSessionId` shows
 * that the task of a spawned or forked session ended.
 */
export function aliasOf(type: EventType, data: Record<string, unknown>): string | undefined {
  if (type === 'task.ended' && 'childSessionId' in data) return 'genealogy';
  return EVENT_ALIASES[type];
}

export const SubjectKind = v.picklist([
  'server',
  'runner',
  'repository',
  'worktree',
  'board',
  'zone',
  'job',
  'session',
  'worker',
  'task',
  'delegation',
  'notice',
  'approval',
  'agent',
  'token',
  'user',
  'mcpServer',
  'integration',
  'orchestration',
  'settings',
]);
export type SubjectKind = v.InferOutput<typeof SubjectKind>;

/** A recorded fact with a sequence number. `event-data.ts` describes `data` for each type. */
export const ConsoleEvent = v.object({
  seq: described(v.number(), 'Sequence number; later events have higher numbers'),
  at: described(Timestamp, 'Time of the event'),
  type: described(EventType, 'Event type: <noun>.<past participle>'),
  alias: v.optional(
    described(
      v.string(),
      'Alternative name of the event type, for clients that expect that name; only some types have one',
    ),
  ),
  subject: kindAndId(
    v.object({
      kind: described(SubjectKind, 'Type of the entity, such as session'),
      id: described(v.string(), 'Id of the entity'),
    }),
    'Entity that the event is about',
  ),
  actor: actor('Who caused the event: user:<id>, session:<id> or system'),
  viaSessionId: v.optional(idOf('session', 'Id of the session that caused the event, if a session did')),
  data: described(v.record(v.string(), v.unknown()), 'Event data; keys depend on the type'),
});
export type ConsoleEvent = v.InferOutput<typeof ConsoleEvent>;
