import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { RadioGroup, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { ProgressDialog } from '../../ui/Progress.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { JobProgress } from '../worktrees/JobProgress.tsx';
import { announceEnd, type LateEnd } from '../worktrees/late-job.ts';
import { FolderPicker } from './FolderPicker.tsx';

const SOURCES = [
  { value: 'path', label: 'Local folder' },
  { value: 'url', label: 'Clone from a URL' },
] as const;

/** Dialog that registers a checkout, or clones a repository and shows the progress. */
export default function AddRepositoryDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [source, setSource] = useState<'path' | 'url'>('path');
  const [job, setJob] = useState<{ id: string; failed: boolean }>();
  const show = (repositoryId: string) => void navigate({ to: '/repositories/$repositoryId', params: { repositoryId } });
  const open = (repositoryId: string) => {
    onClose();
    show(repositoryId);
  };
  const late: LateEnd = {
    failure: 'Could not clone the repository',
    announce({ repositoryId }) {
      const action = { label: 'Open', run: () => show(String(repositoryId)) };
      toast({ kind: 'plain', title: 'Repository cloned', action });
    },
  };
  const create = useOperationMutation('repositories.create', {
    onSuccess: (created) => ('id' in created ? open(created.id) : setJob({ id: created.jobId, failed: false })),
    onLateSuccess(created) {
      if ('jobId' in created) {
        announceClone();
        void announceEnd(created.jobId, late);
        return;
      }
      const title = `Repository added: ${isolateText(created.name)}`;
      toast({ kind: 'plain', title, action: { label: 'Open', run: () => show(created.id) } });
    },
    onLateError: failureToast('Could not add the repository'),
  });
  const [folder, setFolder] = useState<string>();
  const { values, names, set, field } = useForm({ path: '', url: '', name: '' }, create.error);

  if (job !== undefined) {
    const close = () => {
      if (!job.failed) announceClone();
      onClose();
    };
    return (
      <ProgressDialog
        onBack={() => setJob(undefined)}
        onClose={close}
        state={job.failed ? 'failed' : 'running'}
        title="Cloning repository"
      >
        <p className="break-all font-mono text-sm text-quiet">{values.url}</p>
        <JobProgress
          jobId={job.id}
          label="Cloning"
          late={late}
          onEnd={({ state, result }) => {
            if (state === 'succeeded' && typeof result?.repositoryId === 'string') open(result.repositoryId);
            else setJob({ id: job.id, failed: true });
          }}
        />
      </ProgressDialog>
    );
  }

  const { error } = create;
  const known = error?.details.repositoryId;
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={() => create.mutate({ [source]: values[source].trim(), ...filled({ name: values.name }) })}
      problem={
        <FormProblem error={error} fields={names}>
          {typeof known === 'string' ? <Button onClick={() => open(known)}>Open repository</Button> : null}
        </FormProblem>
      }
      submit={source === 'path' ? 'Add repository' : 'Clone repository'}
      title="Add repository"
    >
      <RadioGroup label="Source" onChange={setSource} options={SOURCES} value={source} />
      {source === 'path' ? (
        <>
          <TextField
            {...field('path', 'Choose a git repository, or enter its path.')}
            hint="Adding the repository changes no files in this folder. Delegated work is done in separate worktrees."
            label="Path"
            autoFocus
            key="path"
            mono
            placeholder="/home/me/code/shop"
          />
          <FolderPicker
            chosen={values.path}
            folder={folder}
            onChoose={(path) => set({ path })}
            onOpen={(path) => {
              setFolder(path);
              set({ path: '' });
            }}
          />
        </>
      ) : (
        <TextField
          {...field('url', 'Enter a URL.')}
          hint="Begins with https:// or ssh://, or has the form user@host:path. The console clones with the git credentials of the user who runs it."
          label="URL"
          autoFocus
          inputMode="url"
          key="url"
          mono
          placeholder="git@example.com:team/shop.git"
        />
      )}
      <TextField {...field('name')} label="Name" optional placeholder="Default: the name of the folder" />
    </FormDialog>
  );
}

function announceClone(): void {
  toast({
    kind: 'plain',
    title: 'Cloning in the background',
    text: 'The repository appears in the list when the clone is complete.',
  });
}
