import { QUESTION_READ_MS } from '@agent-console/shared/limits/approvals';
import type { AgentWatcher, PendingQuestion } from '../../ports/agents.ts';

export interface QuestionTracker {
  /** Returns the question to store now, if any; `asked` is null if the question could not be read. */
  take(): { asked: PendingQuestion | null }[];
  /** Milliseconds since the epoch at which `take` may return a result without new observations, or null. */
  dueAt(): number | null;
  /** Reports the current question once more if it is still asked. */
  again(): void;
}

/**
 * Creates a debouncer for an agent's questions. A question is reported when its text was read from the screen, and
 * again whenever it changes. A question that cannot be read is reported after QUESTION_READ_MS with what is known.
 */
export function createQuestionTracker(
  watcher: Pick<AgentWatcher, 'isAsking' | 'asked'>,
  now: () => number,
): QuestionTracker {
  let told: string | null = null;
  /**
   * Milliseconds since the epoch at which the agent began to ask a question that cannot be read; null if there is no
   * such question.
   */
  let unread: number | null = null;

  return {
    take() {
      if (!watcher.isAsking()) {
        told = null;
        unread = null;
        return [];
      }
      const asked = watcher.asked();
      if (asked?.source === 'screen') unread = null;
      else {
        unread ??= now();
        if (now() < unread + QUESTION_READ_MS) return [];
      }
      const words = JSON.stringify(asked);
      if (words === told) return [];
      told = words;
      return [{ asked }];
    },
    dueAt: () => (unread === null || now() >= unread + QUESTION_READ_MS ? null : unread + QUESTION_READ_MS),
    again() {
      told = null;
    },
  };
}
