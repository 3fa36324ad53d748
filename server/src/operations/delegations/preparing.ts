import { ConsoleError } from '@agent-console/shared/errors';
import { PREPARING } from '../../domain/delegation.ts';
import type { DelegationRow } from '../../ports/rows/tasks.ts';
import type { StoreReader } from '../../ports/storage.ts';

/** Whether the session is still being made by a delegation, which then starts its agent and its queue itself. */
export async function isPreparing(delegations: StoreReader<DelegationRow>, sessionId: string): Promise<boolean> {
  return (await delegations.count({ sessionId, state: [...PREPARING] })) > 0;
}

export async function refusePreparing(delegations: StoreReader<DelegationRow>, sessionId: string): Promise<void> {
  if (!(await isPreparing(delegations, sessionId))) return;
  throw new ConsoleError(
    'CONFLICT',
    'This session is still being made; its agent starts by itself. Wait until it runs.',
    { sessionId },
    { retryable: true },
  );
}
