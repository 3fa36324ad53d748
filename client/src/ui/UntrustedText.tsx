import { splitHidden } from './hidden-characters.ts';

/** Inline text from agents and other people: bidi-isolated, with invisible and reordering characters marked. */
export function UntrustedText({ text, className }: { text: string; className?: string }) {
  return <bdi className={className}>{markHidden(text)}</bdi>;
}

/**
 * Like `UntrustedText`, but on a single line that is cut off at its end. The marks for hidden characters are shorter.
 */
export function UntrustedLine({ text, className = '' }: { text: string; className?: string }) {
  return <bdi className={`block min-w-0 truncate text-left ${className}`}>{markHidden(text, true)}</bdi>;
}

/** Like `UntrustedText`, but as a block in which each paragraph has its own direction. */
export function UntrustedBlock({ text, className = '' }: { text: string; className?: string }) {
  return (
    <p className={`whitespace-pre-wrap break-words [unicode-bidi:plaintext] ${className}`} dir="auto">
      {markHidden(text)}
    </p>
  );
}

/**
 * Replaces invisible and reordering characters by visible marks; with `briefly`, by shorter ones. The caller must
 * isolate the text's direction.
 */
export function markHidden(text: string, briefly = false) {
  const pieces = splitHidden(text);
  if (pieces.every(({ hidden }) => !hidden)) return text;
  return pieces.map((piece, index) =>
    piece.hidden ? (
      <abbr
        className="mx-px rounded-sm bg-needs-bg px-0.5 font-mono text-[0.85em] font-normal text-needs no-underline outline outline-needs"
        dir="ltr"
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are stateless
        key={index}
        title={`${piece.text}: invisible or text-reordering character`}
      >
        {briefly ? '‹›' : piece.text}
      </abbr>
    ) : (
      piece.text
    ),
  );
}
