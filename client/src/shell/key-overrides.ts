import { create } from 'zustand';
import { readStored, writeStored } from '../ui/local-storage.ts';
import { keyName } from './key-names.ts';
import type { ShortcutId } from './shortcut-labels.ts';

/** Keys that a person chose in this browser, by the id of their shortcut. */
export type KeyOverrides = Readonly<Record<string, string>>;

const KEY = 'agent-console.keys';
const MAC = /Mac|iP(?:hone|ad)/.test(globalThis.navigator?.userAgent ?? '');

function isOverrides(value: unknown): value is KeyOverrides {
  return typeof value === 'object' && value !== null && Object.values(value).every((keys) => typeof keys === 'string');
}

/**
 * Converts a label to the id of its shortcut, e.g. `Commit…` to `commit`, because earlier builds stored changed keys by
 * label. An id is returned unchanged.
 */
export function idOfLabel(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

export const useKeyOverrides = create<{ overrides: KeyOverrides }>(() => {
  const stored = Object.entries(readStored(KEY, {}, isOverrides));
  return { overrides: Object.fromEntries(stored.map(([name, keys]) => [idOfLabel(name), keys])) };
});

export function setKeyOverrides(overrides: KeyOverrides): void {
  writeStored(KEY, Object.keys(overrides).length === 0 ? undefined : overrides);
  useKeyOverrides.setState({ overrides });
}

/** Returns the keys that the user chose for a shortcut, otherwise its default keys. */
export function effectiveKeys(id: ShortcutId, byDefault: string, overrides: KeyOverrides): string {
  return Object.hasOwn(overrides, id) ? (overrides[id] ?? byDefault) : byDefault;
}

/** Formats keys such as `g i` with the key names that are printed on keyboards. */
export function formatKeys(keys: string): string {
  return keys
    .split(' ')
    .map((press) => keyName(press, MAC))
    .join(' ');
}
