import { matchKeybindingPress, type parseKeybinding } from 'tinykeys';

/** The presses of a shortcut, in order. */
export type Presses = ReturnType<typeof parseKeybinding>;

/**
 * The shortcut that the last presses mean, or undefined: of `g i` and `i` the longer, of two alike the one that was
 * added last.
 */
export function chosen<S extends { presses: Presses }>(
  shortcuts: readonly S[],
  recent: readonly KeyboardEvent[],
): S | undefined {
  let found: S | undefined;
  for (const each of shortcuts) {
    if (each.presses.length >= (found?.presses.length ?? 1) && endsWith(recent, each.presses)) found = each;
  }
  return found;
}

function endsWith(events: readonly KeyboardEvent[], presses: Presses): boolean {
  const tail = events.slice(-presses.length);
  return (
    tail.length === presses.length &&
    tail.every((event, at) => {
      const press = presses[at];
      return press !== undefined && matchKeybindingPress(event, press);
    })
  );
}
