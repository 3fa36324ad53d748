import type { Agent } from '@agent-console/shared/models/agent';
import { lazy, Suspense, useState } from 'react';
import { useAction } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { missing, useAgents } from './AgentField.tsx';

const AgentDialog = lazy(() => import('./AgentDialog.tsx'));

/** Agent definitions: which can be run here, and those people made. */
export function AgentList() {
  const { data, error, isPending } = useAgents();
  const [edited, setEdited] = useState<Agent | 'new'>();
  return (
    <Section
      aside={<Button onClick={() => setEdited('new')}>Add agent</Button>}
      lead="Programs that sessions run. Your own are any command that talks in a terminal."
      title="Agents"
    >
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {data?.data.map((agent) => (
          <Row agent={agent} key={agent.id} onEdit={() => setEdited(agent)} />
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

function Row({ agent: { id, name, command, builtIn, installed }, onEdit }: { agent: Agent; onEdit(): void }) {
  const [sure, setSure] = useState(false);
  const remove = useAction('agents.remove');
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <span className="truncate font-medium">{name}</span>
            <span className="font-mono text-sm text-quiet">{id}</span>
            <span className={`text-sm ${installed ? 'text-quiet' : 'text-needs'}`}>
              {installed ? 'installed' : missing(command)}
            </span>
          </div>
          <p className="truncate font-mono text-sm text-quiet">
            {command.length === 0 ? 'comes with the console' : command.join(' ')}
          </p>
        </div>
        {builtIn ? null : (
          <div className="flex gap-1.5">
            {sure ? (
              <>
                <Button onClick={() => setSure(false)}>Keep</Button>
                <Button busy={remove.isPending} kind="danger" onClick={() => remove.mutate({ id })}>
                  Remove
                </Button>
              </>
            ) : (
              <>
                <Button onClick={onEdit}>Edit</Button>
                <Button onClick={() => setSure(true)}>Remove…</Button>
              </>
            )}
          </div>
        )}
      </div>
      <Problem error={remove.error} />
    </li>
  );
}
