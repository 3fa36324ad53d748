import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { PermissionMode } from '@agent-console/shared/models/session';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogRequest } from '../../shell/dialogs.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Choice, Field, TextArea, TextInput } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/FormProblem.tsx';
import { PromptField } from '../../ui/PromptField.tsx';
import { Select } from '../../ui/Select.tsx';
import { RepositoryField, useOnlyRepository } from '../repositories/RepositoryField.tsx';
import { AgentField, usePreferredAgent } from '../settings/AgentField.tsx';

type Input = RequestOf<'sessions.create'>;

const PAGES = [
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
  const only = useOnlyRepository();
  const preferred = usePreferredAgent();
  const [place, setPlace] = useState<'worktree' | 'directory'>('worktree');
  const [chosen, setChosen] = useState(request.repositoryId ?? '');
  const [worktree, setWorktree] = useState(request.worktreeId ?? '');
  const [cwd, setCwd] = useState('');
  const [agent, setAgent] = useState('');
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [mode, setMode] = useState('');
  const [ceiling, setCeiling] = useState('');
  const [prompt, setPrompt] = useState('');

  const given = useOperationQuery(
    'worktrees.get',
    { worktreeId: request.worktreeId ?? '' },
    { enabled: request.worktreeId !== undefined },
  );
  const repositoryId = chosen || (given.data?.repositoryId ?? only);
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
    const input: Input = place === 'worktree' ? { worktreeId } : { cwd: cwd.trim() };
    if (agent || preferred) input.agentId = agent || preferred;
    if (title.trim() !== '') input.title = title.trim();
    if (description.trim() !== '') input.description = description;
    if (mode !== '') input.permissionMode = mode as PermissionMode;
    if (ceiling !== '') input.permissionCeiling = ceiling as PermissionMode;
    if (prompt.trim() !== '') input.initialPrompt = prompt;
    start.mutate(input);
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
      <Choice label="Location" onChange={setPlace} options={PAGES} value={place} />
      {place === 'worktree' ? (
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
        <Field
          error={issues.cwd}
          hint="The agent works directly in this directory, without a separate worktree."
          label="Directory"
          missing={cwd.trim() === '' ? 'Enter a directory.' : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              mono
              onChange={(event) => setCwd(event.target.value)}
              placeholder="/home/me/notes"
              value={cwd}
            />
          )}
        </Field>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <AgentField error={issues.agentId} onChange={setAgent} value={agent || preferred} />
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
          <Field
            error={issues.permissionMode}
            hint="What the agent may do without asking."
            label="Permission mode"
            optional
          >
            {(control) => <Select {...control} onChange={setMode} options={MODES} value={mode} />}
          </Field>
          <Field
            error={issues.permissionCeiling}
            hint="Highest mode allowed, even if the agent asks for more."
            label="Permission ceiling"
            optional
          >
            {(control) => (
              <Select
                {...control}
                onChange={setCeiling}
                options={[{ value: '', label: 'Same as permission mode' }, ...MODES.slice(1)]}
                value={ceiling}
              />
            )}
          </Field>
          <div className="md:col-span-2">
            <Field error={issues.description} label="Description" optional>
              {(control) => (
                <TextArea
                  {...control}
                  onChange={(event) => setDescription(event.target.value)}
                  rows={2}
                  value={description}
                />
              )}
            </Field>
          </div>
        </div>
      </details>
    </FormDialog>
  );
}
