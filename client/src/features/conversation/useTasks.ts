import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Task } from '@agent-console/shared/models/task';
import { useAnswer } from '../../api/operations.ts';

const NONE: readonly Task[] = [];

/** The newest tasks of a session, at most a page of them, oldest first. */
export function useTasks(sessionId: string): readonly Task[] {
  const count = useAnswer('sessions.tasks', { sessionId, limit: 1 });
  const skip = Math.max(0, (count.data?.total ?? 0) - PAGE_MAX);
  const { data } = useAnswer(
    'sessions.tasks',
    { sessionId, limit: PAGE_MAX, skip },
    { enabled: count.data !== undefined },
  );
  return data?.data ?? NONE;
}
