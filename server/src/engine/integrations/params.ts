import { Scope } from '@agent-console/shared/models/token';
import * as v from 'valibot';
import type { Caller } from '../../domain/caller.ts';

const Via = v.picklist(['token', 'peer']);

const StoredCaller: v.GenericSchema<unknown, Caller> = v.variant('kind', [
  v.object({ kind: v.literal('worker'), workerId: v.string(), sessionId: v.string(), via: Via }),
  v.object({
    kind: v.literal('user'),
    userId: v.string(),
    scopes: v.array(Scope),
    via: Via,
    tokenId: v.exactOptional(v.string()),
    expiresAt: v.exactOptional(v.string()),
  }),
  v.object({ kind: v.literal('nobody'), reason: v.string() }),
]);

const CleanupRequest = v.object({
  removeWorktree: v.boolean(),
  deleteBranch: v.boolean(),
  archiveSessions: v.boolean(),
});
export type CleanupRequest = v.InferOutput<typeof CleanupRequest>;

/** Actions after an integration, and the caller who requested them. */
const FollowUp = v.object({
  caller: StoredCaller,
  /** What to remove or archive after a successful integration; null for nothing. */
  cleanup: v.nullable(CleanupRequest),
  resolve: v.boolean(),
});
export type FollowUp = v.InferOutput<typeof FollowUp>;

export const IntegrationParams = v.object({ integrationId: v.string(), message: v.string(), followUp: FollowUp });
