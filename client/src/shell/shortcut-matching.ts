import { matchKeybindingPress, type parseKeybinding } from 'tinykeys';

/** Parsed key presses of a shortcut. */
export type Presses = ReturnType<typeof parseKeybinding>;

/** Maximum time in milliseconds between two keys of a sequence. */
export const SEQUENCE_MS = 1_000;

/**
 * The shortcut that ran last, and the key whose press ran it. Pressing this key again within SEQUENCE_MS must not
 * answer a question.
 */
export interface LastRun<S> {
  shortcut: S;
  key: string;
  /** Time stamp of the press, or of its last repetition. */
  at: number;
}

/** Whether the key press repeats the press that just ran another shortcut, or is an automatic repeat of a held key. */
export function isContinuation<S>(
  ran: LastRun<S> | undefined,
  shortcut: S,
  { key, repeat, timeStamp }: Pick<KeyboardEvent, 'key' | 'repeat' | 'timeStamp'>,
): boolean {
  if (repeat) return true;
  return ran !== undefined && ran.shortcut !== shortcut && ran.key === key && timeStamp - ran.at <= SEQUENCE_MS;
}

/**
 * Returns the shortcut whose keys were just pressed. Of several, prefers the longest sequence, then a shortcut that
 * answers a question, then the last one in the list.
 */
export function matchShortcut<S extends { presses: Presses; isAnswer?: boolean | undefined }>(
  shortcuts: readonly S[],
  recent: readonly KeyboardEvent[],
): S | undefined {
  let found: S | undefined;
  for (const each of shortcuts) {
    const more = each.presses.length - (found?.presses.length ?? 0);
    if (more < 0 || (more === 0 && found?.isAnswer === true && each.isAnswer !== true)) continue;
    if (endsWith(recent, each.presses)) found = each;
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
