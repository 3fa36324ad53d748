import { create } from 'zustand';
import { readStored, writeStored } from '../ui/local-storage.ts';
import { keyName } from './key-names.ts';

/** Keys that a person chose in this browser, by the label of their shortcut. */
export type KeyOverrides = Readonly<Record<string, string>>;

const KEY = 'agent-console.keys';
const MAC = /Mac|iP(?:hone|ad)/.test(globalThis.navigator?.userAgent ?? '');

function isOverrides(value: unknown): value is KeyOverrides {
  return typeof value === 'object' && value !== null && Object.values(value).every((keys) => typeof keys === 'string');
}

export const useKeyOverrides = create<{ overrides: KeyOverrides }>(() => ({
  overrides: readStored(KEY, {}, isOverrides),
}));

/** Stores all overrides in this browser. */
export function setKeyOverrides(overrides: KeyOverrides): void {
  writeStored(KEY, Object.keys(overrides).length === 0 ? undefined : overrides);
  useKeyOverrides.setState({ overrides });
}

/** Returns the keys that the user chose for a shortcut, otherwise its default keys. */
export function effectiveKeys(label: string, byDefault: string, overrides: KeyOverrides): string {
  return Object.hasOwn(overrides, label) ? (overrides[label] ?? byDefault) : byDefault;
}

/** Returns the effective keys of a shortcut, for hints beside a control. */
export function useKeys(label: string, byDefault: string): string {
  return useKeyOverrides(({ overrides }) => effectiveKeys(label, byDefault, overrides));
}

/** Formats keys such as `g i` with the names on a keyboard. */
export function formatKeys(keys: string): string {
  return keys
    .split(' ')
    .map((press) => keyName(press, MAC))
    .join(' ');
}
