import type { RequestOf } from '@agent-console/shared/operations/table';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { type DialogRequest, openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Checkbox, RadioGroup, TextField } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import { ProgressDialog } from '../../ui/Progress.tsx';
import { PromptField } from '../../ui/PromptField.tsx';
import { UntrustedBlock, UntrustedText } from '../../ui/UntrustedText.tsx';
import { BranchField, useRepositories } from '../repositories/RepositoryField.tsx';
import { AgentField, useAgentChoice } from '../settings/AgentField.tsx';
import { JobProgress } from './JobProgress.tsx';

/** `either` is not offered, because the dialog shows existing branches and users choose explicitly. */
type Mode = Exclude<RequestOf<'worktrees.create'>['mode'], 'either'>;

const MODES = [
  { value: 'custom', label: 'New branch' },
  { value: 'prompt', label: 'Branch from prompt' },
  { value: 'existing', label: 'Existing branch' },
] as const satisfies readonly { value: Mode; label: string }[];

/** Creates a worktree, optionally with a session. */
export default function CreateWorktreeDialog({
  request: { repositoryId },
  onClose,
}: {
  request: Extract<DialogRequest, { kind: 'createWorktree' }>;
  onClose(): void;
}) {
  const repositories = useRepositories();
  const [mode, setMode] = useState<Mode>('custom');
  const [branch, setBranch] = useState('');
  const [prompt, setPrompt] = useState('');
  const [baseBranch, setBaseBranch] = useState('');
  const [useRemote, setUseRemote] = useState(false);
  const [start, setStart] = useState(true);
  const [agentId, setAgent] = useAgentChoice();
  const [title, setTitle] = useState('');
  const create = useOperationMutation('worktrees.create');
  const repository = repositories.data?.data.find(({ id }) => id === repositoryId);
  if (create.data !== undefined) {
    return <Creating jobId={create.data.jobId} onBack={() => create.reset()} onClose={onClose} />;
  }

  const { error } = create;
  const issues = issuesOf(error);
  const send = () => {
    const input: RequestOf<'worktrees.create'> = { repositoryId, mode, useRemote, autoStartSession: start };
    if (mode !== 'existing' && baseBranch.trim() !== '') input.baseBranch = baseBranch.trim();
    if (mode !== 'prompt') input.branch = branch.trim();
    if (prompt.trim() !== '' && (mode === 'prompt' || start)) input.prompt = prompt;
    if (start && agentId !== '') input.agentId = agentId;
    if (start && title.trim() !== '') input.title = title.trim();
    create.mutate(input);
  };
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={['branch', 'prompt', 'baseBranch', 'agentId', 'title']} />}
      submit="Create worktree"
      title={`New worktree${repository === undefined ? '' : ` in ${isolateText(repository.name)}`}`}
      width="wide"
    >
      <RadioGroup label="Branch" onChange={setMode} options={MODES} value={mode} />
      {mode === 'custom' ? (
        <TextField
          error={issues.branch}
          label="New branch"
          missing={branch.trim() === '' ? 'Enter a branch name.' : undefined}
          autoFocus
          mono
          onChange={setBranch}
          placeholder="fix/checkout-total"
          value={branch}
        />
      ) : null}
      {mode === 'existing' ? (
        <BranchField
          error={issues.branch}
          hint="A branch that is not checked out."
          label="Branch"
          missing={branch.trim() === '' ? 'Choose a branch.' : undefined}
          onChange={setBranch}
          repositoryId={repositoryId}
          value={branch}
        />
      ) : (
        <BranchField
          error={issues.baseBranch}
          label="Base branch"
          onChange={setBaseBranch}
          optional
          placeholder={repository === undefined ? 'Default branch' : `${repository.defaultBranch} (default)`}
          repositoryId={repositoryId}
          value={baseBranch}
        />
      )}
      <Checkbox checked={useRemote} label="Fetch from origin first" onChange={setUseRemote} />
      <Checkbox checked={start} label="Start a session" onChange={setStart} />
      {start ? (
        <div className="grid gap-4 md:grid-cols-2">
          <AgentField error={issues.agentId} onChange={setAgent} value={agentId} />
          <TextField
            error={issues.title}
            label="Title"
            optional
            onChange={setTitle}
            placeholder="Generated from the prompt or branch"
            value={title}
          />
        </div>
      ) : null}
      {mode === 'prompt' || start ? (
        <PromptField
          error={issues.prompt}
          hint={
            mode === 'prompt'
              ? start
                ? 'Names the branch and is sent to the agent.'
                : 'Names the branch.'
              : 'Sent to the agent when the session starts.'
          }
          missing={mode === 'prompt' && prompt.trim() === '' ? 'Enter a prompt.' : undefined}
          onChange={setPrompt}
          optional={mode !== 'prompt'}
          rows={4}
          value={prompt}
        />
      ) : null}
    </FormDialog>
  );
}

/** Progress of the job that creates the worktree. */
function Creating({ jobId, onBack, onClose }: { jobId: string; onBack(): void; onClose(): void }) {
  const navigate = useNavigate();
  const [end, setEnd] = useState<{ worktreeId?: string; path?: string; warnings: readonly string[] }>();
  const createdId = end?.worktreeId;
  return (
    <ProgressDialog
      actions={
        createdId === undefined ? null : (
          <Button kind="primary" onClick={() => openDialog({ kind: 'startSession', worktreeId: createdId })}>
            Start session
          </Button>
        )
      }
      onBack={onBack}
      onClose={onClose}
      state={end === undefined ? 'running' : createdId === undefined ? 'failed' : 'done'}
      title="New worktree"
    >
      {createdId === undefined ? (
        <JobProgress
          jobId={jobId}
          label="Creating the worktree"
          onEnd={({ result = {} }) => {
            const { worktreeId, worktreePath, sessionId, warnings } = result as Record<string, unknown>;
            if (typeof sessionId === 'string') {
              onClose();
              void navigate({ to: '/sessions/$sessionId', params: { sessionId } });
              return;
            }
            setEnd({
              ...(typeof worktreeId === 'string' ? { worktreeId } : {}),
              ...(typeof worktreePath === 'string' ? { path: worktreePath } : {}),
              warnings: Array.isArray(warnings) ? warnings.map(String) : [],
            });
          }}
        />
      ) : (
        <p role="status">
          The worktree is ready at <UntrustedText className="break-all font-mono text-sm" text={end?.path ?? ''} />.
        </p>
      )}
      {end?.warnings.map((warning) => (
        <UntrustedBlock className="text-needs" key={warning} text={warning} />
      ))}
    </ProgressDialog>
  );
}
