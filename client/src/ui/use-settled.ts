import { useEffect, useState } from 'react';

/**
 * A press within this time, in milliseconds, after a question appeared was probably meant for the control that was
 * there before.
 */
const SETTLE_MS = 400;

/** Whether a question has been visible long enough for the user to have seen it before a press. */
export function useSettled(question: string | undefined): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(question), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [question]);
  return question !== undefined && settled === question;
}
