import type { OutputOf } from '@agent-console/shared/operations/table';

export type Lost = OutputOf<'worktrees.remove'>['lost'];

const SHOWN_MAX = 8;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `1.4 MB` */
function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** What goes with a worktree, and what of it cannot be brought back. */
export function Losses({ lost }: { lost: Lost }) {
  const ignored = lost.ignored.map(({ path, bytes }) => `${path} (${size(bytes)})`);
  const all = lost.ignored.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <div className="flex flex-col gap-3">
      <Group items={lost.uncommitted} note="saved for 30 days" title="Uncommitted changes" />
      <Group items={lost.untracked} note="saved for 30 days, up to 100 MB" title="Untracked files" />
      <Group items={lost.unpushed} note="kept for 30 days" title="Commits that are nowhere else" />
      <Group items={ignored} note={`${size(all)}, not saved`} title="Ignored files" warn />
      {lost.more > 0 ? <p className="text-quiet">and {lost.more.toLocaleString()} more</p> : null}
    </div>
  );
}

function Group({
  title,
  note,
  items,
  warn = false,
}: {
  title: string;
  note: string;
  items: readonly string[];
  warn?: boolean;
}) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="flex gap-2 font-medium">
        {title}
        <span className="tabular-nums text-quiet">{items.length.toLocaleString()}</span>
        <span className={`ml-auto font-normal ${warn ? 'text-needs' : 'text-quiet'}`}>{note}</span>
      </h3>
      <ul className="mt-1 rounded-md border border-line bg-sunken px-2 py-1 font-mono text-sm">
        {items.slice(0, SHOWN_MAX).map((item) => (
          <li className="truncate" key={item} title={item}>
            {item}
          </li>
        ))}
        {items.length > SHOWN_MAX ? (
          <li className="text-quiet">and {(items.length - SHOWN_MAX).toLocaleString()} more</li>
        ) : null}
      </ul>
    </section>
  );
}
