import type { Task } from '@agent-console/shared/models/task';
import { currentTask } from '@agent-console/shared/operations/session-views';
import { useState } from 'react';
import { useOperationMutation } from '../../../api/operations.ts';
import { Age } from '../../../ui/Age.tsx';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { describeSource } from '../../../ui/outcome-source.ts';
import { failureToast } from '../../../ui/toasts.ts';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../../ui/UntrustedText.tsx';
import { isOwnPrompt } from '../own-prompt.ts';
import { SessionLink } from '../SessionLink.tsx';
import { InspectorSection, Property, PropertyList } from './properties.tsx';

/** Maximum characters of a collapsed prompt or summary. */
const CUT = 280;

const WAITING = {
  answer: 'waiting for an answer',
  report: 'awaiting report',
  quota: 'waiting because of the usage limit',
} as const;

const CREATORS: Record<Task['source']['kind'], string> = {
  person: 'a person',
  session: 'another session',
  orchestration: 'a run',
  schedule: 'a schedule',
  system: 'the console',
};

/** The current or last task: its prompt, status and outcome, and who reported the outcome. */
export function TaskSection({ tasks, queued }: { tasks: readonly Task[]; queued: number }) {
  const task = currentTask(tasks);
  const cancel = useOperationMutation('tasks.cancel');
  if (task === undefined) return null;
  const { waitingFor, waitingUntil, status, outcomeSource, progress, summary, error, artifacts } = task;
  const open = status === 'running' || status === 'awaiting_input';
  return (
    <InspectorSection
      aside={
        open ? (
          <button
            className="rounded px-1 text-quiet hover:bg-hover hover:text-text max-md:h-10 max-md:px-3"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate({ taskId: task.id }, { onError: failureToast('Could not cancel the task') })}
            type="button"
          >
            Cancel
          </button>
        ) : undefined
      }
      title="Task"
    >
      <LongText text={task.prompt} />
      <div className="mt-2">
        <PropertyList>
          <Property name="Status">
            <span className={status === 'failed' ? 'text-failed' : ''}>
              {waitingFor === null ? status : WAITING[waitingFor]}
              {waitingUntil == null ? null : (
                <time dateTime={waitingUntil}>
                  {`, which resets at ${new Date(waitingUntil).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`}
                </time>
              )}
            </span>{' '}
            <Age className="whitespace-nowrap text-quiet" since={task.endedAt ?? task.startedAt ?? task.createdAt} />
          </Property>
          {progress === null ? null : <Property name="Progress">{Math.round(progress * 100)} %</Property>}
          {outcomeSource === null ? null : (
            <Property name="Source">{describeSource(outcomeSource, task.certain === true)}</Property>
          )}
          {queued === 0 ? null : <Property name="Queue">{`${queued} waiting`}</Property>}
          <Property name="Created by">
            <Creator task={task} />
          </Property>
        </PropertyList>
      </div>
      {error === null ? null : (
        <p className="mt-2 break-words text-failed">
          ⊘ <UntrustedText text={error.message} />
        </p>
      )}
      {summary === null || summary === '' ? null : (
        <div className="mt-2 border-l-2 border-line pl-2">
          <LongText text={summary} />
        </div>
      )}
      {artifacts.length === 0 ? null : (
        <ul className="mt-2 font-mono text-sm">
          {artifacts.map((artifact) => (
            <li key={artifact} title={escapeHidden(artifact)}>
              <UntrustedLine text={artifact} />
            </li>
          ))}
        </ul>
      )}
    </InspectorSection>
  );
}

function Creator({ task }: { task: Task }) {
  const { kind, id } = task.source;
  if (isOwnPrompt(task)) return 'this session';
  return kind === 'session' && id !== null ? <SessionLink sessionId={id} /> : CREATORS[kind];
}

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > CUT;
  return (
    <div className="max-h-80 overflow-y-auto">
      <UntrustedBlock text={long && !whole ? `${text.slice(0, CUT).trimEnd()}…` : text} />
      {long ? (
        <button className="text-accent hover:underline" onClick={() => setWhole(!whole)} type="button">
          {whole ? 'Show less' : 'Show more'}
        </button>
      ) : null}
    </div>
  );
}
