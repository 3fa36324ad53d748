import type { Delegation } from '@agent-console/shared/models/delegation';
import { useRef } from 'react';
import { useOperationQuery } from '../../api/operations.ts';

/**
 * The delegation that a person's open call began, as far as it is: the call itself answers only at its end, and ids only
 * grow, so the newest one that was not there before is it.
 */
export function useNewDelegation(calling: boolean): Delegation | undefined {
  const { data } = useOperationQuery('delegations.list', { limit: 1 });
  const newest = data?.data[0];
  const before = useRef('');
  if (!calling) before.current = newest?.id ?? '';
  const isNew = calling && newest !== undefined && newest.id > before.current && newest.parentSessionId === null;
  return isNew ? newest : undefined;
}
