import type { ReactNode } from 'react';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';

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

/** A value with a button that copies it. A value that does not fit loses its end or, with `keepsEnd`, its start. */
export function CopyableText(props: { text: string; shown?: string; what: string; keepsEnd?: boolean }) {
  const { text, shown = text, what, keepsEnd = false } = props;
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span
        className={`min-w-0 truncate font-mono text-sm leading-6 ${keepsEnd ? 'text-left [direction:rtl]' : ''}`}
        title={escapeHidden(text)}
      >
        <UntrustedText text={shown} />
      </span>
      <CopyButton
        className="h-6! w-6 shrink-0 px-0! max-md:size-11!"
        icon
        kind="quiet"
        label={`Copy ${what}`}
        text={text}
      />
    </span>
  );
}
