import type { Readers } from '../ports/storage.ts';

/** Whether a `session.kept` event was recorded after the agent became idle at `since`. */
export async function isKept(facts: Pick<Readers, 'events'>, sessionId: string, since: string): Promise<boolean> {
  return (await facts.events.first({ sessionId, type: 'session.kept', at: { above: since } })) !== undefined;
}
