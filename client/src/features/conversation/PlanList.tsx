import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { Meter } from '../../ui/Meter.tsx';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import type { PlanStep } from './rows.ts';

const MARKS = {
  completed: { glyph: '●', word: 'done', tone: 'text-quiet', text: 'text-quiet line-through decoration-line-strong' },
  in_progress: { glyph: '◐', word: 'in progress', tone: 'text-text', text: 'font-medium' },
  pending: { glyph: '○', word: 'open', tone: 'text-quiet', text: '' },
} as const;

/** Returns the number of completed steps of a plan and the number of all its steps, e.g. `2 of 5`. */
export function planProgress(steps: readonly PlanStep[]): string {
  return `${steps.filter(({ status }) => status === 'completed').length} of ${steps.length}`;
}

/** The steps of a plan with their states. @param omitted number of further steps that are not stored */
export function PlanList({ steps, omitted }: { steps: readonly PlanStep[]; omitted: number }) {
  return (
    <ol className="space-y-0.5">
      {steps.map(({ text, status }, index) => {
        const { glyph, word, tone, text: style } = MARKS[status];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no ids
          <li className="flex gap-2" key={index}>
            <span aria-label={word} className={`w-4 shrink-0 text-center ${tone}`} role="img">
              {glyph}
            </span>
            <UntrustedText className={`min-w-0 break-words ${style}`} text={text} />
          </li>
        );
      })}
      {omitted === 0 ? null : (
        <li className="pl-6 text-sm text-quiet">{`${pluralize(omitted, 'more step is', 'more steps are')} not stored`}</li>
      )}
    </ol>
  );
}

/**
 * The plan of the running task, which stays visible when the conversation scrolls. When collapsed, it shows only the
 * step in progress, or the first open step if no step is in progress.
 */
export function PinnedPlan({ steps, omitted }: { steps: readonly PlanStep[]; omitted: number }) {
  const [open, setOpen] = useState(false);
  const current =
    steps.find(({ status }) => status === 'in_progress') ?? steps.find(({ status }) => status === 'pending');
  const done = steps.filter(({ status }) => status === 'completed').length;
  return (
    <section aria-label="Plan" className="shrink-0 border-t border-line bg-sunken">
      <div className="mx-auto w-full max-w-200 px-4">
        <button
          aria-expanded={open}
          className="flex h-8 w-full items-center gap-2 text-left max-md:h-11"
          onClick={() => setOpen(!open)}
          type="button"
        >
          <span className="font-medium">Plan</span>
          <span className="shrink-0 text-sm tabular-nums text-quiet">{planProgress(steps)}</span>
          <Meter className="w-16" label="Completed steps" max={steps.length} value={done} />
          {open || current === undefined ? (
            <span className="flex-1" />
          ) : (
            <UntrustedLine className="flex-1 text-quiet" text={current.text} />
          )}
          <span aria-hidden className="shrink-0 text-quiet">
            {open ? '▾' : '▴'}
          </span>
        </button>
        {open ? (
          <div className="max-h-[30vh] overflow-y-auto pb-2">
            <PlanList omitted={omitted} steps={steps} />
          </div>
        ) : null}
      </div>
    </section>
  );
}
