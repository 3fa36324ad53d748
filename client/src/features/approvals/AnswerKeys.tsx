import { useShortcuts } from '../../shell/shortcuts.ts';
import { escapeHidden } from '../../ui/hidden-characters.ts';

export interface AnswerKey {
  /** A single character, as shown on the answer. */
  key: string;
  label: string;
}

/** Page-wide shortcuts for the keys shown on answers; inactive in fields and terminals. */
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
