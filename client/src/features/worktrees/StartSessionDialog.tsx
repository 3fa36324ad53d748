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
  { value: '', label: "the agent's default" },
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

/** Starts a session where there is something already: a worktree, or any directory. */
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
      submit="Start"
      title="Start a session"
      width="wide"
    >
      <Choice label="Where" onChange={setPlace} options={PAGES} value={place} />
      {place === 'worktree' ? (
        <div className="grid gap-4 md:grid-cols-2">
          <RepositoryField
            missing={repositoryId === '' ? 'Choose the repository of the worktree.' : undefined}
            onChange={(id) => {
              setChosen(id);
              setWorktree('');
            }}
            value={repositoryId}
          />
          <Field
            error={issues.worktreeId}
            label="Worktree"
            missing={worktreeId === '' ? 'Choose the worktree to work in.' : undefined}
          >
            {(control) => (
              <Combobox
                {...control}
                onChange={setWorktree}
                options={ready.map(({ id, name, branch }) => ({ value: id, label: name, note: branch ?? 'detached' }))}
                placeholder="Type to find it"
                value={worktreeId}
              />
            )}
          </Field>
        </div>
      ) : (
        <Field
          error={issues.cwd}
          hint="The agent works right in it, without a worktree of its own: what it changes is changed there."
          label="SessionsState"
          missing={cwd.trim() === '' ? 'Say which directory to work in.' : undefined}
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
              placeholder="from the prompt"
              value={title}
            />
          )}
        </Field>
      </div>
      <PromptField
        autoFocus={request.worktreeId !== undefined}
        error={issues.initialPrompt}
        hint="Starts the agent; without one the session waits for you."
        label="Onboarding prompt"
        onChange={setPrompt}
        optional
        rows={4}
        value={prompt}
      />
      <details>
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text">More</summary>
        <div className="grid gap-4 pt-3 md:grid-cols-2">
          <Field error={issues.permissionMode} hint="What it may do without asking." label="Permission mode" optional>
            {(control) => <Select {...control} onChange={setMode} options={MODES} value={mode} />}
          </Field>
          <Field
            error={issues.permissionCeiling}
            hint="The most it may be raised to, by itself too."
            label="Permission ceiling"
            optional
          >
            {(control) => (
              <Select
                {...control}
                onChange={setCeiling}
                options={[{ value: '', label: 'the permission mode' }, ...MODES.slice(1)]}
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
