import type { SessionRow } from './tree-rows.ts';

const LINE = 'absolute border-line-strong';

/** Connector lines of a child session: dashed for a fork, otherwise solid. */
export function TreeLines({ row }: { row: SessionRow }) {
  if (row.depth === 0) return null;
  const dash = row.fork ? 'border-dashed' : '';
  return (
    <span aria-hidden className="-order-3 flex h-full shrink-0 opacity-60">
      {row.passing.map((passes, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by index
        <span className={`h-full w-4 translate-x-2 ${passes ? 'border-l border-line-strong' : ''}`} key={column} />
      ))}
      <span className="relative h-full w-4">
        <span className={`${LINE} ${dash} left-2 top-0 border-l ${row.last ? 'h-1/2' : 'h-full'}`} />
        <span className={`${LINE} ${dash} left-2 top-1/2 w-2 border-t`} />
      </span>
    </span>
  );
}
