import { Dialog } from '../ui/Dialog.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { keyName } from './key-names.ts';
import { useShortcutList } from './shortcuts.ts';

const MAC = /Mac|iP(?:hone|ad)/.test(navigator.userAgent);
/** Lists every shortcut that is active on the page. */
export default function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const shortcuts = useShortcutList((state) => state.shortcuts);
  const rows = new Map(shortcuts.map(({ keys, label }) => [`${keys} ${label}`, { keys, label }]));
  return (
    <Dialog closesOutside onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1.5">
        {[...rows].map(([key, { keys, label }]) => (
          <div className="contents" key={key}>
            <dt>{label}</dt>
            <dd className="flex justify-end gap-1">
              {keys.split(' ').map((press) => (
                <Kbd key={press}>{keyName(press, MAC)}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
