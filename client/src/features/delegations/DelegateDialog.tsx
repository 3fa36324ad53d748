import type { RequestOf } from '@agent-console/shared/operations/table';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import type { DialogRequest } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Checkbox, Field, TextInput } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/FormProblem.tsx';
import { PromptField } from '../../ui/PromptField.tsx';
import { toast } from '../../ui/toasts.ts';
import { useDraft } from '../../ui/use-draft.ts';
import { BranchField, RepositoryField, useOnlyRepository, useRepositories } from '../repositories/RepositoryField.tsx';
import { AgentField, usePreferredAgent } from '../settings/AgentField.tsx';
import { DelegationProgress, STEPS } from './DelegationProgress.tsx';
import { useNewDelegation } from './new-delegation.ts';

const FIELDS = ['repositoryId', 'prompt', 'agentId', 'baseBranch', 'branch', 'title'];

/** Delegates work to an agent in a new worktree. */
export default function DelegateDialog({
  request,
  onClose,
}: {
  request: Extract<DialogRequest, { kind: 'delegate' }>;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const only = useOnlyRepository();
  const preferred = usePreferredAgent();
  const repositories = useRepositories();
  const [prompt, setPrompt] = useDraft('delegate', request.prompt);
  const [chosen, setChosen] = useState(request.repositoryId ?? '');
  const [agent, setAgent] = useState('');
  const [baseBranch, setBaseBranch] = useState('');
  const [branch, setBranch] = useState('');
  const [title, setTitle] = useState('');
  const [useRemote, setUseRemote] = useState(false);
  const [notify, setNotify] = useState(true);
  const repositoryId = chosen || only;
  const agentId = agent || preferred;
  const defaultBranch = repositories.data?.data.find(({ id }) => id === repositoryId)?.defaultBranch;

  const arrive = (sessionId: string, warnings: readonly string[]) => {
    setPrompt('');
    onClose();
    if (warnings.length > 0) toast({ kind: 'plain', title: 'Delegated', text: warnings.join(' ') });
    void navigate({ to: '/sessions/$sessionId', params: { sessionId } });
  };
  const create = useOperationMutation('delegations.create', {
    onSuccess: ({ state, sessionId, warnings }) => {
      if (state === 'prompting') arrive(sessionId, warnings);
    },
  });
  const underway = useNewDelegation(create.isPending);

  if (create.data?.state === 'preparing') {
    const { delegationId, sessionId } = create.data;
    return (
      <DelegationProgress
        delegationId={delegationId}
        onBack={() => create.reset()}
        onClose={onClose}
        onReady={(warnings) => arrive(sessionId, warnings)}
      />
    );
  }

  const { error } = create;
  const issues = issuesOf(error);
  const failed = error?.details.failedStep;
  const isUnknownHere = error?.code === 'NOT_FOUND' && baseBranch.trim() !== '' && !useRemote;
  const send = (fetches = useRemote) => {
    const input: RequestOf<'delegations.create'> = {
      prompt,
      repositoryId,
      useRemote: fetches,
      notifyOnCompletion: notify,
    };
    const given = { agentId, baseBranch: baseBranch.trim(), branch: branch.trim(), title: title.trim() };
    for (const [name, value] of Object.entries(given)) if (value !== '') Object.assign(input, { [name]: value });
    create.mutate(input);
  };
  return (
    <FormDialog
      busy={create.isPending}
      hint={
        create.isPending ? (
          <span role="status">{underway === undefined ? 'Delegating…' : `${STEPS[underway.state]}…`}</span>
        ) : null
      }
      onClose={onClose}
      onSubmit={() => send()}
      problem={
        <div className="contents">
          {typeof failed === 'string' && failed in STEPS ? (
            <p className="text-failed">
              Failed while {STEPS[failed as keyof typeof STEPS].toLowerCase()}. All changes were undone.
            </p>
          ) : null}
          <FormProblem error={error} fields={FIELDS}>
            {isUnknownHere ? (
              <Button
                onClick={() => {
                  setUseRemote(true);
                  send(true);
                }}
              >
                Fetch from origin
              </Button>
            ) : null}
          </FormProblem>
        </div>
      }
      submit="Delegate"
      title="Delegate work"
      width="wide"
    >
      <PromptField
        autoFocus
        error={issues.prompt}
        hint="Include all context: the agent starts in a new worktree and sees only this prompt."
        missing={prompt.trim() === '' ? 'Enter a prompt.' : undefined}
        onChange={setPrompt}
        rows={7}
        value={prompt}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <RepositoryField
          error={issues.repositoryId}
          missing={repositoryId === '' ? 'Choose a repository.' : undefined}
          onChange={setChosen}
          value={repositoryId}
        />
        <AgentField error={issues.agentId} onChange={setAgent} value={agentId} />
        <BranchField
          error={issues.baseBranch}
          label="Base branch"
          onChange={setBaseBranch}
          optional
          placeholder={defaultBranch === undefined ? 'Default branch' : `${defaultBranch} (default)`}
          repositoryId={repositoryId}
          value={baseBranch}
        />
        <Field error={issues.branch} label="New branch" optional>
          {(control) => (
            <TextInput
              {...control}
              mono
              onChange={(event) => setBranch(event.target.value)}
              placeholder="Generated from the prompt"
              value={branch}
            />
          )}
        </Field>
      </div>
      <details className="group">
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text">More options</summary>
        <div className="flex flex-col gap-4 pt-3">
          <Field error={issues.title} label="Title" optional>
            {(control) => (
              <TextInput
                {...control}
                onChange={(event) => setTitle(event.target.value)}
                placeholder="Generated from the prompt"
                value={title}
              />
            )}
          </Field>
          <Checkbox
            checked={useRemote}
            hint="Use the latest base from origin. Also finds pull requests (pull/123/head)."
            label="Fetch from origin first"
            onChange={setUseRemote}
          />
          <Checkbox
            checked={notify}
            hint="Sends a notice to the calling session. Your inbox shows the result either way."
            label="Notify the calling session when it ends"
            onChange={setNotify}
          />
        </div>
      </details>
    </FormDialog>
  );
}
