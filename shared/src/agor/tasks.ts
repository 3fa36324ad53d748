import * as v from 'valibot';
import { AGOR_TASK_PROMPT_CHARS } from '../limits/answers.ts';
import { OutcomeSource, type Task, TaskStatus } from '../models/task.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { snakeEntity, snakeList } from './snake.ts';

const about = {
  task_id: v.string(),
  prompt: v.string(),
  status: TaskStatus,
  session_id: v.string(),
  created_at: Timestamp,
};

export const AgorTask = v.looseObject({
  ...about,
  outcome_source: v.nullable(OutcomeSource),
  summary: v.nullable(v.string()),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  started_at: v.nullable(Timestamp),
  ended_at: v.nullable(Timestamp),
});
export const AgorTasks = pageOf(v.object(about));

export function agorTask(task: Task) {
  return snakeEntity('task', task);
}

/** Short rows: a prompt is cut to AGOR_TASK_PROMPT_CHARS, since agents read every byte of a list. */
export function agorTasks(page: Page<Task>) {
  return snakeList(page, ({ id, prompt, status, sessionId, createdAt }) => ({
    task_id: id,
    prompt: prompt.slice(0, AGOR_TASK_PROMPT_CHARS),
    status,
    session_id: sessionId,
    created_at: createdAt,
  }));
}
