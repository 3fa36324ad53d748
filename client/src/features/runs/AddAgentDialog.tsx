import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { AgentFields } from './AgentFields.tsx';
import { emptyDraft, namesOf, specsOf } from './agent-drafts.ts';
import { showRun } from './run-actions.ts';

export default function AddAgentDialog({ request: { runId }, onClose }: DialogBodyProps<'addAgent'>) {
  const { data: run } = useOperationQuery('orchestrations.get', { orchestrationId: runId });
  const agents = run?.agents ?? [];
  const lastStage = Math.max(0, ...agents.map(({ stage }) => stage));
  const [entered, setDraft] = useState(() => ({ ...emptyDraft(), stage: '' }));
  const draft = { ...entered, stage: entered.stage || String(lastStage + 1) };
  const add = useOperationMutation('orchestrations.addAgents', {
    onSuccess: (status) => {
      showRun(status);
      onClose();
    },
  });
  const strategy = run?.strategy ?? 'parallel';
  const taken = agents.map(({ agentId }) => agentId);
  return (
    <FormDialog
      busy={add.isPending}
      onClose={onClose}
      onSubmit={() => add.mutate({ orchestrationId: runId, agents: specsOf([draft], strategy, taken) })}
      problem={<Problem error={add.error} />}
      submit="Add agent"
      title="Add an agent"
      width="wide"
    >
      <AgentFields
        defaultName={namesOf([draft], taken).get(draft.key) ?? ''}
        draft={draft}
        onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
        others={taken.map((name) => ({ id: name, name }))}
        strategy={strategy}
      />
    </FormDialog>
  );
}
