import type { Task } from '@agent-console/shared/models/task';
import { currentTask } from '@agent-console/shared/operations/session-views';
import { useState } from 'react';
import { useAction } from '../../../api/operations.ts';
import { Age } from '../../../ui/Age.tsx';
import { Given, GivenLine, GivenText } from '../../../ui/Given.tsx';
import { toast } from '../../../ui/toasts.ts';
import { visible } from '../../../ui/visible.ts';
import { Fact, Facts, Part } from './parts.tsx';

/** Characters of a prompt or summary shown before it is expanded. */
const CUT = 280;

const WAITING = { answer: 'waits for an answer', report: 'waits for its report' } as const;

/** The prompt at work, else the last one: what was asked, how it stands or ended, and how that is known. */
export function TaskPart({ tasks, queued }: { tasks: readonly Task[]; queued: number }) {
  const task = currentTask(tasks);
  const cancel = useAction('tasks.cancel');
  if (task === undefined) {
    return (
      <Part title="Task">
        <p className="text-quiet">None yet: a prompt is a task.</p>
      </Part>
    );
  }
  const {
    waitingFor,
    status,
    endedAt,
    startedAt,
    createdAt,
    outcomeSource,
    certain,
    progress,
    summary,
    error,
    artifacts,
  } = task;
  const open = status === 'running' || status === 'awaiting_input';
  return (
    <Part
      aside={
        open ? (
          <button
            className="rounded px-1 text-quiet hover:bg-hover hover:text-text"
            disabled={cancel.isPending}
            onClick={() =>
              cancel.mutate(
                { taskId: task.id },
                { onError: ({ message }) => toast({ kind: 'failed', title: 'Not cancelled', text: message }) },
              )
            }
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
        <Facts>
          <Fact name="Status">
            <span className={status === 'failed' ? 'text-failed' : ''}>
              {waitingFor === null ? status : WAITING[waitingFor]}
            </span>{' '}
            <Age className="text-quiet" since={endedAt ?? startedAt ?? createdAt} />
          </Fact>
          {progress === null ? null : <Fact name="Done">{Math.round(progress * 100)} %</Fact>}
          {outcomeSource === null ? null : (
            <Fact name="Known by">
              {outcomeSource}, {certain === true ? 'certain' : 'not certain'}
            </Fact>
          )}
          {queued === 0 ? null : <Fact name="Queue">{queued} waiting</Fact>}
          <Fact name="Given by">{task.source.kind === 'session' ? 'another session' : task.source.kind}</Fact>
        </Facts>
      </div>
      {error === null ? null : (
        <p className="mt-2 break-words text-failed">
          ⊘ <Given text={error.message} />
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
            <li key={artifact} title={visible(artifact)}>
              <GivenLine text={artifact} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > CUT;
  return (
    <div className="max-h-80 overflow-y-auto">
      <GivenText text={long && !whole ? `${text.slice(0, CUT).trimEnd()}…` : text} />
      {long ? (
        <button className="text-accent hover:underline" onClick={() => setWhole(!whole)} type="button">
          {whole ? 'less' : 'more'}
        </button>
      ) : null}
    </div>
  );
}
