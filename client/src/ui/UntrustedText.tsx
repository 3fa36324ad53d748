import { splitHidden } from './hidden-characters.ts';

/**
 * Text of others, wherever it is shown: it is written in its own direction, moves nothing beside it, and its characters
 * that would not be seen or would reorder it are marked.
 */
export function UntrustedText({ text, className }: { text: string; className?: string }) {
  return <bdi className={className}>{marked(text, false)}</bdi>;
}

/** The same in one line, which loses its end where there is no room; marks take little of it. */
export function UntrustedLine({ text, className = '' }: { text: string; className?: string }) {
  return <bdi className={`block min-w-0 truncate text-left ${className}`}>{marked(text, true)}</bdi>;
}

/** Paragraphs of it, each in its own direction. */
export function UntrustedBlock({ text, className = '' }: { text: string; className?: string }) {
  return (
    <p className={`whitespace-pre-wrap break-words [unicode-bidi:plaintext] ${className}`} dir="auto">
      {marked(text, false)}
    </p>
  );
}

function marked(text: string, briefly: boolean) {
  const pieces = splitHidden(text);
  if (pieces.every(({ hidden }) => !hidden)) return text;
  return pieces.map((piece, index) =>
    piece.hidden ? (
      <abbr
        className="mx-px rounded-sm bg-needs-bg px-0.5 font-mono text-[0.85em] font-normal text-needs no-underline outline outline-needs"
        dir="ltr"
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no state and no names
        key={index}
        title={`${piece.text}: not seen, or it changes the order of what is`}
      >
        {briefly ? '‹›' : piece.text}
      </abbr>
    ) : (
      piece.text
    ),
  );
}
