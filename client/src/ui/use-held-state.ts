import { create } from 'zustand';

/** State by name, until the page is closed. */
const useHeld = create<Readonly<Record<string, unknown>>>(() => ({}));

/**
 * Returns named state that outlives its component, for what a person entered in a place that scrolling or navigation
 * unmounts. A name always has values of one type. The state is only in memory, because it is about a moment.
 */
export function useHeldState<T>(name: string, initial: T): readonly [T, (change: (before: T) => T) => void] {
  const held = useHeld((all) => all[name]) as T | undefined;
  return [
    held ?? initial,
    (change) =>
      useHeld.setState(
        (all) => ({ [name]: change((all[name] as T | undefined) ?? initial) }) as Record<string, unknown>,
      ),
  ];
}

export function dropHeldState(name: string): void {
  useHeld.setState(({ [name]: _, ...others }) => others, true);
}
