import { useEffect, useState } from 'react';
import { dismissToast, type Toast, useToasts } from './toasts.ts';
import { UntrustedBlock } from './UntrustedText.tsx';
import { usePageVisible } from './use-page-visible.ts';

/**
 * Time in milliseconds after which a toast disappears, unless its kind is `needs`. The time restarts when the pointer
 * or focus leaves the toasts, or when the page becomes visible.
 */
const SHOWN_MS = 8_000;

const STYLES = {
  needs: { glyph: '▲', colour: 'text-needs' },
  failed: { glyph: '⊘', colour: 'text-failed' },
  done: { glyph: '●', colour: 'text-done' },
  plain: { glyph: '', colour: '' },
} as const;

/**
 * Toasts in the lower right corner, above the prompt box and the actions of a diff. On a phone they are below the tabs
 * of a session, because answers and buttons are at the bottom.
 */
export default function Toaster() {
  const toasts = useToasts((state) => state.toasts);
  const [paused, setPaused] = useState(false);
  return (
    <section
      aria-label="Notifications"
      className="fixed inset-x-2 z-60 flex flex-col items-end gap-2 max-md:top-24 md:bottom-34 md:left-auto md:right-4 md:w-90"
      onBlur={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
    >
      {toasts.map((each) => (
        <Message paused={paused} key={each.id} toast={each} />
      ))}
    </section>
  );
}

function Message({ toast, paused }: { toast: Toast; paused: boolean }) {
  const { id, kind, title, text, action } = toast;
  const isVisible = usePageVisible();
  const isSticky = kind === 'needs';
  // biome-ignore lint/correctness/useExhaustiveDependencies: a replaced toast restarts the timer
  useEffect(() => {
    if (isSticky || paused || !isVisible) return undefined;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, id, isSticky, paused, isVisible]);
  const { glyph, colour } = STYLES[kind];
  return (
    // The toasts are in a live region. A role such as `alert` would make each toast a live region too, announced twice.
    <div
      aria-atomic="true"
      className="flex w-full transition duration-150 starting:translate-y-2 starting:opacity-0 items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pl-3 pr-2 shadow-raised"
    >
      {glyph === '' ? null : (
        <span aria-hidden="true" className={colour}>
          {glyph}
        </span>
      )}
      <div className="min-w-0 flex-1">
        <p className="break-words font-medium">{title}</p>
        {text === undefined ? null : <UntrustedBlock className="line-clamp-3 text-quiet" text={text} />}
      </div>
      {action === undefined ? null : (
        <button
          className="h-7 shrink-0 rounded-md border border-line px-2.5 font-medium hover:bg-hover"
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
        className="grid size-7 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text"
        onClick={() => dismissToast(id)}
        type="button"
      >
        ✕
      </button>
    </div>
  );
}
