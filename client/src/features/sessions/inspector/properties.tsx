import type { ReactNode } from 'react';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { copy } from '../page/session-actions.ts';

/** A titled section of the inspector. */
export function InspectorSection(props: { title: string; aside?: ReactNode; children: ReactNode }) {
  const { title, aside, children } = props;
  return (
    <section className="break-words border-b border-line px-4 py-3 last:border-0">
      <h2 className="mb-1.5 flex items-baseline justify-between text-sm font-semibold text-quiet">
        {title}
        {aside === undefined ? null : <span className="font-normal tabular-nums">{aside}</span>}
      </h2>
      {children}
    </section>
  );
}

/** Name-value list. */
export function PropertyList({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[84px_minmax(0,1fr)] gap-x-2 gap-y-0.5">{children}</dl>;
}

export function Property({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

/** Truncated text with the full text as tooltip; a click copies it. */
export function CopyableText({ text, shown = text, what }: { text: string; shown?: string; what: string }) {
  return (
    <button
      className="block max-w-full rounded text-left font-mono text-sm leading-5 hover:bg-hover"
      onClick={() => void copy(text, what)}
      title={`${escapeHidden(text)}\nCopy`}
      type="button"
    >
      <UntrustedLine text={shown} />
    </button>
  );
}
