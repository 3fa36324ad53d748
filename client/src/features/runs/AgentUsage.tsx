import type { OrchestrationAgent } from '@agent-console/shared/models/orchestration';
import { useOperationQuery } from '../../api/operations.ts';
import { useNow } from '../../ui/Age.tsx';
import { elapsedMs, formatDuration, formatTokens } from './durations.ts';

/** How long an agent has run. */
export function AgentTime({ agent }: { agent: Pick<OrchestrationAgent, 'startedAt' | 'completedAt'> }) {
  const elapsed = elapsedMs(agent, useNow());
  return elapsed === undefined ? null : <span className="whitespace-nowrap">{formatDuration(elapsed)}</span>;
}

/** Tokens of an agent's latest task without cached ones; nothing if the agent reports none. */
export function AgentTokens({ taskId, suffix = '' }: { taskId: string | null; suffix?: string }) {
  const { data } = useOperationQuery('tasks.get', { taskId: taskId ?? '' }, { enabled: taskId !== null });
  const usage = data?.usage ?? null;
  if (usage === null) return null;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  const count = (value: number) => value.toLocaleString('en');
  return (
    <span
      className="whitespace-nowrap"
      title={`${count(inputTokens)} in, ${count(outputTokens)} out, ${count(cacheReadTokens)} from the cache`}
    >
      {formatTokens(inputTokens + outputTokens)}
      {suffix}
    </span>
  );
}
