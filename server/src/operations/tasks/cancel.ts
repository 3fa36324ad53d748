import { randomUUID } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import { isOpen } from '../../domain/tasks.ts';
import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import { LIVE_INPUT } from '../conductor/signs.ts';
import type { Kit } from '../kit.ts';
import type { InputRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { finishTask } from '../task-changes.ts';
import { shownTask } from './get.ts';

type Needs = Pick<Kit, 'storage' | 'views' | 'runner' | 'now' | 'newId'>;

const CLEAR_LINE = '\x15';
const INTERRUPT = '\x03';

/** Takes the task's text back as far as it has not been taken yet; answers the key that undoes or interrupts the rest. */
async function withdraw(tx: Transaction, taskId: string): Promise<{ input: InputRow; key: string } | null> {
  const input = await tx.inputs.first({ taskId, state: [...LIVE_INPUT] });
  if (input === undefined) return null;
  const taken =
    input.state === 'submitted' ||
    input.state === 'accepted' ||
    input.state === 'uncertain' ||
    input.state === 'submitting';
  if (taken) return { input, key: INTERRUPT };
  await tx.inputs.update(input.id, { state: 'dropped' });
  return input.state === 'queued' ? null : { input, key: CLEAR_LINE };
}

export function cancelTask(needs: Needs): Implementation<'tasks.cancel'> {
  return async ({ taskId }, call) => {
    const undo = await needs.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task === undefined || !isOpen(task.status)) {
        throw new ConsoleError(
          'CONFLICT',
          `Task ${taskId} is ${task?.status ?? 'gone'}; only an open task can be cancelled.`,
          { taskId, status: task?.status },
        );
      }
      const key = task.status === 'queued' ? null : await withdraw(tx, taskId);
      const source = call.caller.kind === 'user' ? 'person' : 'system';
      await finishTask(tx, needs, taskId, { status: 'cancelled', source, certain: true });
      return key;
    });
    if (undo !== null) {
      await needs.runner
        .input(undo.input.workerId, `${undo.input.id}:cancel:${randomUUID()}`, Buffer.from(undo.key))
        .catch((error) => {
          // A process that ended in the meantime needs no interrupt.
          if (!(error instanceof ConsoleError) || error.code !== 'NOT_FOUND') throw error;
        });
    }
    return shownTask(needs, taskId);
  };
}
