import { LazyMenu } from '../../ui/LazyMenu.tsx';
import { badgeContextOf } from '../inbox/inbox-items.ts';
import { useMarks } from '../inbox/marks.ts';
import { badgeOf } from './badge.ts';
import { updateLayout, useLayout } from './layout.ts';
import { useSessions } from './sessions-store.ts';
import { toggleWord } from './toggle-word.ts';
import { STATE_NAMES, STATES, type State, stateOf } from './tree-filter.ts';
import { GROUPINGS, type GroupBy } from './tree-rows.ts';

const CHIPS: Readonly<Partial<Record<State, { glyph: string; tone: string }>>> = {
  asks: { glyph: '▲', tone: 'text-needs' },
  failed: { glyph: '⊘', tone: 'text-failed' },
  working: { glyph: '◐', tone: 'text-working' },
  done: { glyph: '●', tone: 'text-done' },
  idle: { glyph: '○', tone: 'text-quiet' },
};

const GROUPING_NAMES: Readonly<Record<GroupBy, string>> = {
  repository: 'Repository',
  state: 'State',
  parent: 'Parent',
};

/**
 * Buttons that filter the sessions by state, each with the number of sessions in its state, and a menu of groupings and
 * other filters.
 */
export function TreeFilters({ filter, onFilter }: { filter: string; onFilter(filter: string): void }) {
  const { sessions, repositories } = useSessions();
  const marks = useMarks();
  const groupBy = useLayout((layout) => layout.groupBy);
  const all = Object.values(sessions);
  const counts = new Map<State, number>();
  for (const session of all) {
    const state = stateOf(badgeOf(session, badgeContextOf(session.id, marks)));
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const words = filter.split(/\s+/);
  const byValue = (prefix: string, values: readonly string[]) =>
    [...new Set(values)].sort().map((value) => {
      const word = `${prefix}${value.toLowerCase().replace(/\s.*/, '')}`;
      return {
        label: `${words.includes(word) ? '✓ ' : ''}${value}`,
        run: () => onFilter(toggleWord(filter, prefix, word)),
      };
    });
  const submenus = [
    {
      label: 'Agent',
      actions: byValue(
        'agent:',
        all.map(({ agentId }) => agentId),
      ),
    },
    {
      label: 'Repository',
      actions: byValue(
        'repo:',
        all.flatMap(({ repositoryId }) => repositories[repositoryId ?? ''] ?? []),
      ),
    },
    {
      label: 'Label',
      actions: byValue(
        'label:',
        all.flatMap(({ labels }) => labels),
      ),
    },
  ].filter(({ actions }) => actions.length > 0);
  return (
    <div className="flex h-8 shrink-0 items-center gap-0.5 border-b border-line px-1.5 text-sm max-md:h-11">
      {STATES.flatMap((state) => {
        const chip = CHIPS[state];
        const count = counts.get(state) ?? 0;
        const word = `is:${state}`;
        if (chip === undefined || (count === 0 && !words.includes(word))) return [];
        return [
          <button
            aria-pressed={words.includes(word)}
            className="flex h-6 items-center gap-1 rounded-md px-1.5 tabular-nums text-quiet hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text max-md:h-10 max-md:px-2.5"
            key={state}
            onClick={() => onFilter(toggleWord(filter, 'is:', word))}
            title={`Show only sessions in this state: ${STATE_NAMES[state]}`}
            type="button"
          >
            <span aria-hidden="true" className={chip.tone}>
              {chip.glyph}
            </span>
            <span className="sr-only">{STATE_NAMES[state]} </span>
            {count}
          </button>,
        ];
      })}
      <LazyMenu
        groups={[
          GROUPINGS.map((each) => ({
            label: `${each === groupBy ? '✓ ' : ''}Group by ${GROUPING_NAMES[each].toLowerCase()}`,
            run: () => updateLayout({ groupBy: each }),
          })),
          submenus.map(({ label, actions }) => ({ label: `Filter by ${label.toLowerCase()}`, actions })),
        ].filter((group) => group.length > 0)}
        trigger={
          <button
            className="ml-auto h-6 rounded-md px-2 text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:h-10"
            type="button"
          >
            {GROUPING_NAMES[groupBy]} <span aria-hidden="true">▾</span>
            <span className="sr-only">Group and filter sessions</span>
          </button>
        }
      />
    </div>
  );
}
