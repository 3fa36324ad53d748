import type { ReactNode } from 'react';
import { Icon } from '../../ui/Icon.tsx';

/** A line that expands to show details. Without details, it cannot be expanded. */
export function Expandable(props: {
  open: boolean;
  onToggle: () => void;
  details: (() => ReactNode) | undefined;
  children: ReactNode;
}) {
  const { open, onToggle, details, children } = props;
  const line =
    'flex min-h-7 w-full min-w-0 items-start gap-2 rounded-md px-2 py-1 text-left max-md:min-h-10 max-md:py-2.5';
  if (details === undefined) {
    return (
      <div className={`${line} border border-transparent`}>
        {children}
        <span className="w-3 shrink-0" />
      </div>
    );
  }
  return (
    <div className={open ? 'my-1 rounded-md border border-line' : 'rounded-md border border-transparent'}>
      <button aria-expanded={open} className={`${line} hover:bg-hover`} onClick={onToggle} type="button">
        {children}
        <Icon
          className={`mt-1 shrink-0 text-quiet ${open ? 'rotate-90' : ''}`}
          size={12}
          strokeLinecap="round"
          strokeLinejoin="round"
        >
          <path d="M4.5 2.5L8 6l-3.5 3.5" />
        </Icon>
      </button>
      {open ? <div className="border-t border-line">{details()}</div> : null}
    </div>
  );
}
