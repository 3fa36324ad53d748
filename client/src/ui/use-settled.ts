import { useEffect, useState } from 'react';

/** A press this soon after a question appeared was probably meant for something else. */
const SETTLE_MS = 400;

/** Whether a question has been visible long enough for a press to be meant for it. */
export function useSettled(question: string | undefined): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(question), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [question]);
  return question !== undefined && settled === question;
}
