import './toasts.css';
import { useCallback, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useFocusFallback } from './keep-focus.ts';
import { dismissToast, type Toast, useToasts } from './toasts.ts';
import { UntrustedBlock } from './UntrustedText.tsx';
import { usePageVisible } from './use-page-visible.ts';

/**
 * Time in milliseconds after which a toast disappears, unless its kind is `needs`. The time starts again after the
 * pointer or the focus leaves the toasts and after the page becomes visible.
 */
const SHOWN_MS = 8_000;

const STYLES = {
  needs: { glyph: '▲', colour: 'text-needs' },
  failed: { glyph: '⊘', colour: 'text-failed' },
  done: { glyph: '●', colour: 'text-done' },
  plain: { glyph: '', colour: '' },
} as const;

/**
 * The live regions of `index.html` that contain the toasts. A screen reader reads a failure at once, and other toasts
 * after its current text.
 */
const REGIONS = [
  { live: 'assertive', shows: ({ kind }: Toast) => kind === 'failed' },
  { live: 'polite', shows: ({ kind }: Toast) => kind !== 'failed' },
];

interface Held {
  focus: string | undefined;
  pointer: string | undefined;
}

/** `toasts.css` positions the toasts. */
export default function Toaster() {
  const toasts = useToasts((state) => state.toasts);
  /** Id of the toast that has the focus, and id of the toast that has the pointer. */
  const [held, setHeld] = useState<Held>({ focus: undefined, pointer: undefined });
  const onHold = useCallback((by: keyof Held, id: string) => setHeld((before) => ({ ...before, [by]: id })), []);
  const onRelease = useCallback(
    (by: keyof Held, id: string) => setHeld((before) => (before[by] === id ? { ...before, [by]: undefined } : before)),
    [],
  );
  const paused = held.focus !== undefined || held.pointer !== undefined;
  const newest = toasts.at(-1);
  return REGIONS.map(({ live, shows }) =>
    createPortal(
      toasts
        .filter(shows)
        .map((each) => (
          <Message
            isNewest={each === newest}
            key={each.id}
            onHold={onHold}
            onRelease={onRelease}
            paused={paused}
            toast={each}
          />
        )),
      document.querySelector(`#toasts > [aria-live=${live}]`) ?? document.body,
      live,
    ),
  );
}

function Message(props: {
  toast: Toast;
  isNewest: boolean;
  /** Whether the toast must not disappear, because this or another toast has the focus or the pointer. */
  paused: boolean;
  onHold(by: keyof Held, id: string): void;
  onRelease(by: keyof Held, id: string): void;
}) {
  const { toast, isNewest, paused, onHold, onRelease } = props;
  const { id, kind, title, text, action } = toast;
  const box = useRef<HTMLDivElement>(null);
  const [before] = useState(() => document.activeElement);
  useFocusFallback(box, before);
  const isVisible = usePageVisible();
  const isSticky = kind === 'needs';
  // biome-ignore lint/correctness/useExhaustiveDependencies: a replaced toast restarts the timer
  useEffect(() => {
    if (isSticky || paused || !isVisible) return undefined;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, id, isSticky, paused, isVisible]);
  // A toast that is removed while it has the pointer or the focus causes no leave or blur event, so the pause ends
  // here.
  useEffect(
    () => () => {
      onRelease('focus', id);
      onRelease('pointer', id);
    },
    [id, onRelease],
  );
  const { glyph, colour } = STYLES[kind];
  return (
    // Toasts are rendered in live regions. With a role such as `alert`, a toast would be a second live region, and
    // screen readers would announce it twice.
    // biome-ignore lint/a11y/noStaticElementInteractions: a toast stays while it is read
    <div
      aria-atomic="true"
      data-newest={isNewest || undefined}
      onBlur={() => onRelease('focus', id)}
      onFocus={() => onHold('focus', id)}
      onPointerEnter={() => onHold('pointer', id)}
      onPointerLeave={() => onRelease('pointer', id)}
      ref={box}
      className="mt-2 flex transition duration-150 starting:translate-y-2 starting:opacity-0 items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pl-3 pr-2 shadow-raised"
    >
      {glyph === '' ? null : (
        <span aria-hidden="true" className={colour}>
          {glyph}
        </span>
      )}
      <div className="min-w-0 flex-1 self-center">
        <p className="break-words font-medium">{title}</p>
        {text === undefined ? null : <UntrustedBlock className="line-clamp-3 text-quiet" text={text} />}
      </div>
      {action === undefined ? null : (
        <button
          className="h-7 max-md:h-10 shrink-0 rounded-md border border-line px-2.5 font-medium hover:bg-hover"
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
          type="button"
        >
          {action.label}
        </button>
      )}
      <button
        aria-label={`Dismiss: ${title}`}
        className="grid size-7 max-md:size-10 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text"
        onClick={() => dismissToast(id)}
        type="button"
      >
        ✕
      </button>
    </div>
  );
}
