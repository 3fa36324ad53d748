import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { PermissionMode } from '@agent-console/shared/models/session';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogRequest } from '../../shell/dialogs.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Field, RadioGroup, TextAreaField, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import { PromptField } from '../../ui/PromptField.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { RepositoryField, useOnlyRepository } from '../repositories/RepositoryField.tsx';
import { AgentField, useAgentChoice } from '../settings/AgentField.tsx';

type Input = RequestOf<'sessions.create'>;

const LOCATIONS = [
  { value: 'worktree', label: 'In a worktree' },
  { value: 'directory', label: 'In a directory' },
] as const;
const MODES = [
  { value: '', label: 'Agent default' },
  ...PermissionMode.options.map((mode) => ({ value: mode, label: mode })),
];
const FIELDS = [
  'worktreeId',
  'cwd',
  'agentId',
  'title',
  'description',
  'permissionMode',
  'permissionCeiling',
  'initialPrompt',
];

/** Starts a session in an existing worktree or any directory. */
export default function StartSessionDialog({
  request,
  onClose,
}: {
  request: Extract<DialogRequest, { kind: 'startSession' }>;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const onlyRepository = useOnlyRepository();
  const [location, setLocation] = useState<'worktree' | 'directory'>('worktree');
  const [chosen, setChosen] = useState(request.repositoryId ?? '');
  const [worktree, setWorktree] = useState(request.worktreeId ?? '');
  const [cwd, setCwd] = useState('');
  const [agentId, setAgent] = useAgentChoice();
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [mode, setMode] = useState('');
  const [ceiling, setCeiling] = useState('');
  const [prompt, setPrompt] = useState('');

  const requested = useOperationQuery(
    'worktrees.get',
    { worktreeId: request.worktreeId ?? '' },
    { enabled: request.worktreeId !== undefined },
  );
  const repositoryId = chosen || (requested.data?.repositoryId ?? onlyRepository);
  const worktrees = useOperationQuery(
    'worktrees.list',
    { repositoryId, limit: PAGE_MAX },
    { enabled: repositoryId !== '' },
  );
  const ready = (worktrees.data?.data ?? []).filter(({ state }) => state === 'ready');
  const worktreeId = ready.some(({ id }) => id === worktree) ? worktree : '';
  const start = useOperationMutation('sessions.create', {
    onSuccess: ({ id }) => {
      onClose();
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
    },
  });
  const { error } = start;
  const issues = issuesOf(error);
  const send = () => {
    const input = filled({ agentId, title, permissionMode: mode, permissionCeiling: ceiling });
    start.mutate({
      ...(location === 'worktree' ? { worktreeId } : { cwd: cwd.trim() }),
      ...(input as Pick<Input, 'agentId' | 'title' | 'permissionMode' | 'permissionCeiling'>),
      ...(description.trim() === '' ? {} : { description }),
      ...(prompt.trim() === '' ? {} : { initialPrompt: prompt }),
    });
  };
  return (
    <FormDialog
      busy={start.isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={FIELDS} />}
      submit="Start session"
      title="Start session"
      width="wide"
    >
      <RadioGroup label="Location" onChange={setLocation} options={LOCATIONS} value={location} />
      {location === 'worktree' ? (
        <div className="grid gap-4 md:grid-cols-2">
          <RepositoryField
            missing={repositoryId === '' ? 'Choose a repository.' : undefined}
            onChange={(id) => {
              setChosen(id);
              setWorktree('');
            }}
            value={repositoryId}
          />
          <Field
            error={issues.worktreeId}
            label="Worktree"
            missing={worktreeId === '' ? 'Choose a worktree.' : undefined}
          >
            {(control) => (
              <Combobox
                {...control}
                onChange={setWorktree}
                options={ready.map(({ id, name, branch }) => ({ value: id, label: name, note: branch ?? 'detached' }))}
                placeholder="Search worktrees"
                value={worktreeId}
              />
            )}
          </Field>
        </div>
      ) : (
        <TextField
          error={issues.cwd}
          hint="The agent works directly in this directory, without a separate worktree."
          label="Directory"
          missing={cwd.trim() === '' ? 'Enter a directory.' : undefined}
          autoFocus
          mono
          onChange={setCwd}
          placeholder="/home/me/notes"
          value={cwd}
        />
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <AgentField error={issues.agentId} onChange={setAgent} value={agentId} />
        <TextField
          error={issues.title}
          label="Title"
          optional
          onChange={setTitle}
          placeholder="Generated from the prompt"
          value={title}
        />
      </div>
      <PromptField
        autoFocus={request.worktreeId !== undefined}
        error={issues.initialPrompt}
        hint="Starts the agent. Without a prompt, the session waits for you."
        label="First prompt"
        onChange={setPrompt}
        optional
        rows={4}
        value={prompt}
      />
      <details>
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text">More options</summary>
        <div className="grid gap-4 pt-3 md:grid-cols-2">
          <SelectField
            error={issues.permissionMode}
            hint="What the agent may do without asking."
            label="Permission mode"
            optional
            onChange={setMode}
            options={MODES}
            value={mode}
          />
          <SelectField
            error={issues.permissionCeiling}
            hint="Highest mode allowed, even if the agent asks for more."
            label="Permission ceiling"
            optional
            onChange={setCeiling}
            options={[{ value: '', label: 'Same as permission mode' }, ...MODES.slice(1)]}
            value={ceiling}
          />
          <div className="md:col-span-2">
            <TextAreaField
              error={issues.description}
              label="Description"
              optional
              onChange={setDescription}
              rows={2}
              value={description}
            />
          </div>
        </div>
      </details>
    </FormDialog>
  );
}
