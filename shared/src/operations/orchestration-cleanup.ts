import * as v from 'valibot';
import { described } from '../describe.ts';
import { IdPrefix, idOf } from '../ids.ts';
import { ORCHESTRATION_RETENTION_DAYS_MAX } from '../limits/orchestrations.ts';
import { Failure } from '../models/failure.ts';
import { OrchestrationState, OrchestrationStatus } from '../models/orchestration.ts';
import { operation } from '../operation.ts';
import { Timestamp } from '../time.ts';

/** An orchestration that a cleanup removed or would remove. */
export const CleanedOrchestration = v.object({
  orchestrationId: idOf('orchestration', 'Id of the orchestration'),
  objective: described(v.string(), 'Objective of the orchestration'),
  state: described(OrchestrationState, 'Final state of the orchestration'),
  completedAt: described(v.nullable(Timestamp), 'Time when the orchestration ended'),
  archive: described(
    v.nullable(v.string()),
    'Path of the archive folder, also in a dry run; null if the records are not copied',
  ),
  error: described(v.nullable(Failure), 'Why the orchestration was not removed completely, or null'),
});
export type CleanedOrchestration = v.InferOutput<typeof CleanedOrchestration>;

const own = {
  access: 'subtree',
  ids: { orchestrationId: 'orchestration' },
  target: 'orchestrationId',
  input: v.strictObject({ orchestrationId: IdPrefix('orchestration') }),
  output: OrchestrationStatus,
} as const;

export const orchestrationCleanup = [
  operation({
    name: 'orchestrations.archive',
    summary: 'Archive an orchestration that has ended; the inbox and lists of unarchived orchestrations then omit it',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/archive' },
    cli: { command: 'orchestrations archive', positional: ['orchestrationId'] },
  }),
  operation({
    name: 'orchestrations.unarchive',
    summary: 'Unarchive an orchestration',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/unarchive' },
    cli: { command: 'orchestrations unarchive', positional: ['orchestrationId'] },
  }),
  operation({
    name: 'orchestrations.cleanup',
    summary:
      'Remove orchestrations that ended long ago; by default, their records are first copied to an archive folder',
    access: 'owner',
    effect: 'destroy',
    rest: { method: 'POST', path: '/orchestrations/cleanup' },
    cli: {
      command: 'orchestrations cleanup',
      rows: 'results',
      columns: ['orchestrationId', 'objective', 'state', 'completedAt', 'archive', 'error'],
      isSuccess: ({ results }) =>
        Array.isArray(results) && results.every(({ error }: { error: unknown }) => error === null),
    },
    example: { olderThanDays: 30, dryRun: true },
    input: v.strictObject({
      olderThanDays: v.optional(
        described(
          v.pipe(v.number(), v.minValue(0), v.maxValue(ORCHESTRATION_RETENTION_DAYS_MAX)),
          'Minimum number of days since the orchestration ended; default: the setting orchestrationRetentionDays',
        ),
      ),
      archive: v.optional(
        described(
          v.boolean(),
          'true: copy the records to an archive folder first; false: keep no copy; default: the setting archiveOrchestrations',
        ),
      ),
      dryRun: v.optional(described(v.boolean(), 'Only report which orchestrations would be removed'), false),
    }),
    output: v.object({ results: described(v.array(CleanedOrchestration), 'Cleanup result for each orchestration') }),
  }),
] as const;
