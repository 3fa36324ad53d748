import type { Orchestration } from '@agent-console/shared/models/orchestration';
import { pluralize } from '@agent-console/shared/pluralize';

/** Bar with two segments: the completed agents and the failed agents of a run. */
export function RunBar(props: {
  run: Pick<Orchestration, 'agentCount' | 'completedAgents' | 'failedAgents' | 'state'>;
  className: string;
}) {
  const { run, className } = props;
  const { agentCount, completedAgents, failedAgents } = run;
  const part = (count: number) => `${(count / Math.max(agentCount, 1)) * 100}%`;
  return (
    <span
      aria-label={describeCounts(run)}
      className={`flex h-1.5 overflow-hidden rounded-full bg-line ${className}`}
      role="img"
      title={describeCounts(run)}
    >
      <span
        className={run.state === 'completed' ? 'bg-added' : 'bg-accent'}
        style={{ width: part(agentCount === 0 && run.state === 'completed' ? 1 : completedAgents) }}
      />
      <span className="bg-failed" style={{ width: part(failedAgents) }} />
    </span>
  );
}

/** Returns a text such as `3 of 10 agents completed, 1 failed`. */
function describeCounts({ agentCount, completedAgents, failedAgents }: Parameters<typeof RunBar>[0]['run']): string {
  const completed = `${completedAgents} of ${pluralize(agentCount, 'agent')} completed`;
  return failedAgents === 0 ? completed : `${completed}, ${failedAgents} failed`;
}
