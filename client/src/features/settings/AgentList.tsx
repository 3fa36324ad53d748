import type { Agent } from '@agent-console/shared/models/agent';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useAgents } from './AgentField.tsx';
import { AgentRow } from './AgentRow.tsx';

const AgentDialog = lazy(() => import('./AgentDialog.tsx'));

/** Built-in and custom agents. */
export function AgentList() {
  const { data, error, isPending } = useAgents();
  const [edited, setEdited] = useState<Agent | 'new'>();
  return (
    <Section
      aside={<Button onClick={() => setEdited('new')}>Add agent</Button>}
      lead="Programs that sessions run. Add any command that runs in a terminal."
      title="Agents"
    >
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {data?.data.map((agent) => (
          <AgentRow agent={agent} key={agent.id} onEdit={() => setEdited(agent)} />
        ))}
      </ul>
      <Suspense>
        {edited === undefined ? null : (
          <AgentDialog onClose={() => setEdited(undefined)} {...(edited === 'new' ? {} : { agent: edited })} />
        )}
      </Suspense>
    </Section>
  );
}
