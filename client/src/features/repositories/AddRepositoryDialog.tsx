import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, FormDialog } from '../../ui/Dialog.tsx';
import { Choice, Field, TextInput } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/FormProblem.tsx';
import { toast } from '../../ui/toasts.ts';
import { JobProgress } from '../worktrees/JobProgress.tsx';

const WAYS = [
  { value: 'path', label: 'Local folder' },
  { value: 'url', label: 'Clone from a URL' },
] as const;

/** Registers a checkout, or clones a repository and shows the progress. */
export default function AddRepositoryDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [way, setWay] = useState<'path' | 'url'>('path');
  const [path, setPath] = useState('');
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [job, setJob] = useState<{ id: string; failed: boolean }>();
  const open = (repositoryId: string) => {
    onClose();
    void navigate({ to: '/repositories/$repositoryId', params: { repositoryId } });
  };
  const create = useOperationMutation('repositories.create', {
    onSuccess: (made) => ('id' in made ? open(made.id) : setJob({ id: made.jobId, failed: false })),
  });

  if (job !== undefined) {
    const close = () => {
      if (!job.failed)
        toast({
          kind: 'plain',
          title: 'Cloning in background',
          text: 'The repository appears in the list when the clone is complete.',
        });
      onClose();
    };
    return (
      <Dialog
        footer={
          <div className="flex justify-end gap-2">
            {job.failed ? <Button onClick={() => setJob(undefined)}>Back</Button> : null}
            <Button onClick={close}>{job.failed ? 'Close' : 'Continue in background'}</Button>
          </div>
        }
        onClose={close}
        title="Cloning repository"
      >
        <div className="flex flex-col gap-3">
          <p className="break-all font-mono text-sm text-quiet">{url}</p>
          <JobProgress
            jobId={job.id}
            label="Cloning"
            onEnd={({ state, result }) => {
              if (state === 'succeeded' && typeof result?.repositoryId === 'string') open(result.repositoryId);
              else setJob({ id: job.id, failed: true });
            }}
          />
        </div>
      </Dialog>
    );
  }

  const { error } = create;
  const issues = issuesOf(error);
  const known = error?.details.repositoryId;
  const from = (way === 'path' ? path : url).trim();
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={() => create.mutate({ [way]: from, ...(name.trim() === '' ? {} : { name: name.trim() }) })}
      problem={
        <FormProblem error={error} fields={['path', 'url', 'name']}>
          {typeof known === 'string' ? <Button onClick={() => open(known)}>Open repository</Button> : null}
        </FormProblem>
      }
      submit={way === 'path' ? 'Add repository' : 'Clone repository'}
      title="Add repository"
    >
      <Choice label="Source" onChange={setWay} options={WAYS} value={way} />
      {way === 'path' ? (
        <Field
          error={issues.path}
          hint="Absolute path of a checkout or a folder inside one. Its files are not changed."
          label="Path"
          missing={from === '' ? 'Enter a path.' : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              key="path"
              mono
              onChange={(event) => setPath(event.target.value)}
              placeholder="/home/me/code/shop"
              value={path}
            />
          )}
        </Field>
      ) : (
        <Field
          error={issues.url}
          hint="https://, ssh:// or user@host:path. Clones with the git credentials of the user running the console."
          label="URL"
          missing={from === '' ? 'Enter a URL.' : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              inputMode="url"
              key="url"
              mono
              onChange={(event) => setUrl(event.target.value)}
              placeholder="git@example.com:team/shop.git"
              value={url}
            />
          )}
        </Field>
      )}
      <Field error={issues.name} label="Name" optional>
        {(control) => (
          <TextInput
            {...control}
            onChange={(event) => setName(event.target.value)}
            placeholder="Folder name"
            value={name}
          />
        )}
      </Field>
    </FormDialog>
  );
}
