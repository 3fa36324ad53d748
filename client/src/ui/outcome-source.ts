import type { OutcomeSource } from '@agent-console/shared/models/task';

const SENTENCES: Record<OutcomeSource, string> = {
  report: 'reported by the agent',
  protocol: "reported through the agent's protocol",
  exit: "derived from how the agent's process ended",
  person: 'set by a person',
  system: 'set by the console',
  hook: "reported by the agent's hook",
  title: 'read from the terminal title',
  screen: "read from the agent's screen",
  transcript: "read from the agent's transcript",
};

/**
 * Says how the outcome of a task is known, e.g. `reported by the agent, certain`. A source that this dashboard does not
 * know, sent by a newer console, is shown unchanged.
 */
export function describeSource(source: string, certain: boolean | null): string {
  const sentences: Readonly<Record<string, string>> = SENTENCES;
  const sure = certain === null ? '' : certain ? ', certain' : ', uncertain';
  return `${sentences[source] ?? source}${sure}`;
}
