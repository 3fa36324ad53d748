import { create } from 'zustand';

/** Named values, which are kept until they are dropped or the page is closed. */
const useHeld = create<Readonly<Record<string, unknown>>>(() => ({}));

/**
 * Returns named state that is kept when the component unmounts, for input in components that scrolling or navigation
 * unmounts. A name always has values of the same type. The state is lost on a reload.
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
