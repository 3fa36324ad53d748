import type { OrchestrationAgent } from '@agent-console/shared/models/orchestration';
import { useNow } from '../../ui/Age.tsx';
import { elapsedMs, formatDuration, formatTokens } from './durations.ts';

/** How long an agent has run. */
export function AgentTime({ agent }: { agent: Pick<OrchestrationAgent, 'startedAt' | 'completedAt'> }) {
  const elapsed = elapsedMs(agent, useNow());
  return elapsed === undefined ? null : <span className="whitespace-nowrap">{formatDuration(elapsed)}</span>;
}

/** Tokens that an agent has used, excluding cached tokens. Renders nothing if the agent reports no usage. */
export function AgentTokens({ usage, suffix = '' }: Pick<OrchestrationAgent, 'usage'> & { suffix?: string }) {
  if (usage === null) return null;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  const count = (value: number) => value.toLocaleString('en');
  return (
    <span
      className="whitespace-nowrap"
      title={`${count(inputTokens)} input tokens, ${count(outputTokens)} output tokens, ${count(cacheReadTokens)} tokens read from the cache`}
    >
      {formatTokens(inputTokens + outputTokens)}
      {suffix}
    </span>
  );
}
