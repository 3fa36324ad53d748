import * as v from 'valibot';
import { cutText, firstChars } from '../cut.ts';
import {
  TASK_SUMMARY_CHARS,
  TOOL_ARTIFACTS_BYTES,
  TOOL_ROW_PROMPT_CHARS,
  TOOL_TASK_TEXT_BYTES,
} from '../limits/answers.ts';
import { OutcomeSource, type Task, TaskStatus } from '../models/task.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { fittingRows, fittingText, jsonBytes } from './size.ts';
import { type ListArguments, snakeEntity, snakeList } from './snake.ts';

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
  progress: v.nullable(v.number()),
  summary: v.nullable(v.string()),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  ended_at: v.nullable(Timestamp),
  next_text_offset: v.nullable(v.number()),
});
export const AgorTasks = pageOf(v.object(about));

/**
 * Formats a task. Its prompt and summary begin at `textOffset` (in characters). `next_text_offset` is the offset at
 * which the next page continues, or null if nothing remains.
 */
export function agorTask(task: Task, { textOffset = 0 }: { textOffset?: number | undefined }) {
  const { prompt, summary, artifacts, error } = task;
  const cuts = [prompt, summary ?? ''].map((text) => {
    const rest = text.slice(textOffset);
    const { length } = fittingText(rest, TOOL_TASK_TEXT_BYTES);
    return length < rest.length ? textOffset + length : null;
  });
  const known = cuts.filter((cut) => cut !== null);
  const end = known.length === 0 ? undefined : Math.min(...known);
  const shown = { prompt: prompt.slice(textOffset, end), summary: summary?.slice(textOffset, end) ?? null };
  const shownArtifacts =
    jsonBytes(artifacts) <= TOOL_ARTIFACTS_BYTES ? artifacts : fittingRows(artifacts, TOOL_ARTIFACTS_BYTES);
  return {
    ...snakeEntity('task', { ...task, ...shown, artifacts: shownArtifacts }),
    ...(shownArtifacts.length < artifacts.length ? { artifact_count: artifacts.length } : {}),
    error:
      error === null
        ? null
        : { ...error, message: cutText(error.message, TASK_SUMMARY_CHARS, 'use REST for the full text') },
    next_text_offset: end ?? null,
  };
}

/** Formats tasks as short rows. Prompts are cut, because lists take space in an agent's context. */
export function agorTasks(page: Page<Task>, args: ListArguments) {
  return snakeList(
    page,
    ({ id, prompt, status, sessionId, createdAt }) => ({
      task_id: id,
      prompt: prompt.length <= TOOL_ROW_PROMPT_CHARS ? prompt : `${firstChars(prompt, TOOL_ROW_PROMPT_CHARS)}…`,
      status,
      session_id: sessionId,
      created_at: createdAt,
    }),
    args,
  );
}
