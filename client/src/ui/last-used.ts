import { readStored, writeStored } from './local-storage.ts';

const KEY = 'agent-console.last-used';

/** Values with which a dialog was last submitted in this browser, by field name. */
type LastUsed = Readonly<Record<string, string>>;

function isLastUsed(value: unknown): value is LastUsed {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

/** Returns the value that a field had when a dialog was last submitted; empty if none is stored. */
export function lastUsed(field: 'repositoryId' | 'agentId' | 'permissionMode'): string {
  return readStored<LastUsed>(KEY, {}, isLastUsed)[field] ?? '';
}

/** Stores the values with which a dialog is submitted. */
export function rememberUsed(values: Partial<Record<Parameters<typeof lastUsed>[0], string>>): void {
  writeStored(KEY, { ...readStored<LastUsed>(KEY, {}, isLastUsed), ...values });
}
