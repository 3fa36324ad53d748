import * as v from 'valibot';
import { described } from '../describe.ts';
import { actor, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

/**
 * A recorded call: its caller, operation, the person for whom it was made, and the result code. Input and output are
 * not recorded.
 */
export const AuditEntry = v.object({
  id: ownId('Audit entry'),
  at: described(Timestamp, 'Time when the call ended'),
  actor: actor('Caller: user:<id> or session:<id>'),
  sessionId: nullableIdOf('session', 'Id of the session whose agent made the call; null if a person made it'),
  userId: nullableIdOf(
    'user',
    'Id of the user who made the call, or of the owner of the session that made it; null if unknown',
  ),
  surface: described(v.string(), 'Surface used for the call, such as rest or mcp'),
  operation: described(
    v.string(),
    'Name of the operation; for an unknown MCP tool or resource, tools/call or resources/read',
  ),
  outcome: described(v.string(), 'ok, or the error code'),
  milliseconds: described(v.number(), 'Duration of the call in milliseconds'),
});
export type AuditEntry = v.InferOutput<typeof AuditEntry>;
