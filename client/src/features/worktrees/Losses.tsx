import { GivenLine } from '../../ui/Given.tsx';
import { visible } from '../../ui/visible.ts';
import type { Loss } from './lost.ts';

const SHOWN_MAX = 8;

/** What goes with a worktree, and what of it cannot be brought back. */
export function Losses({ losses, more }: { losses: readonly Loss[]; more: number }) {
  return (
    <div className="flex flex-col gap-3">
      {losses.map((loss) => (
        <Group key={loss.title} {...loss} />
      ))}
      {more > 0 ? <p className="text-quiet">and {more.toLocaleString()} more</p> : null}
    </div>
  );
}

function Group({ title, fate, items, gone }: Loss) {
  return (
    <section aria-label={title}>
      <h3 className="flex gap-2 font-medium">
        {title}
        <span className="tabular-nums text-quiet">{items.length.toLocaleString()}</span>
        <span className={`ml-auto shrink-0 font-normal ${gone ? 'text-needs' : 'text-quiet'}`}>{fate}</span>
      </h3>
      <ul className="mt-1 rounded-md border border-line bg-sunken px-2 py-1 font-mono text-sm">
        {items.slice(0, SHOWN_MAX).map((item) => (
          <li key={item} title={visible(item)}>
            <GivenLine text={item} />
          </li>
        ))}
        {items.length > SHOWN_MAX ? (
          <li className="text-quiet">and {(items.length - SHOWN_MAX).toLocaleString()} more</li>
        ) : null}
      </ul>
    </section>
  );
}
