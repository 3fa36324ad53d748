import { DelayedFallback } from './DelayedFallback.tsx';

export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <DelayedFallback>
      <div aria-label="Loading" className="flex flex-col gap-2" role="status">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are identical
          <div className="h-9 animate-pulse-slow rounded-md bg-hover" key={row} />
        ))}
      </div>
    </DelayedFallback>
  );
}
