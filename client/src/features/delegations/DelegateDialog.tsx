import type { Delegation } from '@agent-console/shared/models/delegation';
import { useRef, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Checkbox, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { firstLine } from '../../ui/first-line.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { rememberUsed } from '../../ui/last-used.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { toast } from '../../ui/toasts.ts';
import { useDraft } from '../../ui/use-draft.ts';
import { useForm } from '../../ui/use-form.ts';
import { imagesIn } from '../images/transfer.ts';
import { useImagesToSend } from '../images/use-images-to-send.ts';
import { BaseBranchField, RepositoryField, useUsualRepository } from '../repositories/RepositoryField.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { AgentField, useAgentId } from '../settings/AgentField.tsx';
import { DelegatedPrompt } from './DelegatedPrompt.tsx';
import { DelegationProgress, STEPS } from './DelegationProgress.tsx';

const EMPTY = { agentId: '', baseBranch: '', branch: '', title: '' };

/** Dialog that delegates work to an agent in a new worktree. */
export default function DelegateDialog({ request, onClose }: DialogBodyProps<'delegate'>) {
  const openSession = useOpenSession();
  const usual = useUsualRepository();
  const [prompt, setPrompt] = useDraft('delegate', request.prompt);
  const images = useImagesToSend();
  const [useRemote, setUseRemote] = useState(false);
  const [notify, setNotify] = useState(true);

  /** Whether the dialog stays open for the next prompt. */
  const stays = useRef(false);
  const [delegated, setDelegated] = useState<string>();

  const finish = (sessionId: string, warnings: readonly string[]) => {
    setPrompt('');
    images.clear();
    if (stays.current) {
      setDelegated(firstLine(prompt));
      create.reset();
      document.querySelector<HTMLElement>('[role="dialog"] [data-first]')?.focus();
      return;
    }
    onClose();
    if (warnings.length > 0) toast({ kind: 'plain', title: 'Delegated', text: warnings.join(' ') });
    openSession(sessionId);
  };
  const create = useOperationMutation('delegations.create', {
    onSuccess: ({ state, sessionId, warnings }) => {
      if (state === 'prompting' || stays.current) finish(sessionId, warnings);
    },
  });
  const delegation = useNewDelegation(create.isPending);
  const { error } = create;
  const { values, names, issues, field } = useForm(
    {
      ...EMPTY,
      ...request.fields,
      repositoryId: request.repositoryId ?? '',
      ...(request.baseBranch === undefined ? {} : { baseBranch: request.baseBranch }),
    },
    error,
  );
  const repositoryId = values.repositoryId || usual;
  const agentId = useAgentId(values.agentId);

  if (create.data?.state === 'preparing') {
    const { delegationId, sessionId } = create.data;
    return (
      <DelegationProgress
        delegationId={delegationId}
        onBack={() => create.reset()}
        onClose={onClose}
        onReady={(warnings) => finish(sessionId, warnings)}
      />
    );
  }

  const failed = error?.details.failedStep;
  const isMissingLocally = error?.code === 'NOT_FOUND' && values.baseBranch.trim() !== '' && !useRemote;
  const send = (fromRemote = useRemote) => {
    rememberUsed({ repositoryId, agentId });
    create.mutate({
      ...filled({ ...values, agentId }),
      prompt,
      ...(images.images.length > 0 && { images: images.images.map(({ data }) => ({ data })) }),
      repositoryId,
      useRemote: fromRemote,
      notifyOnCompletion: notify,
    });
  };
  return (
    <FormDialog
      busy={create.isPending || images.isReading}
      hint={
        create.isPending ? (
          <span role="status">{delegation === undefined ? 'Delegating…' : `${STEPS[delegation.state]}…`}</span>
        ) : delegated === undefined ? null : (
          <span role="status">Delegated: {isolateText(delegated)}</span>
        )
      }
      andStay={{
        label: 'Delegate and stay',
        onSubmit: () => {
          stays.current = true;
          send();
        },
      }}
      onClose={onClose}
      onDrop={(data) => images.add(imagesIn(data))}
      onSubmit={() => {
        stays.current = false;
        send();
      }}
      problem={
        <div className="contents">
          {typeof failed === 'string' && failed in STEPS ? (
            <p className="text-failed">
              Failed while {STEPS[failed as keyof typeof STEPS].toLowerCase()}. All changes were undone.
            </p>
          ) : null}
          <FormProblem error={error} fields={[...names, 'prompt']}>
            {isMissingLocally ? (
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
      <DelegatedPrompt agentId={agentId} error={issues.prompt} images={images} onPrompt={setPrompt} prompt={prompt} />
      <div className="grid gap-4 md:grid-cols-2">
        <RepositoryField
          {...field('repositoryId')}
          missing={repositoryId === '' ? 'Choose a repository.' : undefined}
          value={repositoryId}
        />
        <AgentField {...field('agentId')} value={agentId} />
        <BaseBranchField {...field('baseBranch')} repositoryId={repositoryId} />
        <TextField {...field('branch')} label="New branch" optional mono placeholder="Generated from the prompt" />
      </div>
      <details className="group">
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text">More options</summary>
        <div className="flex flex-col gap-4 pt-3">
          <TextField {...field('title')} label="Title" optional placeholder="Generated from the prompt" />
          <Checkbox
            checked={useRemote}
            hint="Uses the latest base branch of the remote “origin”. The base can also be a pull request, such as pull/123/head."
            label="Fetch from origin first"
            onChange={setUseRemote}
          />
          <Checkbox
            checked={notify}
            hint="Applies only to work that a session delegates. Your inbox shows the result either way."
            label="Notify the delegating session when the work ends"
            onChange={setNotify}
          />
        </div>
      </details>
    </FormDialog>
  );
}

/**
 * Returns the delegation that the pending call has created: the one whose id is greater than all ids before the call,
 * because ids increase.
 */
function useNewDelegation(calling: boolean): Delegation | undefined {
  const { data } = useOperationQuery('delegations.list', { limit: 1 });
  const newest = data?.data[0];
  const before = useRef('');
  if (!calling) before.current = newest?.id ?? '';
  const isNew = calling && newest !== undefined && newest.id > before.current && newest.parentSessionId === null;
  return isNew ? newest : undefined;
}
