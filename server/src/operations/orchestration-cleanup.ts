import { authorOf } from '../engine/changes/author.ts';
import type { Implementations, OperationContext } from './operation.ts';

export function orchestrationCleanupOperations({ orchestrationCleanup }: OperationContext) {
  return {
    'orchestrations.cleanup': async (options, call) => ({
      results: await orchestrationCleanup.run(authorOf(call), options),
    }),
  } satisfies Partial<Implementations>;
}
