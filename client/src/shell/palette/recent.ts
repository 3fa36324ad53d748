import { readStored, writeStored } from '../../ui/local-storage.ts';

const KEY = 'agent-console.palette-recent';
/** Maximum number of recently chosen entries that are remembered. */
const RECENT_MAX = 30;

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Returns the ids of the entries chosen in this browser, last used first. */
export function recentEntries(): readonly string[] {
  return readStored(KEY, [], isIds);
}

export function rememberEntry(id: string): void {
  writeStored(KEY, [id, ...recentEntries().filter((each) => each !== id)].slice(0, RECENT_MAX));
}
