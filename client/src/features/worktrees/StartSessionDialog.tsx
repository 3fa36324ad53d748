import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Field, RadioGroup, TextAreaField, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { lastUsed, rememberUsed } from '../../ui/last-used.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { PromptField } from '../../ui/PromptField.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { RepositoryField, useUsualRepository } from '../repositories/RepositoryField.tsx';
import { ALL_MODES } from '../sessions/inspector/permission-modes.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { AgentField, useAgentId } from '../settings/AgentField.tsx';
import { McpServerChoice } from '../settings/McpServerChoice.tsx';

type Input = RequestOf<'sessions.create'>;

const LOCATIONS = [
  { value: 'worktree', label: 'In a worktree' },
  { value: 'directory', label: 'In a directory' },
] as const;
const MODES = [{ value: '', label: 'Agent default' }, ...ALL_MODES];
const EMPTY = { cwd: '', agentId: '', title: '', permissionMode: '', permissionCeiling: '', description: '' };

/** Starts a session in an existing worktree or any directory. */
export default function StartSessionDialog({ request, onClose }: DialogBodyProps<'startSession'>) {
  const openSession = useOpenSession();
  const usualRepository = useUsualRepository();
  const [location, setLocation] = useState<'worktree' | 'directory'>(
    request.fields?.cwd === undefined ? 'worktree' : 'directory',
  );
  const [chosen, setChosen] = useState(request.repositoryId ?? '');
  const [mcpServerIds, setMcpServerIds] = useState<readonly string[]>(request.mcpServerIds ?? []);
  const start = useOperationMutation('sessions.create', {
    onSuccess: ({ id }) => {
      onClose();
      openSession(id);
    },
    onLateSuccess: ({ id, title }) =>
      toast({
        kind: 'plain',
        title: title === '' ? 'Session started' : `Session started: ${isolateText(title)}`,
        action: { label: 'Open', run: () => openSession(id) },
      }),
    onLateError: failureToast('Could not start the session'),
  });
  const { error } = start;
  const [permissionModeUsed] = useState(() => lastUsed('permissionMode'));
  const stored = {
    ...EMPTY,
    permissionMode: permissionModeUsed,
    initialPrompt: '',
    ...request.fields,
    worktreeId: request.worktreeId ?? '',
  };
  const { values, names, issues, set, field } = useForm(stored, error);
  const agentId = useAgentId(values.agentId);

  const requested = useOperationQuery(
    'worktrees.get',
    { worktreeId: request.worktreeId ?? '' },
    { enabled: request.worktreeId !== undefined },
  );
  const repositoryId = chosen || (requested.data?.repositoryId ?? usualRepository);
  const worktrees = useOperationQuery(
    'worktrees.list',
    { repositoryId, limit: PAGE_MAX },
    { enabled: repositoryId !== '' },
  );
  const ready = (worktrees.data?.data ?? []).filter(({ state }) => state === 'ready');
  const main = ready.find(({ kind }) => kind === 'main')?.id ?? '';
  const worktreeId = ready.some(({ id }) => id === values.worktreeId) ? values.worktreeId : main;
  const send = () => {
    const { title, description, permissionMode, permissionCeiling, initialPrompt } = values;
    const input = filled({ agentId, title, permissionMode, permissionCeiling });
    rememberUsed({ agentId, permissionMode, ...(location === 'worktree' ? { repositoryId } : {}) });
    start.mutate({
      ...(location === 'worktree' ? { worktreeId } : { cwd: values.cwd.trim() }),
      ...(input as Pick<Input, 'agentId' | 'title' | 'permissionMode' | 'permissionCeiling'>),
      ...(description.trim() === '' ? {} : { description }),
      ...(initialPrompt.trim() === '' ? {} : { initialPrompt }),
      ...(mcpServerIds.length === 0 ? {} : { mcpServerIds: [...mcpServerIds] }),
    });
  };
  return (
    <FormDialog
      busy={start.isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={names} />}
      submit="Start session"
      title="New session"
      width="wide"
    >
      <RadioGroup label="Location" onChange={setLocation} options={LOCATIONS} value={location} />
      {location === 'worktree' ? (
        <div className="grid gap-4 md:grid-cols-2">
          <RepositoryField
            missing={repositoryId === '' ? 'Choose a repository.' : undefined}
            onChange={(id) => {
              setChosen(id);
              set({ worktreeId: '' });
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
                onChange={(id) => set({ worktreeId: id })}
                options={ready.map(({ id, name, branch }) => ({ value: id, label: name, note: branch ?? 'detached' }))}
                placeholder="Search worktrees"
                value={worktreeId}
              />
            )}
          </Field>
        </div>
      ) : (
        <TextField
          {...field('cwd', 'Enter a directory.')}
          hint="The agent works directly in this directory, without a separate worktree."
          label="Directory"
          autoFocus
          mono
          placeholder="/home/me/notes"
        />
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <AgentField {...field('agentId')} value={agentId} />
        <TextField {...field('title')} label="Title" optional placeholder="Generated from the prompt" />
      </div>
      <PromptField
        {...field('initialPrompt')}
        autoFocus={request.worktreeId !== undefined}
        hint="Starts the agent with this prompt. If you leave it empty, the agent starts when you send the first prompt."
        label="First prompt"
        optional
        rows={4}
      />
      <details open={request.mcpServerIds !== undefined && request.mcpServerIds.length > 0}>
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text max-md:py-2.5">
          More options
        </summary>
        <div className="grid gap-4 pt-3 md:grid-cols-2">
          <SelectField
            {...field('permissionMode')}
            hint="What the agent may do without asking."
            label="Permission mode"
            optional
            options={MODES}
          />
          <SelectField
            {...field('permissionCeiling')}
            hint="The permission mode never exceeds this mode, even if the agent asks for a higher one."
            label="Highest allowed mode"
            optional
            options={[{ value: '', label: 'Same as the chosen permission mode' }, ...ALL_MODES]}
          />
          <McpServerChoice onChange={setMcpServerIds} value={mcpServerIds} />
          <div className="md:col-span-2">
            <TextAreaField {...field('description')} label="Description" optional rows={2} />
          </div>
        </div>
      </details>
    </FormDialog>
  );
}
