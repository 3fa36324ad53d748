import type { Message } from '@agent-console/shared/models/message';

/** The loaded messages of a conversation: the newest ones, without gaps. */
export interface LoadedMessages {
  /** Number of messages before the first loaded message. */
  earlier: number;
  /** Loaded messages, oldest first. */
  rows: readonly Message[];
  /** Highest revision of the received messages. A message that changes later gets a higher revision. */
  revision: number;
}

/**
 * Adds or replaces changed messages. Unchanged messages stay the same objects. Changes of messages that are not loaded
 * are left out.
 */
export function withChanges(known: LoadedMessages, changed: readonly Message[]): LoadedMessages {
  if (changed.length === 0) return known;
  const { earlier, rows } = known;
  const first = rows[0]?.seq ?? earlier + 1;
  const merged = [...rows];
  for (const message of changed) {
    if (message.seq < first) continue;
    const at = indexOfSeq(merged, message.seq);
    const before = merged[at];
    if (before?.seq !== message.seq) merged.splice(at, 0, message);
    else if (before.revision < message.revision) merged[at] = message;
  }
  const revision = changed.reduce((most, message) => Math.max(most, message.revision), known.revision);
  return { earlier, rows: merged, revision };
}

/**
 * Adds the messages from position `skip` up to the first loaded message. Returns `known` unchanged if another call has
 * already added earlier messages.
 */
export function withEarlier(known: LoadedMessages, skip: number, messages: readonly Message[]): LoadedMessages {
  if (messages.length !== known.earlier - skip) return known;
  return { ...known, earlier: skip, rows: [...messages, ...known.rows] };
}

/**
 * Returns the index of the first message whose sequence number is at least `seq`. Searches from the end, because most
 * changes are there.
 */
function indexOfSeq(rows: readonly Message[], seq: number): number {
  let at = rows.length;
  while (at > 0 && (rows[at - 1]?.seq ?? 0) >= seq) at -= 1;
  return at;
}
