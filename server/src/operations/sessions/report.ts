import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import { finishTask } from '../../engine/task-changes.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { sessionOrOwn } from './location.ts';

export function reportResult(
  needs: Pick<OperationContext, 'storage' | 'now' | 'newId'>,
): Implementation<'sessions.report'> {
  return ({ sessionId: given, outcome, summary, artifacts }, call) => {
    const sessionId = sessionOrOwn(given, call);
    return needs.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.first({ sessionId, kind: 'prompt', status: ['running', 'awaiting_input'] });
      if (task === undefined) {
        throw new ConsoleError(
          'CONFLICT',
          'This session has no open task to report on; it was reported or ended before.',
          { sessionId },
        );
      }
      const status = outcome === 'succeeded' ? 'completed' : 'failed';
      await finishTask(tx, needs, task.id, {
        status,
        source: 'report',
        certain: true,
        summary,
        artifacts: artifacts ?? [],
      });
      const answer = { taskId: task.id, sessionId, status };
      await tx.remember(answer);
      return answer;
    });
  };
}
