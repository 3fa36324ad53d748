import type { Delegation } from '@agent-console/shared/models/delegation';
import { useRef } from 'react';
import { useOperationQuery } from '../../api/operations.ts';

/**
 * The delegation created by the pending call, which answers only at its end. Ids only grow, so it is the newest one
 * that did not exist before.
 */
export function useNewDelegation(calling: boolean): Delegation | undefined {
  const { data } = useOperationQuery('delegations.list', { limit: 1 });
  const newest = data?.data[0];
  const before = useRef('');
  if (!calling) before.current = newest?.id ?? '';
  const isNew = calling && newest !== undefined && newest.id > before.current && newest.parentSessionId === null;
  return isNew ? newest : undefined;
}
