import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { RadioGroup, TextField } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import { ProgressDialog } from '../../ui/Progress.tsx';
import { toast } from '../../ui/toasts.ts';
import { JobProgress } from '../worktrees/JobProgress.tsx';

const SOURCES = [
  { value: 'path', label: 'Local folder' },
  { value: 'url', label: 'Clone from a URL' },
] as const;

/** Registers a checkout, or clones a repository and shows the progress. */
export default function AddRepositoryDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [source, setSource] = useState<'path' | 'url'>('path');
  const [path, setPath] = useState('');
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [job, setJob] = useState<{ id: string; failed: boolean }>();
  const open = (repositoryId: string) => {
    onClose();
    void navigate({ to: '/repositories/$repositoryId', params: { repositoryId } });
  };
  const create = useOperationMutation('repositories.create', {
    onSuccess: (created) => ('id' in created ? open(created.id) : setJob({ id: created.jobId, failed: false })),
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
      <ProgressDialog
        onBack={() => setJob(undefined)}
        onClose={close}
        state={job.failed ? 'failed' : 'running'}
        title="Cloning repository"
      >
        <p className="break-all font-mono text-sm text-quiet">{url}</p>
        <JobProgress
          jobId={job.id}
          label="Cloning"
          onEnd={({ state, result }) => {
            if (state === 'succeeded' && typeof result?.repositoryId === 'string') open(result.repositoryId);
            else setJob({ id: job.id, failed: true });
          }}
        />
      </ProgressDialog>
    );
  }

  const { error } = create;
  const issues = issuesOf(error);
  const known = error?.details.repositoryId;
  const from = (source === 'path' ? path : url).trim();
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={() => create.mutate({ [source]: from, ...(name.trim() === '' ? {} : { name: name.trim() }) })}
      problem={
        <FormProblem error={error} fields={['path', 'url', 'name']}>
          {typeof known === 'string' ? <Button onClick={() => open(known)}>Open repository</Button> : null}
        </FormProblem>
      }
      submit={source === 'path' ? 'Add repository' : 'Clone repository'}
      title="Add repository"
    >
      <RadioGroup label="Source" onChange={setSource} options={SOURCES} value={source} />
      {source === 'path' ? (
        <TextField
          error={issues.path}
          hint="Absolute path of a checkout or a folder inside one. Its files are not changed."
          label="Path"
          missing={from === '' ? 'Enter a path.' : undefined}
          autoFocus
          key="path"
          mono
          onChange={setPath}
          placeholder="/home/me/code/shop"
          value={path}
        />
      ) : (
        <TextField
          error={issues.url}
          hint="https://, ssh:// or user@host:path. Clones with the git credentials of the user running the console."
          label="URL"
          missing={from === '' ? 'Enter a URL.' : undefined}
          autoFocus
          inputMode="url"
          key="url"
          mono
          onChange={setUrl}
          placeholder="git@example.com:team/shop.git"
          value={url}
        />
      )}
      <TextField error={issues.name} label="Name" optional onChange={setName} placeholder="Folder name" value={name} />
    </FormDialog>
  );
}
