import { QUESTION_READ_MS } from '@agent-console/shared/limits/approvals';
import type { AgentWatcher, PendingQuestion } from '../../ports/agents.ts';

export interface QuestionTracker {
  /**
   * Returns an array with the question to store now; empty if no question is to be stored. `asked` is null if the agent
   * asks but its question could not be read.
   */
  take(): { asked: PendingQuestion | null }[];
  /**
   * Time, in milliseconds since the epoch, at which `take` returns a question although its text could not be read; null
   * if there is no such question.
   */
  dueAt(): number | null;
  /** Makes `take` return the current question again if the agent still asks it. */
  again(): void;
}

/**
 * Creates a tracker that decides when to store an agent's question: as soon as its text was read from the screen, and
 * again after each change of the question. If no text could be read for QUESTION_READ_MS, the question is stored
 * without it.
 */
export function createQuestionTracker(
  watcher: Pick<AgentWatcher, 'isAsking' | 'asked'>,
  now: () => number,
): QuestionTracker {
  let lastStored: string | null = null;
  /**
   * Time at which the agent began to ask a question whose text cannot be read from the screen, in milliseconds since
   * the epoch; null if there is no such question.
   */
  let unread: number | null = null;

  return {
    take() {
      if (!watcher.isAsking()) {
        lastStored = null;
        unread = null;
        return [];
      }
      const asked = watcher.asked();
      if (asked?.source === 'screen') unread = null;
      else {
        unread ??= now();
        if (now() < unread + QUESTION_READ_MS) return [];
      }
      const key = JSON.stringify(asked);
      if (key === lastStored) return [];
      lastStored = key;
      return [{ asked }];
    },
    dueAt: () => (unread === null || now() >= unread + QUESTION_READ_MS ? null : unread + QUESTION_READ_MS),
    again() {
      lastStored = null;
    },
  };
}
