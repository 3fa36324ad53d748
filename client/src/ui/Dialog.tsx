import { Dialog as Base } from '@base-ui/react/dialog';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button } from './Button.tsx';
import { DelayedFallback } from './DelayedFallback.tsx';
import { SubmitAttempted } from './Field.tsx';
import { Icon } from './Icon.tsx';
import { useFocusReturn } from './keep-focus.ts';
import { markChanged } from './mark-form.ts';
import { Problem } from './Problem.tsx';

const MOD = /Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
const WIDTHS = { narrow: 'md:w-110', wide: 'md:w-150' } as const;

export interface DialogProps {
  title: string;
  children: ReactNode;
  problem?: ReactNode;
  actions?: ReactNode;
  width?: keyof typeof WIDTHS;
  /** Whether a dialog with a form will replace this one. Keys pressed until then are kept for the form. */
  isLoading?: boolean;
  /** Whether a click outside closes the dialog. Not for forms, because input would be lost. */
  closesOutside?: boolean;
  onClose(): void;
}

/**
 * Modal dialog that is open while it is mounted; a bottom sheet on a phone. The focus stays inside. When the dialog
 * closes, the focus returns to the element that had it before. Ctrl or Command with Enter presses the `MainButton`,
 * wherever the focus is in the dialog.
 */
export function Dialog(props: DialogProps) {
  const { title, children, problem, actions, width = 'narrow', isLoading = false, onClose } = props;
  const { closesOutside = false } = props;
  useFocusReturn();
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root disablePointerDismissal={!closesOutside} onOpenChange={(open) => open || onClose()} open>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[light-dark(rgb(20_24_28/28%),rgb(0_0_0/55%))]" />
        <Base.Viewport
          className="fixed inset-0 z-50 flex items-end justify-center md:items-start md:pt-[10vh]"
          onMouseDown={(event) => {
            // A click beside the dialog would take the focus from the field in which a person is typing.
            if (!closesOutside && event.target === event.currentTarget) event.preventDefault();
          }}
        >
          <Base.Popup
            // On touch screens, focusing a field would open a keyboard that covers half of the dialog.
            initialFocus={(how) => (how === 'touch' ? popup.current : initialFocusOf(popup.current))}
            data-loading={isLoading || undefined}
            onKeyDown={(event) => pressMainButton(event, popup.current)}
            ref={popup}
            className={`flex max-h-[92dvh] w-full flex-col border-line bg-bg shadow-raised outline-none max-md:rounded-t-xl max-md:border-t md:max-h-[80vh] md:rounded-xl md:border ${WIDTHS[width]}`}
          >
            <header className="flex items-center gap-3 px-4 pb-2 pt-3">
              <Base.Title className="line-clamp-2 min-w-0 flex-1 text-lg font-semibold">{title}</Base.Title>
              <Base.Close
                aria-label="Close"
                className="-mr-1.5 grid size-7 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text max-md:size-10"
              >
                <Icon size={14}>
                  <path d="M2 2l10 10M12 2L2 12" />
                </Icon>
              </Base.Close>
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-4 pt-1">{children}</div>
            {actions === undefined ? null : (
              <footer className="flex flex-col gap-3 border-t border-line px-4 py-3 max-md:pb-[max(12px,env(safe-area-inset-bottom))]">
                {problem}
                <div className="flex flex-wrap items-center justify-end gap-2 max-md:[&>button]:h-11 max-md:[&>button]:grow">
                  {actions}
                </div>
              </footer>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

function pressMainButton(event: KeyboardEvent, popup: HTMLElement | null): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
  const find = (selector: string) => popup?.querySelector<HTMLButtonElement>(`${selector}:not(:disabled)`);
  const button = (event.shiftKey ? find('[data-main="stay"]') : undefined) ?? find('[data-main=""]');
  if (button === undefined || button === null) return;
  event.preventDefault();
  // Repeats of a key that is held down are ignored, because they would also press the main button of the next dialog.
  if (!event.repeat) button.click();
}

/** Button for the main action of a dialog. Its shortcut is Ctrl or Command with Enter. */
export function MainButton({ children, ...props }: ComponentProps<typeof Button>) {
  return (
    <Button aria-keyshortcuts="Control+Enter Meta+Enter" data-main="" kind="primary" {...props}>
      {children}
      <span aria-hidden="true" className="font-normal max-md:hidden">
        {MOD} ↵
      </span>
    </Button>
  );
}

/**
 * Dialog shown in place of a form whose data is not loaded yet. Keys pressed before the form appears go to the form. If
 * the data cannot be loaded, the dialog shows the error.
 */
export function LoadingDialog(
  props: Pick<DialogProps, 'title' | 'width' | 'onClose'> & { error: { message: string } | null },
) {
  const { error, ...dialog } = props;
  const isLoading = error === null;
  return (
    <Dialog {...dialog} isLoading={isLoading} key={String(isLoading)}>
      {isLoading ? <DelayedFallback>Loading…</DelayedFallback> : <Problem error={error} />}
    </Dialog>
  );
}

/**
 * Returns the element to focus when the dialog opens. This is the first that exists of: the element marked
 * `data-first`, an empty required field, a field, a checked choice of a form, the cancel button of a confirmation, the
 * dialog. It is never the close button, although that comes first in the dialog.
 */
function initialFocusOf(popup: HTMLElement | null): HTMLElement | null {
  const field = ':is(input:not([type="radio"],[type="checkbox"]),textarea)';
  const choice = 'form input:checked';
  for (const wanted of ['[data-first]', `[data-missing] ${field}`, field, choice, '[data-way-out]']) {
    const found = popup?.querySelector<HTMLElement>(wanted);
    if (found) return found;
  }
  return popup;
}

/**
 * Dialog with a form. If a required field is empty or its value is not usable, submitting focuses that field instead.
 */
export function FormDialog(
  props: Omit<DialogProps, 'actions'> & {
    submit: string;
    busy?: boolean;
    /** Reason why the form cannot be submitted, shown instead of `hint`; undefined if the form can be submitted. */
    blocked?: string | undefined;
    danger?: boolean;
    hint?: ReactNode;
    /**
     * Second submit button, which keeps the dialog open, so that the form can be submitted again. Its shortcut is Ctrl
     * or Command with Shift and Enter.
     */
    andStay?: { label: string; onSubmit(): void };
    onSubmit(): void;
    /** Called with the dropped data if files are dropped on the form. */
    onDrop?(data: DataTransfer): void;
  },
) {
  const { submit, busy = false, blocked, danger = false, hint, andStay, onSubmit, onDrop, ...dialog } = props;
  const form = useRef<HTMLFormElement>(null);
  const [attempted, setAttempted] = useState(false);
  const hintId = useId();
  const send = (event: { preventDefault(): void }, submitForm = onSubmit) => {
    event.preventDefault();
    if (busy || blocked !== undefined) return;
    const gap = form.current?.querySelector('[data-missing]');
    if (!gap) return submitForm();
    setAttempted(true);
    document.getElementById(gap.querySelector('label')?.htmlFor ?? '')?.focus();
  };
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <span className="min-w-0 flex-1 text-sm text-quiet max-md:basis-full max-md:empty:hidden" id={hintId}>
            {blocked ?? hint}
          </span>
          <Button onClick={dialog.onClose}>Cancel</Button>
          {andStay === undefined ? null : (
            <Button
              aria-keyshortcuts="Control+Shift+Enter Meta+Shift+Enter"
              busy={busy}
              data-main="stay"
              onClick={(event) => send(event, andStay.onSubmit)}
              title={`${MOD} + ⇧ + ↵`}
            >
              {andStay.label}
            </Button>
          )}
          <MainButton
            aria-describedby={blocked === undefined ? undefined : hintId}
            aria-disabled={blocked !== undefined}
            busy={busy}
            form="dialog-form"
            kind={danger ? 'danger' : 'primary'}
            type="submit"
          >
            {submit}
          </MainButton>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        id="dialog-form"
        noValidate
        onChange={(event) => markChanged(event.currentTarget)}
        onDragOver={(event) => {
          // Without `preventDefault`, the browser opens a dropped file instead of passing it to the page.
          if (onDrop !== undefined && event.dataTransfer.types.includes('Files')) event.preventDefault();
        }}
        onDrop={(event) => {
          if (onDrop === undefined || !event.dataTransfer.types.includes('Files')) return;
          event.preventDefault();
          onDrop(event.dataTransfer);
        }}
        onSubmit={(event) => send(event)}
        ref={form}
      >
        <SubmitAttempted value={attempted}>{dialog.children}</SubmitAttempted>
      </form>
    </Dialog>
  );
}
