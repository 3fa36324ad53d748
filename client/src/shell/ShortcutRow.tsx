import { Fragment, useEffect, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { changeKeys, pressOf, refusalOfKeys } from './key-changes.ts';
import { formatKeys, useKeyOverrides } from './key-overrides.ts';
import { labelOf, type ShortcutId } from './shortcut-labels.ts';

interface ShownShortcut {
  id?: ShortcutId | undefined;
  label?: string | undefined;
  keys: string;
  defaultKeys: string;
}

/** Maximum time in milliseconds between the two keys of a sequence such as `g i` while it is recorded. */
const SECOND_KEY_MS = 1_000;

/**
 * A shortcut with its keys. The keys can be changed if the shortcut has an id. Shortcuts that answer a question have no
 * id.
 */
export function ShortcutRow({ shortcut }: { shortcut: ShownShortcut }) {
  const { id, keys, defaultKeys } = shortcut;
  const overrides = useKeyOverrides((state) => state.overrides);
  const label = labelOf(shortcut);
  const [recording, setRecording] = useState(false);
  const [pressed, setPressed] = useState<readonly string[]>([]);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    if (!recording) return undefined;
    const listen = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === 'Escape') return setRecording(false);
      const press = pressOf(event);
      if (press !== undefined) setPressed((before) => [...before, press].slice(-2));
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, [recording]);
  useEffect(() => {
    if (pressed.length === 0) return undefined;
    const finish = () => {
      const chosen = pressed.join(' ');
      if (id === undefined) return;
      const reason = refusalOfKeys(chosen, id, overrides);
      setRefusal(reason);
      if (reason === undefined) changeKeys(id, chosen === defaultKeys ? undefined : chosen);
      setPressed([]);
      setRecording(false);
    };
    const timer = setTimeout(finish, pressed.length > 1 ? 0 : SECOND_KEY_MS);
    return () => clearTimeout(timer);
  }, [pressed, overrides, id, defaultKeys]);
  return (
    <li className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 py-0.5">
      <span className="min-w-0 flex-1">{label}</span>
      {keys !== defaultKeys && id !== undefined ? (
        <Button aria-label={`Restore default keys of ${label}`} kind="quiet" onClick={() => changeKeys(id, undefined)}>
          {`Restore ${formatKeys(defaultKeys)}`}
        </Button>
      ) : null}
      {id === undefined ? (
        <Kbd>{formatKeys(keys)}</Kbd>
      ) : (
        <button
          aria-pressed={recording}
          className="min-h-6 min-w-14 rounded-md border border-transparent px-1.5 text-right hover:border-line-strong aria-pressed:border-accent max-md:min-h-10"
          onBlur={() => setRecording(false)}
          onClick={() => {
            setRefusal(undefined);
            setRecording(true);
          }}
          title="Change keys"
          type="button"
        >
          {recording ? (
            <span className="text-sm text-quiet">
              {pressed.length === 0 ? 'Press keys…' : formatKeys(pressed.join(' '))}
            </span>
          ) : (
            <span className="flex justify-end gap-1">
              {keys.split(' ').map((press) => (
                <Fragment key={press}>
                  <Kbd>{formatKeys(press)}</Kbd>{' '}
                </Fragment>
              ))}
            </span>
          )}
          <span className="sr-only">{` Change keys of ${label}`}</span>
        </button>
      )}
      {refusal === undefined ? null : (
        <p className="basis-full text-right text-sm text-failed" role="alert">
          {refusal}
        </p>
      )}
    </li>
  );
}
