import type { RequestOf } from '@agent-console/shared/operations/table';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { type DialogBodyProps, openDialog } from '../../shell/dialogs.ts';
import { FormDialog, MainButton } from '../../ui/Dialog.tsx';
import { Checkbox, RadioGroup, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { ProgressDialog } from '../../ui/Progress.tsx';
import { PromptField } from '../../ui/PromptField.tsx';
import { toast } from '../../ui/toasts.ts';
import { UntrustedBlock, UntrustedText } from '../../ui/UntrustedText.tsx';
import { useForm } from '../../ui/use-form.ts';
import { BaseBranchField, BranchField, useRepositories } from '../repositories/RepositoryField.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { AgentField, useAgentId } from '../settings/AgentField.tsx';
import { McpServerChoice } from '../settings/McpServerChoice.tsx';
import { JobProgress } from './JobProgress.tsx';
import { type LateEnd, lateHandlers } from './late-job.ts';

/**
 * The mode `either` (an existing branch, otherwise a new one) is not offered, because the dialog shows which branches
 * exist.
 */
type Mode = Exclude<RequestOf<'worktrees.create'>['mode'], 'either'>;

const MODES = [
  { value: 'custom', label: 'New branch' },
  { value: 'prompt', label: 'New branch, named after a prompt' },
  { value: 'existing', label: 'Existing branch' },
] as const satisfies readonly { value: Mode; label: string }[];

const EMPTY = { branch: '', prompt: '', baseBranch: '', agentId: '', title: '' };

export default function CreateWorktreeDialog({
  request: { repositoryId, baseBranch = '' },
  onClose,
}: DialogBodyProps<'createWorktree'>) {
  const repositories = useRepositories();
  const [mode, setMode] = useState<Mode>('custom');
  const [useRemote, setUseRemote] = useState(false);
  const [start, setStart] = useState(true);
  const [mcpServerIds, setMcpServerIds] = useState<readonly string[]>([]);
  const openSession = useOpenSession();
  const late: LateEnd = {
    failure: 'Could not create the worktree',
    announce(result) {
      const { branch, sessionId, warnings } = createdBy(result);
      toast({
        kind: 'plain',
        title: `Worktree created${branch === undefined ? '' : `: ${isolateText(branch)}`}`,
        ...(warnings.length === 0 ? {} : { text: isolateText(warnings.join(' ')) }),
        ...(sessionId === undefined ? {} : { action: { label: 'Open', run: () => openSession(sessionId) } }),
      });
    },
  };
  const create = useOperationMutation('worktrees.create', lateHandlers(late));
  const { error } = create;
  const { values, names, field } = useForm({ ...EMPTY, baseBranch }, error);
  const agentId = useAgentId(values.agentId);
  const repository = repositories.data?.data.find(({ id }) => id === repositoryId);
  if (create.data !== undefined) {
    return <Creating jobId={create.data.jobId} late={late} onBack={() => create.reset()} onClose={onClose} />;
  }

  const send = () => {
    const { branch, prompt, title } = values;
    create.mutate({
      repositoryId,
      mode,
      useRemote,
      autoStartSession: start,
      ...(mode === 'existing' ? {} : filled({ baseBranch: values.baseBranch })),
      ...(mode === 'prompt' ? {} : { branch: branch.trim() }),
      ...(prompt.trim() !== '' && (mode === 'prompt' || start) ? { prompt } : {}),
      ...(start ? filled({ agentId, title }) : {}),
      ...(start && mcpServerIds.length > 0 ? { mcpServerIds: [...mcpServerIds] } : {}),
    });
  };
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={names} />}
      submit="Create worktree"
      title={`New worktree${repository === undefined ? '' : ` in ${isolateText(repository.name)}`}`}
      width="wide"
    >
      <RadioGroup label="Branch" onChange={setMode} options={MODES} value={mode} />
      {mode === 'custom' ? (
        <TextField
          {...field('branch', 'Enter a branch name.')}
          label="New branch"
          autoFocus
          mono
          placeholder="fix/checkout-total"
        />
      ) : null}
      {mode === 'existing' ? (
        <BranchField
          {...field('branch', 'Choose a branch.')}
          hint="A branch that no worktree has checked out."
          label="Branch"
          repositoryId={repositoryId}
        />
      ) : (
        <BaseBranchField {...field('baseBranch')} repositoryId={repositoryId} />
      )}
      <Checkbox checked={useRemote} label="Fetch from origin first" onChange={setUseRemote} />
      <Checkbox checked={start} label="Start a session" onChange={setStart} />
      {start ? (
        <div className="grid gap-4 md:grid-cols-2">
          <AgentField {...field('agentId')} value={agentId} />
          <TextField {...field('title')} label="Title" optional placeholder="Generated from the prompt or branch" />
          <McpServerChoice onChange={setMcpServerIds} value={mcpServerIds} />
        </div>
      ) : null}
      {mode === 'prompt' || start ? (
        <PromptField
          {...field('prompt', mode === 'prompt' ? 'Enter a prompt.' : undefined)}
          hint={
            mode === 'prompt'
              ? start
                ? 'The branch is named after the prompt. The prompt is then sent to the agent.'
                : 'The branch is named after the prompt.'
              : 'The prompt is sent to the agent when the session starts.'
          }
          optional={mode !== 'prompt'}
          rows={4}
        />
      ) : null}
    </FormDialog>
  );
}

/** Returns the fields of the result of a job that created a worktree. */
function createdBy({ worktreeId, worktreePath, branch, sessionId, warnings }: Readonly<Record<string, unknown>>) {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    worktreeId: text(worktreeId),
    path: text(worktreePath),
    branch: text(branch),
    sessionId: text(sessionId),
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  };
}

/** Progress of the job that creates the worktree. */
function Creating(props: { jobId: string; late: LateEnd; onBack(): void; onClose(): void }) {
  const { jobId, late, onBack, onClose } = props;
  const openSession = useOpenSession();
  const [end, setEnd] = useState<ReturnType<typeof createdBy>>();
  const createdId = end?.worktreeId;
  return (
    <ProgressDialog
      actions={
        createdId === undefined ? null : (
          <MainButton onClick={() => openDialog({ kind: 'startSession', worktreeId: createdId })}>
            Start session
          </MainButton>
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
          late={late}
          onEnd={({ result = {} }) => {
            const created = createdBy(result);
            if (created.sessionId === undefined) return setEnd(created);
            onClose();
            openSession(created.sessionId);
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
