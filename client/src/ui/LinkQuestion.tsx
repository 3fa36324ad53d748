import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button } from './Button.tsx';
import { UntrustedText } from './UntrustedText.tsx';
import { parseWebUrl } from './web-url.ts';

/** Modal dialog with a question. The element with `data-first` gets the focus. */
export function QuestionBox(props: { labelId: string; onClose: () => void; children: ReactNode }) {
  const { labelId, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-first]')?.focus();
    // Closing the dialog makes the browser restore the focus.
    return () => element?.close();
  }, []);
  return (
    <dialog
      aria-labelledby={labelId}
      className="m-auto w-[min(560px,calc(100vw-32px))] rounded-lg border border-line bg-raised p-4 text-text shadow-raised backdrop:bg-black/30"
      onClose={({ currentTarget }) => !currentTarget.open && onClose()}
      // On Escape, the browser closes this dialog. The event must not reach the form dialog below, which would close
      // too.
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
      ref={dialog}
    >
      {children}
    </dialog>
  );
}

/** Shows the address of a link, and asks whether to open it. */
export function LinkQuestion(props: { labelId: string; address: string; note: string; onClose: () => void }) {
  const { labelId, address, note, onClose } = props;
  const url = parseWebUrl(address);
  return (
    <>
      <h2 className="font-semibold" id={labelId}>
        {url === undefined ? 'Link blocked' : `Open ${url.host}?`}
      </h2>
      <p className="mt-1 text-quiet">{url === undefined ? 'Only http and https links can be opened.' : note}</p>
      <Quote text={url?.href ?? address} />
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={() => void navigator.clipboard?.writeText(url?.href ?? address)}>Copy</Button>
        <Button data-first onClick={onClose}>
          Cancel
        </Button>
        {url !== undefined && (
          <a
            className="inline-flex h-7 max-md:h-10 items-center rounded-md border border-accent bg-accent px-2.5 font-medium text-on-accent hover:opacity-90"
            href={url.href}
            onClick={onClose}
            rel="noopener noreferrer"
            target="_blank"
          >
            Open
          </a>
        )}
      </div>
    </>
  );
}

export function Quote({ text }: { text: string }) {
  return (
    <pre className="mt-3 max-h-48 overflow-auto whitespace-pre-wrap break-all rounded-md border border-line bg-sunken px-2 py-1.5 font-mono text-sm">
      <UntrustedText text={text} />
    </pre>
  );
}
