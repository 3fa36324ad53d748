import { QUESTION_READ_MS } from '@agent-console/shared/limits/approvals';
import type { AgentWatcher, PendingQuestion } from '../../ports/agents.ts';

export interface QuestionTracker {
  /** The question to store now, if any; `asked` is null if nobody could read it. */
  take(): { asked: PendingQuestion | null }[];
  /** When `take` may return something although nothing new was observed, in milliseconds since the epoch, or null. */
  dueAt(): number | null;
  /** Reports the current question once more if it is still asked. */
  again(): void;
}

/**
 * Debounces an agent's question: it is reported once it is certain, and again whenever it changes. A question that
 * cannot be read is reported after QUESTION_READ_MS as far as it is known.
 */
export function createQuestionTracker(
  watcher: Pick<AgentWatcher, 'isAsking' | 'asked'>,
  now: () => number,
): QuestionTracker {
  let told: string | null = null;
  /** Since when the agent has been asking something unreadable. */
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
