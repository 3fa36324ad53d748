import { useEffect, useState } from 'react';

/**
 * Time in milliseconds after a question appears during which presses are ignored. They were probably meant for the
 * control that the question has replaced.
 */
const SETTLE_MS = 400;

/** Whether a question has been visible for SETTLE_MS, so that a press is meant for the question. */
export function useSettled(question: string | undefined): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(question), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [question]);
  return question !== undefined && settled === question;
}
