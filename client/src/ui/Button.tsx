import type { ComponentProps } from 'react';

const KINDS = {
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  normal: 'border-line bg-raised hover:bg-hover',
  quiet: 'border-transparent text-quiet hover:bg-hover hover:text-text',
  danger: 'border-failed text-failed hover:bg-failed-bg',
} as const;

/**
 * A button, large enough for a finger on a phone. A button that is `busy` or `aria-disabled` keeps its size and focus
 * but ignores presses.
 */
export function Button(props: ComponentProps<'button'> & { kind?: keyof typeof KINDS; busy?: boolean }) {
  const { kind = 'normal', busy = false, className = '', onClick, ...rest } = props;
  const isInert = busy || rest['aria-disabled'] === true;
  return (
    <button
      aria-busy={busy || undefined}
      className={`inline-flex h-7 max-md:h-10 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-2.5 font-medium disabled:opacity-50 aria-disabled:opacity-50 ${KINDS[kind]} ${className}`}
      // A button that ignores presses does not get the attribute `disabled`, because a focused button loses the focus
      // when it is disabled.
      onClick={isInert ? (event) => event.preventDefault() : onClick}
      type="button"
      {...rest}
      aria-disabled={isInert || undefined}
    />
  );
}
