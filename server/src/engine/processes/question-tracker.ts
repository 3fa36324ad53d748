import { QUESTION_READ_MS } from '@agent-console/shared/limits/approvals';
import type { AgentWatcher, Asked } from '../../ports/agents.ts';

export interface QuestionTracker {
  /** What is asked, where that has to be stored now; null in it where nobody could read it. */
  take(): { asked: Asked | null }[];
  /** When `take` may have something to say although nothing new was seen, in milliseconds since the epoch, or null. */
  dueAt(): number | null;
  /** What is asked is news once more, if it still is. */
  again(): void;
}

/**
 * Tells what an agent asks once it is known for sure, which takes a moment, and then whenever it changes. What cannot be
 * read is told after QUESTION_READ_MS as far as it is known.
 */
export function createQuestionTracker(
  watcher: Pick<AgentWatcher, 'isAsking' | 'asked'>,
  now: () => number,
): QuestionTracker {
  let told: string | null = null;
  /** Since when it asks and nobody could read what. */
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
