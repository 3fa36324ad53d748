import type { Task } from '@agent-console/shared/models/task';
import { contractOf } from '@agent-console/shared/operations/table';
import { stripControls } from '@agent-console/shared/text';
import { changes } from './changes.ts';
import type { ConsoleClient } from './client.ts';
import type { ConsoleAddress } from './find-console.ts';
import { followOutput } from './follow-output.ts';
import { withNpx } from './output.ts';
import { type Format, render } from './printing/render.ts';

interface Following {
  address: ConsoleAddress;
  client: ConsoleClient;
  /** Whether to print the output of the session on stderr. */
  follow: boolean;
  format: Format;
}

/**
 * Waits for the end of a task, as long as it takes, and prints the task. The exit status is 0 only if the task
 * completed.
 */
export async function followTask(
  { address, client, follow, format }: Following,
  { sessionId, taskId }: { sessionId: string; taskId: string },
): Promise<void> {
  const ended = new AbortController();
  const write = (text: string) => process.stderr.write(text);
  const output = follow
    ? followOutput({ address, client, sessionId, signal: ended.signal, write }).catch(() => undefined)
    : undefined;
  try {
    const task = await taskEnd(address, client, taskId, ended.signal);
    ended.abort();
    await output;
    process.stdout.write(await render(client, contractOf('tasks.get'), task, format));
    process.exitCode = task.status === 'completed' ? 0 : 1;
  } finally {
    ended.abort();
  }
}

/** Resolves to a task when it has ended. Questions of its agent are printed on stderr. */
async function taskEnd(
  address: ConsoleAddress,
  client: ConsoleClient,
  taskId: string,
  signal: AbortSignal,
): Promise<Task> {
  const announced = new Set<string>();
  for await (const _ of changes(address, signal)) {
    const task = await client.call('tasks.get', { taskId });
    if (task.endedAt !== null) return task;
    if (task.waitingFor !== 'answer') continue;
    const { data } = await client.call('approvals.list', { sessionId: task.sessionId });
    for (const { id, text, options } of data.filter((question) => !announced.has(question.id))) {
      announced.add(id);
      const answers = options.map((option) => `${option.id} (${option.label})`).join(', ');
      process.stderr.write(
        `Needs an answer: ${stripControls(text)}\n${answers === '' ? '' : `${stripControls(answers)}\n`}${withNpx(`agent-console approvals answer ${id} <answer>`)}\n`,
      );
    }
  }
  return client.call('tasks.get', { taskId });
}
