import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, RadioGroup, TextAreaField, TextField } from '../../ui/Field.tsx';
import { FormProblem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { removeSent, unsentPart, useDraft } from '../../ui/use-draft.ts';
import { useForm } from '../../ui/use-form.ts';
import { BaseBranchField } from '../repositories/RepositoryField.tsx';
import { AgentFields } from './AgentFields.tsx';
import { type AgentDraft, emptyDraft, namesOf, specsOf } from './agent-drafts.ts';
import type { RunForm, RunHandlers } from './run-form.ts';

const STRATEGIES = [
  { value: 'parallel', label: 'Parallel' },
  { value: 'sequential', label: 'Sequential' },
  { value: 'adaptive', label: 'Adaptive' },
  { value: 'pipeline', label: 'Pipeline' },
] as const;

const EXPLANATIONS: Record<OrchestrationStrategy, string> = {
  parallel: 'All agents run at the same time.',
  sequential:
    'Agents run one after another, in the order below. No agent receives the results of others. To pass on results, choose Adaptive or Pipeline.',
  adaptive: 'Each agent starts when the agents that it waits for have completed, and receives their results.',
  pipeline:
    'The agents of a stage start when all agents of the previous stage have ended, and receive the results of all earlier stages.',
};

const EMPTY = { baseBranch: '', maxConcurrent: '', into: '', isolation: 'own', onFailure: 'continue' };

/** Name under which the unsent objective is stored. */
const DRAFT = 'run';

/** Form for a run whose agents are entered one by one. */
export function useOwnRun(repositoryId: string, startsNow: boolean, handlers: RunHandlers): RunForm {
  const [objective, setObjective] = useDraft(DRAFT);
  const [strategy, setStrategy] = useState<OrchestrationStrategy>('parallel');
  const [drafts, setDrafts] = useState<readonly AgentDraft[]>(() => [emptyDraft()]);
  const [check, setCheck] = useState(false);
  const [resolve, setResolve] = useState(false);
  const create = useOperationMutation('orchestrations.create', {
    onSuccess: (run, sent) => {
      setObjective(unsentPart(objective, sent.objective));
      handlers.onCreated(run);
    },
    onLateSuccess: (run, sent) => {
      removeSent(DRAFT, sent.objective);
      handlers.onCreatedLate(run);
    },
    onLateError: handlers.onLateError,
  });
  const { error } = create;
  const { values, names, issues, field } = useForm(EMPTY, error);
  const agentNames = namesOf(drafts);
  const change = (key: string, part: Partial<AgentDraft>) =>
    setDrafts((before) => before.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const remove = (key: string) =>
    setDrafts((before) =>
      before
        .filter((each) => each.key !== key)
        .map((each) => ({ ...each, after: each.after.filter((other) => other !== key) })),
    );
  const send = () => {
    const { baseBranch, maxConcurrent, into, isolation, onFailure } = values;
    create.mutate({
      objective,
      strategy,
      repositoryId,
      isolation: isolation === 'shared' ? 'shared' : 'own',
      onFailure: onFailure === 'fail_fast' ? 'fail_fast' : 'continue',
      start: startsNow,
      agents: specsOf(drafts, strategy),
      ...(baseBranch.trim() === '' ? {} : { baseBranch: baseBranch.trim() }),
      ...(maxConcurrent === '' ? {} : { maxConcurrent: Number(maxConcurrent) }),
      ...(into.trim() === '' ? {} : { integrate: { into: into.trim(), check, resolve } }),
    });
  };
  const fields = (
    <>
      <TextAreaField
        autoFocus
        error={issues.objective}
        hint="What the agents are to achieve together. Every agent sees the objective in addition to its own task."
        label="Objective"
        missing={objective.trim() === '' ? 'Enter an objective.' : undefined}
        onChange={setObjective}
        rows={3}
        value={objective}
      />
      <div className="flex flex-col gap-1">
        <span aria-hidden className="font-medium">
          Strategy
        </span>
        <RadioGroup label="Strategy" onChange={setStrategy} options={STRATEGIES} value={strategy} />
        <p aria-live="polite" className="text-sm text-quiet">
          {EXPLANATIONS[strategy]}
        </p>
      </div>
      {drafts.map((draft, index) => (
        <AgentFields
          defaultName={agentNames.get(draft.key) ?? ''}
          draft={draft}
          key={draft.key}
          number={index + 1}
          onChange={(part) => change(draft.key, part)}
          onRemove={drafts.length > 1 ? () => remove(draft.key) : undefined}
          others={drafts
            .filter(({ key }) => key !== draft.key)
            .map(({ key }) => ({ id: key, name: agentNames.get(key) ?? '' }))}
          strategy={strategy}
        />
      ))}
      <Button
        className="self-start"
        onClick={() => setDrafts([...drafts, emptyDraft(Number(drafts.at(-1)?.stage ?? 0) + 1)])}
      >
        Add agent
      </Button>
      <details>
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text max-md:py-2.5">
          More options
        </summary>
        <div className="flex flex-col gap-4 pt-3">
          <div className="grid gap-4 md:grid-cols-2">
            <BaseBranchField {...field('baseBranch')} repositoryId={repositoryId} />
            <TextField
              {...field('maxConcurrent')}
              label="Maximum concurrent agents"
              min={1}
              optional
              placeholder="No limit"
              type="number"
            />
            <SelectField
              {...field('isolation')}
              label="Worktrees"
              options={[
                { value: 'own', label: 'One worktree for each agent' },
                { value: 'shared', label: 'One worktree for all agents' },
              ]}
            />
            <SelectField
              {...field('onFailure')}
              label="If an agent fails"
              options={[
                { value: 'continue', label: 'Continue agents that do not depend on the failed one' },
                { value: 'fail_fast', label: 'Cancel all other agents' },
              ]}
            />
          </div>
          <TextField
            {...field('into')}
            hint="At the end, a branch of this name receives the work of all agents. The base branch is never changed."
            label="Combine the branches into"
            mono
            optional
            placeholder="integration/checkout"
          />
          {values.into.trim() === '' ? null : (
            <>
              <Checkbox checked={check} label="Run the check command on the combined branch" onChange={setCheck} />
              <Checkbox checked={resolve} label="Have an agent resolve conflicts" onChange={setResolve} />
            </>
          )}
        </div>
      </details>
    </>
  );
  return {
    fields,
    submit: startsNow ? 'Start run' : 'Create run',
    isBusy: create.isPending,
    problem: <FormProblem error={error} fields={[...names, 'objective']} />,
    send,
  };
}
