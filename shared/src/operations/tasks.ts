import * as v from 'valibot';
import { AgorPage } from '../agor/arguments.ts';
import { AgorTask, AgorTasks, agorTask, agorTasks } from '../agor/tasks.ts';
import { taskColumns } from '../columns.ts';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { Task, TaskStatus } from '../models/task.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const taskId = IdPrefix('task');
const ids = { taskId: 'task' } as const;

export const tasks = [
  operation({
    name: 'tasks.list',
    summary: 'Tasks of all sessions or of one, newest first',
    access: 'workspace-read',
    ids: { sessionId: 'session' },
    rest: { method: 'GET', path: '/tasks' },
    cli: { command: 'tasks list', columns: taskColumns },
    tool: {
      name: 'agor_tasks_list',
      toolset: 'tasks',
      description:
        'List tasks (prompts given to sessions) of all sessions or of one, newest first: status and the beginning of each prompt.',
      input: v.strictObject({
        sessionId: v.optional(IdPrefix('session')),
        status: v.optional(described(TaskStatus, 'Filter by status')),
        ...AgorPage,
      }),
      output: AgorTasks,
      toResult: agorTasks,
    },
    example: { status: 'failed' },
    input: v.strictObject({
      sessionId: v.optional(IdPrefix('session')),
      status: v.optional(described(TaskStatus, 'Filter by status')),
      ...PageInput,
    }),
    output: pageOf(Task),
  }),
  operation({
    name: 'tasks.get',
    summary: 'One task',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/tasks/:taskId' },
    cli: { command: 'tasks get', positional: ['taskId'] },
    tool: {
      name: 'agor_tasks_get',
      toolset: 'tasks',
      byDefault: true,
      description:
        'One task (a prompt given to a session): its prompt, status, outcome and complete summary. Poll it after agor_sessions_prompt until ended_at is set.',
      input: v.strictObject({
        taskId,
        textOffset: v.optional(
          wholeNumber(
            'Characters of prompt and summary to skip; to continue, pass next_text_offset of the last response',
            0,
          ),
        ),
      }),
      output: AgorTask,
      toInput: ({ textOffset: _, ...args }: { textOffset?: number }) => args,
      toResult: agorTask,
    },
    input: v.strictObject({ taskId }),
    output: Task,
  }),
  operation({
    name: 'tasks.cancel',
    summary: 'Cancel a task: drop it if queued, interrupt it if running',
    access: 'subtree',
    ids,
    target: 'taskId',
    rest: { method: 'POST', path: '/tasks/:taskId/cancel' },
    cli: { command: 'tasks cancel', positional: ['taskId'] },
    tool: {
      name: 'agor_tasks_cancel',
      toolset: 'tasks',
      description: 'Cancel a task: drop it if queued, interrupt its agent if running. Changes made so far remain.',
      output: AgorTask,
      toResult: agorTask,
      destructive: true,
    },
    input: v.strictObject({ taskId }),
    output: Task,
  }),
  operation({
    name: 'tasks.move',
    summary: 'Move a queued task behind another queued task, or to the front',
    access: 'member',
    ids: { taskId: 'task', after: 'task' },
    target: 'taskId',
    rest: { method: 'POST', path: '/tasks/:taskId/move' },
    cli: { command: 'tasks move', positional: ['taskId'] },
    example: { after: null, expectedVersion: 3 },
    input: v.strictObject({
      taskId,
      after: described(
        v.nullable(IdPrefix('task')),
        'Queued task behind which to move the task, by id or prefix; null moves the task to the front',
      ),
      expectedVersion: v.pipe(
        v.number(),
        v.safeInteger(),
        v.description('Version of the task when you read it; the move is refused if the task has changed since'),
      ),
    }),
    output: Task,
  }),
  operation({
    name: 'tasks.sendNow',
    summary: 'Type a queued prompt now, even if a person is typing or the activity of the running agent is unknown',
    access: 'member',
    ids,
    target: 'taskId',
    rest: { method: 'POST', path: '/tasks/:taskId/send-now' },
    cli: { command: 'tasks send-now', positional: ['taskId'] },
    input: v.strictObject({ taskId }),
    output: Task,
  }),
  operation({
    name: 'tasks.retry',
    summary: 'Send the prompt of a failed, interrupted or cancelled task again, as a new task of its session',
    access: 'subtree',
    ids,
    target: 'taskId',
    idempotent: true,
    rest: { method: 'POST', path: '/tasks/:taskId/retry', status: 201 },
    cli: { command: 'tasks retry', positional: ['taskId'] },
    input: v.strictObject({ taskId, idempotencyKey: IdempotencyKey }),
    output: Task,
  }),
] as const;
