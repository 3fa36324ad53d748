import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** One message of a session's conversation, such as a text or a tool call. */
export const Message = v.object({
  id: ownId('Message'),
  sessionId: idOf('session', 'Id of the session of the conversation'),
  taskId: nullableIdOf('task', 'Id of the task to which the message belongs, or null'),
  seq: described(v.number(), 'Position in the conversation, from 1'),
  role: described(v.picklist(['user', 'agent', 'system']), 'Author'),
  kind: described(
    v.picklist(['text', 'thought', 'toolCall', 'plan', 'permission', 'notice', 'usage']),
    'Kind of the message',
  ),
  parts: described(
    v.array(v.record(v.string(), v.unknown())),
    'Content; shape depends on the kind. A message that is too long for one entry continues in the next, whose first part has `continues: true`. `truncated` is true on a part that was too large to store completely; on a tool call, it lists the names of the cut fields',
  ),
  source: described(
    v.picklist(['acp', 'transcript', 'hook', 'screen', 'console']),
    "How the console received the message, such as from the agent's transcript",
  ),
  logOffset: described(
    v.nullable(v.number()),
    "Position of the message in the worker's output log as a byte offset, or null",
  ),
  revision: described(
    v.number(),
    'Number of the last change to this message; each change in the conversation gets a higher number',
  ),
  createdAt: described(Timestamp, 'Time of the message'),
});
export type Message = v.InferOutput<typeof Message>;
