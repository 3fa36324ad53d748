import type { OrchestrationPlan } from '@agent-console/shared/models/orchestration-definition';
import { pluralize } from '@agent-console/shared/pluralize';
import { useEffect, useRef } from 'react';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { modeName } from '../sessions/inspector/permission-modes.ts';

/** The plan of a run from a definition: stages, agents with their permissions and tasks, worktrees and limits. */
export function PlanView({ plan }: { plan: OrchestrationPlan }) {
  const { agents, stages, worktrees, limits, strategy, base, integrateInto } = plan;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    void box.current?.scrollIntoView({ block: 'start' });
  }, []);
  const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
  return (
    <section ref={box} aria-label="Plan" className="flex flex-col gap-3 rounded-lg border border-line bg-sunken p-3">
      <p>
        <span className="font-semibold">{pluralize(agents.length, 'agent')}</span>, {strategy}, in{' '}
        {pluralize(worktrees, 'new worktree')} from <UntrustedText className="font-mono text-sm" text={base} />
        {integrateInto === null ? null : (
          <>
            ; the work of the agents is combined into{' '}
            <UntrustedText className="font-mono text-sm" text={integrateInto} />
          </>
        )}
        .
      </p>
      <UntrustedBlock className="max-h-30 overflow-y-auto" text={plan.objective} />
      {limits.length === 0 ? null : (
        <ul className="text-needs">
          {limits.map((limit) => (
            <li key={limit}>▲ {limit}</li>
          ))}
        </ul>
      )}
      <ol className="flex flex-col gap-3">
        {stages.map((names, index) => (
          <li key={names.join(' ')}>
            <h3 className="text-sm font-semibold text-quiet">{`Stage ${index + 1}`}</h3>
            <ul className="divide-y divide-line rounded-md border border-line bg-bg">
              {names.map((name) => {
                const agent = byId.get(name);
                return agent === undefined ? null : (
                  <li key={name}>
                    <details className="px-2.5 py-1">
                      <summary className="cursor-pointer max-md:py-2.5">
                        <span className="inline-flex max-w-[calc(100%-1rem)] items-baseline gap-2 align-top">
                          <UntrustedLine className="font-medium" text={name} />
                          <UntrustedLine
                            className="text-sm text-quiet"
                            text={[
                              ...(name.startsWith(agent.role) ? [] : [agent.role]),
                              agent.agent,
                              modeName(agent.permissionMode),
                            ].join(' · ')}
                          />
                        </span>
                      </summary>
                      <UntrustedBlock className="max-h-60 overflow-y-auto py-1 text-sm" text={agent.task} />
                    </details>
                  </li>
                );
              })}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}
