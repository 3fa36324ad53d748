import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { stateWord } from './states.ts';

/** Maximum agents named per state in an announcement. If there are more, only their number is announced. */
const NAMED_MAX = 3;

/** Returns a text about the states that changed between two versions of a run; empty if no state changed. */
export function describeChanges(before: OrchestrationStatus, after: OrchestrationStatus): string {
  if (before.id !== after.id) return '';
  const old = new Map(before.agents.map(({ agentId, state }) => [agentId, state]));
  const byWord = new Map<string, string[]>();
  for (const { agentId, state } of after.agents) {
    const known = old.get(agentId);
    if (known === state) continue;
    const word = known === undefined ? 'added' : stateWord(state);
    byWord.set(word, [...(byWord.get(word) ?? []), agentId]);
  }
  const parts = [...byWord].map(([word, names]) =>
    names.length > NAMED_MAX ? `${names.length} agents ${word}` : `${names.join(', ')} ${word}`,
  );
  if (before.state !== after.state) parts.push(`Run ${stateWord(after.state)}`);
  return parts.join('. ');
}
