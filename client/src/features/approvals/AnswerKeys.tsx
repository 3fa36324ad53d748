import { useShortcuts } from '../../shell/shortcuts.ts';
import { escapeHidden } from '../../ui/hidden-characters.ts';

export interface AnswerKey {
  /** A single character, as it is shown on the answer. */
  key: string;
  label: string;
}

/** Lets the keys that are shown on answers choose them, wherever the focus is, but for fields and terminals. */
export function AnswerKeys({ keys, onPress }: { keys: readonly AnswerKey[]; onPress: (key: string) => void }) {
  useShortcuts(
    keys.map(({ key, label }) => ({
      keys: key,
      does: `Answer “${escapeHidden(label)}”`,
      decides: true,
      run: () => onPress(key),
    })),
  );
  return null;
}
