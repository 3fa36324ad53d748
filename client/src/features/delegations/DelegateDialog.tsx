import type { Delegation } from '@agent-console/shared/models/delegation';
import type { RequestOf } from '@agent-console/shared/operations/table';
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
import { markSent } from '../../ui/mark-form.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { removeSent, unsentPart, useDraft } from '../../ui/use-draft.ts';
import { useForm } from '../../ui/use-form.ts';
import { imagesIn } from '../images/transfer.ts';
import { useImagesToSend } from '../images/use-images-to-send.ts';
import { useMarks } from '../inbox/marks.ts';
import { BaseBranchField, RepositoryField, useUsualRepository } from '../repositories/RepositoryField.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { useSession } from '../sessions/sessions-store.ts';
import { AgentField, useAgentId } from '../settings/AgentField.tsx';
import { McpServerChoice } from '../settings/McpServerChoice.tsx';
import { DelegatedPrompt } from './DelegatedPrompt.tsx';
import { DelegationProgress, STEPS } from './DelegationProgress.tsx';

type Input = RequestOf<'delegations.create'>;

/** Name under which the unsent prompt is stored. */
const DRAFT = 'delegate';
const EMPTY = { agentId: '', baseBranch: '', branch: '', title: '' };

/** Dialog that delegates work to an agent in a new worktree. */
export default function DelegateDialog({ request, onClose }: DialogBodyProps<'delegate'>) {
  const openSession = useOpenSession();
  const usual = useUsualRepository();
  const draft = useDraft(DRAFT);
  const copy = useState(request.prompt ?? '');
  // A prompt copied from an existing session is not stored as the draft, because it would replace an unsent draft.
  const [prompt, setPrompt] = request.prompt === undefined ? draft : copy;
  const images = useImagesToSend();
  const [useRemote, setUseRemote] = useState(false);
  const [mcpServerIds, setMcpServerIds] = useState<readonly string[]>(request.mcpServerIds ?? []);

  /** Whether the dialog stays open for the next prompt. */
  const stays = useRef(false);
  const [delegated, setDelegated] = useState<string>();
  /** The element that had the focus when the form was submitted. */
  const focused = useRef<Element>(null);
  /** The values of the form, other than the prompt and the images, when the form was submitted. */
  const sentValues = useRef<readonly unknown[]>([]);

  const finish = (sent: Input, sessionId: string, warnings: readonly string[]) => {
    const rest = unsentPart(prompt, sent.prompt);
    setPrompt(rest);
    images.removeSent(sent.images ?? []);
    if (stays.current) {
      setDelegated(firstLine(sent.prompt));
      const hasSame = [changes, useRemote, mcpServerIds].every((value, at) => value === sentValues.current[at]);
      if (rest === '' && hasSame) markSent();
      create.reset();
      focusPrompt(focused.current);
      return;
    }
    onClose();
    if (warnings.length > 0) toast({ kind: 'plain', title: 'Delegated', text: warnings.join(' ') });
    openSession(sessionId);
  };
  const create = useOperationMutation('delegations.create', {
    onSuccess: ({ state, sessionId, warnings }, sent) => {
      if (state === 'prompting' || stays.current) finish(sent, sessionId, warnings);
    },
    onLateSuccess: ({ state, sessionId, warnings }, sent) => {
      // Removes the draft only when the prompt is being sent. Before that, the console may still undo the delegation.
      if (state === 'prompting' && request.prompt === undefined) removeSent(DRAFT, sent.prompt);
      toast({
        kind: 'plain',
        title: `Delegated: ${isolateText(firstLine(sent.prompt))}`,
        ...(warnings.length > 0 ? { text: warnings.join(' ') } : {}),
        action: { label: 'Open', run: () => openSession(sessionId) },
      });
    },
    onLateError: failureToast('Could not delegate the work'),
  });
  const { error } = create;
  const { values, changes, names, issues, field } = useForm(
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
  const delegation = useNewDelegation(create.isPending, repositoryId);

  const { data: created, variables: sent } = create;
  if (created?.state === 'preparing' && sent !== undefined) {
    const { delegationId, sessionId } = created;
    return (
      <DelegationProgress
        delegationId={delegationId}
        onBack={() => create.reset()}
        onClose={onClose}
        onReady={(warnings) => finish(sent, sessionId, warnings)}
      />
    );
  }

  const failed = error?.details.failedStep;
  const isMissingLocally = error?.code === 'NOT_FOUND' && values.baseBranch.trim() !== '' && !useRemote;
  const send = (fromRemote = useRemote) => {
    focused.current = document.activeElement;
    sentValues.current = [changes, fromRemote, mcpServerIds];
    rememberUsed({ repositoryId, agentId });
    create.mutate({
      ...filled({ ...values, agentId }),
      prompt,
      ...(images.images.length > 0 && { images: images.images.map(({ data }) => ({ data })) }),
      ...(mcpServerIds.length > 0 && { mcpServerIds: [...mcpServerIds] }),
      repositoryId,
      useRemote: fromRemote,
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
        label: 'Delegate and keep dialog open',
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
              {`The delegation failed while ${STEPS[failed as keyof typeof STEPS].toLowerCase()}. All its changes were undone.`}
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
                Fetch from origin and delegate
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
      <details className="group" open={request.mcpServerIds !== undefined && request.mcpServerIds.length > 0}>
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text max-md:py-2.5">
          More options
        </summary>
        <div className="flex flex-col gap-4 pt-3">
          <TextField {...field('title')} label="Title" optional placeholder="Generated from the prompt" />
          <Checkbox
            checked={useRemote}
            hint="The worktree starts at the latest commit of the base branch on the remote “origin”. The base can also be a pull request, such as pull/123/head."
            label="Fetch from origin first"
            onChange={setUseRemote}
          />
          <McpServerChoice onChange={setMcpServerIds} value={mcpServerIds} />
        </div>
      </details>
    </FormDialog>
  );
}

/**
 * Focuses the prompt field for the next prompt, unless the person has moved to another field since submitting the form.
 */
function focusPrompt(focusedBefore: Element | null): void {
  const focused = document.activeElement;
  if (focused !== focusedBefore && focused?.matches('[role="dialog"] :is(input,textarea)') === true) return;
  document.querySelector<HTMLElement>('[role="dialog"] [data-first]')?.focus();
}

/**
 * Finds the delegation that a running call has created: the newest delegation, if this user created it in the
 * repository after the call began.
 */
function useNewDelegation(calling: boolean, repositoryId: string): Delegation | undefined {
  const { data } = useOperationQuery('delegations.list', { limit: 1 });
  const newest = data?.data[0];
  const session = useSession(newest?.sessionId);
  const userId = useMarks((marks) => marks.userId);
  const before = useRef('');
  if (!calling) before.current = newest?.id ?? '';
  const isNew = calling && newest !== undefined && newest.id > before.current && newest.parentSessionId === null;
  const isOwn = session?.createdByUserId === userId && session?.repositoryId === repositoryId;
  return isNew && isOwn ? newest : undefined;
}
