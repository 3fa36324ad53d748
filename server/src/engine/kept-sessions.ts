import type { Readers } from '../ports/storage.ts';

/** Whether it was recorded that the session is kept, since its agent became idle. */
export async function isKept(facts: Pick<Readers, 'events'>, sessionId: string, since: string): Promise<boolean> {
  return (await facts.events.first({ sessionId, type: 'session.kept', at: { above: since } })) !== undefined;
}
