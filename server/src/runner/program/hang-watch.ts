import { SERVER_CHECKS_MISSED_MAX } from '@agent-console/shared/limits/runner';
import { journal } from './journal.ts';

/**
 * Detects that a server's event loop is blocked. Sends checks at equal intervals; several unanswered checks in a row
 * mean a hang. A stall of the runner itself resets the count of unanswered checks. While a Linux machine is suspended,
 * no time passes here, because timers and `performance.now()` follow CLOCK_MONOTONIC, which stops.
 * @param hangMs time in milliseconds without any response after which `hung` is called once.
 */
export function watchForHang({ hangMs, check, hung }: { hangMs: number; check(): void; hung(): void }) {
  const intervalMs = hangMs / SERVER_CHECKS_MISSED_MAX;
  let dueAt = 0;
  let isAnswered = true;
  let missed = 0;
  let timer = plan();

  function plan(): NodeJS.Timeout {
    dueAt = performance.now() + intervalMs;
    return setTimeout(tick, intervalMs);
  }

  function tick(): void {
    const lateMs = performance.now() - dueAt;
    if (lateMs > intervalMs / 2) {
      journal(
        `the runner itself was stalled for ${Math.round(lateMs)} ms, so the count of missed server checks is reset`,
      );
      missed = 0;
    } else {
      missed = isAnswered ? 0 : missed + 1;
      if (missed > 0) journal(`the server missed ${missed} of ${SERVER_CHECKS_MISSED_MAX} checks`);
    }
    if (missed >= SERVER_CHECKS_MISSED_MAX) {
      hung();
      return;
    }
    isAnswered = false;
    timer = plan();
    check();
  }

  return {
    answered(): void {
      isAnswered = true;
    },
    close: () => clearTimeout(timer),
  };
}
