import { useLayoutEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { UntrustedText } from '../ui/UntrustedText.tsx';
import { parseWebUrl } from './input-rules.ts';
import type { Question } from './terminal-state.ts';

const SHOWN_CHARS = 2_000;

/** Asks for confirmation before opening a link from terminal output or pasting lines that would run. */
export function QuestionDialog({ question, onAnswer }: { question: Question; onAnswer: (yes: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-first]')?.focus();
    // When the dialog closes, the browser restores the focus.
    return () => element?.close();
  }, []);
  return (
    <dialog
      aria-labelledby="terminal-question"
      className="m-auto w-[min(560px,calc(100vw-32px))] rounded-lg border border-line bg-raised p-4 text-text shadow-raised backdrop:bg-black/30"
      onClose={({ currentTarget }) => !currentTarget.open && onAnswer(false)}
      ref={dialog}
    >
      {question.kind === 'link' ? (
        <LinkQuestion address={question.address} onAnswer={onAnswer} />
      ) : (
        <PasteQuestion lines={question.lines} onAnswer={onAnswer} text={question.text} />
      )}
    </dialog>
  );
}

interface Answering {
  onAnswer: (yes: boolean) => void;
}

function LinkQuestion({ address, onAnswer }: Answering & { address: string }) {
  const url = parseWebUrl(address);
  return (
    <>
      <h2 className="font-semibold" id="terminal-question">
        {url === undefined ? 'Link blocked' : `Open ${url.host}?`}
      </h2>
      <p className="mt-1 text-quiet">
        {url === undefined
          ? 'Only http and https links can be opened.'
          : 'This link was printed in the terminal. Its text may differ from its address.'}
      </p>
      <Quote text={url?.href ?? address} />
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={() => void navigator.clipboard?.writeText(url?.href ?? address)}>Copy</Button>
        <Button data-first onClick={() => onAnswer(false)}>
          Cancel
        </Button>
        {url !== undefined && (
          <a
            className="inline-flex h-7 items-center rounded-md border border-accent bg-accent px-2.5 font-medium text-on-accent hover:opacity-90"
            href={url.href}
            onClick={() => onAnswer(true)}
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

function PasteQuestion({ text, lines, onAnswer }: Answering & { text: string; lines: number }) {
  return (
    <>
      <h2 className="font-semibold" id="terminal-question">
        {lines === 1 ? 'Paste and run 1 line?' : `Paste and run ${lines.toLocaleString()} lines?`}
      </h2>
      <p className="mt-1 text-quiet">This program treats pasted text as typed: each line runs immediately.</p>
      <Quote text={text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text} />
      <div className="mt-3 flex justify-end gap-2">
        <Button data-first onClick={() => onAnswer(false)}>
          Cancel
        </Button>
        <Button kind="primary" onClick={() => onAnswer(true)}>
          Paste
        </Button>
      </div>
    </>
  );
}

function Quote({ text }: { text: string }) {
  return (
    <pre className="mt-3 max-h-48 overflow-auto whitespace-pre-wrap break-all rounded-md border border-line bg-sunken px-2 py-1.5 font-mono text-sm">
      <UntrustedText text={text} />
    </pre>
  );
}
