import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useOperationQuery } from '../../api/operations.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { useMarks } from '../inbox/marks.ts';
import { userName } from './user-name.ts';

/**
 * Returns `you` for the user of this page, `a removed user` for an unknown user, and otherwise the user's name.
 * Undefined without a user, and until the users are loaded.
 */
export function useUserLabel(userId: string | null): string | undefined {
  const ownId = useMarks((marks) => marks.userId);
  const isOther = userId !== null && ownId !== undefined && userId !== ownId;
  const { data } = useOperationQuery('users.list', { limit: PAGE_MAX }, { enabled: isOther });
  if (userId === null || ownId === undefined) return undefined;
  if (!isOther) return 'you';
  if (data === undefined) return undefined;
  const user = data.data.find(({ id }) => id === userId);
  return user === undefined ? 'a removed user' : isolateText(userName(user));
}
