import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentKind } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { TaskRow } from '../../ports/rows/tasks.ts';
import type { Readers } from '../../ports/storage.ts';

const INSTEAD = 'Begin a subsession instead (mode "subsession"), with all that it needs to know in its prompt.';

/** Refuses a fork that the agent cannot make by itself; a copy of words alone would not be the same conversation. */
export function refuseUnforkable(
  session: SessionRow,
  original: Pick<AgentKind, 'name' | 'supportsFork'>,
  agentId: string,
): void {
  if (!original.supportsFork) {
    throw new ConsoleError('UNSUPPORTED', `${original.name} cannot fork its conversations. ${INSTEAD}`, {
      agentId: session.agentId,
      hint: 'subsession',
    });
  }
  if (agentId !== session.agentId) {
    throw new ConsoleError(
      'UNSUPPORTED',
      `Agent ${agentId} cannot go on with a conversation of ${session.agentId}. ${INSTEAD}`,
      { agentId, hint: 'subsession' },
    );
  }
}

/** A task whose turn is over, also one that still waits for its report. */
function turnIsOver({ status, waitingFor, startedAt }: TaskRow): boolean {
  if (startedAt === null || status === 'queued' || status === 'running') return false;
  return status !== 'awaiting_input' || waitingFor === 'report';
}

/**
 * The task at whose end a fork begins, and what its caller is told of that.
 * @throws CONFLICT where no turn has ended yet, UNSUPPORTED for another task than the last one that has.
 */
export async function forkPoint(
  read: Pick<Readers, 'tasks'>,
  session: SessionRow,
  taskId: string | undefined,
): Promise<{ taskId: string; warnings: string[] }> {
  const begun = await read.tasks.find(
    { sessionId: session.id, startedAt: { not: null } },
    { order: ['-startedAt', '-id'] },
  );
  const last = begun.find(turnIsOver);
  if (!session.begun || last === undefined) {
    throw new ConsoleError('CONFLICT', `This session has finished no turn that a fork could begin with. ${INSTEAD}`, {
      sessionId: session.id,
      hint: 'subsession',
    });
  }
  if (taskId !== undefined && taskId !== last.id) {
    throw new ConsoleError(
      'UNSUPPORTED',
      `A fork begins at the end of the last finished turn, which is task ${last.id}. Leave taskId out, or begin a subsession (mode "subsession").`,
      { taskId, lastTaskId: last.id, hint: 'subsession' },
    );
  }
  const running = begun.find((task) => task.status === 'running' || task.waitingFor === 'answer');
  const warnings =
    running === undefined
      ? []
      : [`The session is at work on task ${running.id}; the fork begins before it, at the end of task ${last.id}.`];
  return { taskId: last.id, warnings };
}
