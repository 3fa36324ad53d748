import type { ComponentProps } from 'react';

/** Square stroke icon in the current text colour. */
export function Icon({ size, ...svg }: ComponentProps<'svg'> & { size: number }) {
  return (
    <svg
      aria-hidden="true"
      fill="none"
      height={size}
      stroke="currentColor"
      strokeWidth="1.5"
      viewBox={`0 0 ${size} ${size}`}
      width={size}
      {...svg}
    />
  );
}
