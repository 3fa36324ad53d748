import { useEffect, useState } from 'react';
import { dismissToast, type Toast, useToasts } from './toasts.ts';
import { UntrustedBlock } from './UntrustedText.tsx';
import { usePageVisible } from './use-page-visible.ts';

/** Duration of a toast that needs no action; counts only while the page is visible and the pointer elsewhere. */
const SHOWN_MS = 8_000;

const LOOKS = {
  needs: { glyph: '▲', colour: 'text-needs' },
  failed: { glyph: '⊘', colour: 'text-failed' },
  done: { glyph: '●', colour: 'text-done' },
  plain: { glyph: '', colour: '' },
} as const;

/** Toasts in the lower right corner, above the prompt box. */
export default function Toaster() {
  const toasts = useToasts((state) => state.toasts);
  const [held, setHeld] = useState(false);
  return (
    <section
      aria-label="Notifications"
      className="fixed inset-x-2 bottom-32 z-60 flex flex-col items-end gap-2 md:bottom-20 md:left-auto md:right-4 md:w-90"
      onBlur={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      {toasts.map((each) => (
        <Message held={held} key={each.id} toast={each} />
      ))}
    </section>
  );
}

function Message({ toast, held }: { toast: Toast; held: boolean }) {
  const { id, kind, title, text, action } = toast;
  const isVisible = usePageVisible();
  const stays = kind === 'needs';
  // A toast that is told anew under its id stays its time from then on.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the toast itself is what counts
  useEffect(() => {
    if (stays || held || !isVisible) return undefined;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, id, stays, held, isVisible]);
  const { glyph, colour } = LOOKS[kind];
  return (
    <div
      className="flex w-full transition duration-150 starting:translate-y-2 starting:opacity-0 items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pl-3 pr-2 shadow-raised"
      role={stays || kind === 'failed' ? 'alert' : 'status'}
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
