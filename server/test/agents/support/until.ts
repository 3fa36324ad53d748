import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 30_000;

/** Waits for something that sends no event. */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !condition(); ) {
    if (Date.now() > end) throw new Error(`never came true: ${condition}`);
    await sleep(20);
  }
}
