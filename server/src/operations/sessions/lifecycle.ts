import { ConsoleError } from '@agent-console/shared/errors';
import type { Call } from '../../domain/call.ts';
import { isAtRest } from '../../domain/session-mark.ts';
import type { Outcome } from '../../domain/tasks.ts';
import { authorOf, outcomeSourceOf } from '../../engine/author.ts';
import { sessionRow } from '../../engine/rows.ts';
import { finishTask } from '../../engine/task-changes.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import { refusePreparing } from '../delegations/preparing.ts';
import type { Implementation } from '../operation.ts';
import { refuseUnlessMayLive } from '../workers/may-live.ts';

type Needs = Pick<
  OperationContext,
  'storage' | 'views' | 'settings' | 'runner' | 'processes' | 'catalogue' | 'kinds' | 'reconciler' | 'now' | 'newId'
>;

/** Ends what the session is at, as the caller said, before its process ends, so that the exit does not decide. */
async function endActive(tx: Transaction, needs: Needs, sessionId: string, outcome: Outcome): Promise<void> {
  for (const task of await tx.tasks.find({ sessionId, status: ['running', 'awaiting_input'] })) {
    await finishTask(tx, needs, task.id, outcome);
  }
}

async function endProcesses(needs: Needs, sessionId: string, types: ('agent' | 'terminal')[]): Promise<void> {
  const live = await needs.storage.read.workers.find({ sessionId, state: ['starting', 'running'], type: types });
  await Promise.all(live.map((worker) => needs.processes.end(worker.id)));
}

function refuseArchived(session: SessionRow): void {
  if (session.archivedAt !== null) {
    throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId: session.id });
  }
}

export function pauseSession(needs: Needs): Implementation<'sessions.pause'> {
  return async ({ sessionId }, call: Call) => {
    // What an agent paused, its next prompt resumes; what a person paused waits for a person.
    const pausedBy = call.caller.kind === 'worker' ? 'session' : 'person';
    await needs.storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      refuseArchived(session);
      if (session.mark === 'paused' && session.pausedBy !== 'idle') return;
      if (session.mark !== 'open' && session.mark !== 'paused') {
        throw new ConsoleError('CONFLICT', `This session is ${session.mark}; only an open one can be paused.`, {
          sessionId,
          status: session.mark,
        });
      }
      await tx.sessions.update(sessionId, { mark: 'paused', pausedBy, updatedAt: needs.now().toISOString() });
      await endActive(tx, needs, sessionId, {
        status: 'interrupted',
        source: outcomeSourceOf(call),
        certain: true,
        summary: 'The session was paused.',
      });
      await tx.record({
        type: 'session.paused',
        subject: { kind: 'session', id: sessionId },
        sessionId,
        data: { pausedBy },
      });
    });
    await endProcesses(needs, sessionId, ['agent']);
    return needs.views.session(sessionId);
  };
}

export function stopSession(needs: Needs): Implementation<'sessions.stop'> {
  return async ({ sessionId }, call: Call) => {
    await needs.storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      refuseArchived(session);
      await endActive(tx, needs, sessionId, {
        status: 'cancelled',
        source: outcomeSourceOf(call),
        certain: true,
        summary: 'The session was stopped.',
      });
      if (session.mark === 'stopped') return;
      await tx.sessions.update(sessionId, { mark: 'stopped', pausedBy: null, updatedAt: needs.now().toISOString() });
      await tx.record({ type: 'session.stopped', subject: { kind: 'session', id: sessionId }, sessionId });
    });
    await endProcesses(needs, sessionId, ['agent', 'terminal']);
    return needs.views.session(sessionId);
  };
}

export function resumeSession(needs: Needs): Implementation<'sessions.resume'> {
  return async ({ sessionId }, call: Call) => {
    const session = await sessionRow(needs.storage.read.sessions, sessionId);
    refuseArchived(session);
    const definition = await needs.catalogue.choose(undefined, session.agentId);
    if (session.begun && !needs.kinds(definition.kind).supportsResume) {
      throw new ConsoleError(
        'UNSUPPORTED',
        `Agent ${definition.id} cannot resume a conversation. Send a prompt instead: it starts fresh.`,
        { agentId: definition.id },
      );
    }
    await refusePreparing(needs.storage.read.delegations, sessionId);
    await refuseUnlessMayLive(needs, sessionId);
    // A process that is still being ended is not one to go on with.
    if (isAtRest(session)) await endProcesses(needs, sessionId, ['agent']);
    await needs.storage.write(authorOf(call), async (tx) => {
      const current = await sessionRow(tx.sessions, sessionId);
      await tx.sessions.update(sessionId, {
        mark: 'open',
        pausedBy: null,
        queueHeld: false,
        updatedAt: needs.now().toISOString(),
      });
      if (current.mark !== 'open') {
        await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: sessionId }, sessionId });
      }
    });
    await needs.processes.startAgent(authorOf(call), sessionId);
    needs.reconciler.nudge(sessionId);
    return needs.views.session(sessionId);
  };
}
