import type { Transaction } from '../../ports/storage.ts';

/** Takes away the rows of a trial, and says that its process is gone. */
export async function removeTrial(tx: Transaction, sessionId: string, workerId: string): Promise<void> {
  await tx.record({ type: 'worker.exited', subject: { kind: 'worker', id: workerId }, data: { workerType: 'agent' } });
  await tx.tokens.remove({ workerId });
  await tx.inputs.remove({ workerId });
  await tx.approvals.remove({ workerId });
  await tx.messages.remove({ sessionId });
  await tx.transcripts.remove({ sessionId });
  await tx.usage.remove({ sessionId });
  await tx.workers.remove({ id: workerId });
  await tx.sessions.remove({ id: sessionId });
}
