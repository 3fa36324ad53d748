import type { ConsoleError } from '@agent-console/shared/errors';

/** Waits for `work` for up to `ms` milliseconds, then rejects with `late()`. `work` is not stopped. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => ConsoleError): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
