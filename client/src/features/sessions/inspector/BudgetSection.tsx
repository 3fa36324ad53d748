import type { Budget, BudgetUse } from '@agent-console/shared/models/budget';
import { useOperationQuery } from '../../../api/operations.ts';
import { Meter } from '../../../ui/Meter.tsx';
import { BUDGET_LIMITS, LIMITS } from '../../runs/budget-limits.ts';
import { InspectorSection, Property, PropertyList } from './properties.tsx';

/**
 * How much of its budget a session and the sessions that it started have used. Without a budget of the session, the
 * section is shown only if another budget has paused the session.
 */
export function BudgetSection({ sessionId }: { sessionId: string }) {
  const { data } = useOperationQuery('sessions.get', { sessionId });
  const { budget, budgetUsed, pausedBy } = data ?? {};
  if (budget === undefined || budgetUsed === undefined) {
    return pausedBy === 'budget' ? (
      <InspectorSection title="Budget">
        <p className="text-needs">Paused: the budget of the session or run that started this session is used up.</p>
      </InspectorSection>
    ) : null;
  }
  return (
    <InspectorSection title="Budget">
      {pausedBy === 'budget' ? <p className="mb-1 text-needs">Paused: the budget is used up.</p> : null}
      <BudgetMeters budget={budget} used={budgetUsed} />
    </InspectorSection>
  );
}

function BudgetMeters({ budget, used }: { budget: Budget; used: BudgetUse }) {
  return (
    <PropertyList>
      {LIMITS.map((limit) => {
        const { name, format } = BUDGET_LIMITS[limit];
        const allowed = budget[limit];
        if (allowed === undefined) return null;
        const value = used[limit] ?? 0;
        const text = `${format(value)} of ${format(allowed)}`;
        return (
          <Property key={limit} name={name}>
            <span className="flex items-center gap-2 tabular-nums">
              {text}
              <Meter
                className="w-20"
                high={value >= 0.8 * allowed}
                label={`${name}: ${text}`}
                max={allowed}
                value={Math.min(value, allowed)}
              />
            </span>
          </Property>
        );
      })}
    </PropertyList>
  );
}
