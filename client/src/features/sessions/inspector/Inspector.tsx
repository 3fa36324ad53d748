import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import type { Resources, Worker } from '@agent-console/shared/models/worker';
import { pluralize } from '@agent-console/shared/pluralize';
import { Link } from '@tanstack/react-router';
import { useOperationQuery } from '../../../api/operations.ts';
import { Age } from '../../../ui/Age.tsx';
import { DelayedFallback } from '../../../ui/DelayedFallback.tsx';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { UntrustedLine, UntrustedText } from '../../../ui/UntrustedText.tsx';
import { totalsOf, useDiff } from '../../diff/use-diff.ts';
import { LabelsSection } from '../../labels/LabelsSection.tsx';
import { NoticesList } from '../../notices/NoticesList.tsx';
import { SessionRun } from '../../runs/SessionRun.tsx';
import { BadgeGlyph, useSessionBadge } from '../BadgeGlyph.tsx';
import { agentOf, isLive, sessionName } from '../badge.ts';
import { useSessions } from '../sessions-store.ts';
import { parentIdOf } from '../tree-order.ts';
import { ActionsSection } from './ActionsSection.tsx';
import { BudgetSection } from './BudgetSection.tsx';
import { PermissionSection } from './PermissionSection.tsx';
import { CopyableText, InspectorSection, Property, PropertyList } from './properties.tsx';
import { cpuHistory, formatResources, useResources } from './resources.ts';
import { TaskSection } from './TaskSection.tsx';

/** Maximum files listed in the inspector; the diff lists all of them. */
const FILES_SHOWN = 12;
/** Maximum workers listed, newest first. */
const WORKERS_SHOWN = 8;
/** Number of characters of an id that are enough to distinguish sessions created in the same minute. */
const SHORT_ID = 13;

/**
 * Details of a session: actions, task, branch and folder, then all other sections. Sections without content are left
 * out.
 * @param props.showsFiles whether the changed files are listed; false beside the diff, which lists them itself
 */
export function Inspector(props: { session: Session; tasks: readonly Task[] | undefined; showsFiles: boolean }) {
  const { session, tasks, showsFiles } = props;
  const { gitState, queued } = session;
  return (
    <div className="h-full overflow-y-auto">
      <ActionsSection session={session} />
      {tasks === undefined ? (
        <InspectorSection title="Task">
          <DelayedFallback>
            <div className="h-3 w-2/3 rounded bg-hover" />
          </DelayedFallback>
        </InspectorSection>
      ) : (
        <TaskSection queued={queued} tasks={tasks} />
      )}
      <InspectorSection title={gitState?.ref ? 'Branch' : 'Folder'}>
        {gitState?.ref ? <CopyableText text={gitState.ref} what="branch" /> : null}
        <CopyableText keepsEnd text={session.cwd} what="path" />
        {gitState?.baseSha ? (
          <p className="flex items-center gap-1 text-quiet">
            Based on <CopyableText shown={gitState.baseSha.slice(0, 10)} text={gitState.baseSha} what="base commit" />
          </p>
        ) : null}
      </InspectorSection>
      {session.worktreeId === null || !showsFiles ? null : <Files session={session} />}
      <LabelsSection session={session} />
      <BudgetSection sessionId={session.id} />
      <SessionRun session={session} />
      <Relatives session={session} />
      <Notices sessionId={session.id} />
      <PermissionSection session={session} />
      {session.workers.length === 0 ? null : <Workers session={session} />}
      <InspectorSection title="Session">
        <PropertyList>
          <Property name="Agent">{session.agentId}</Property>
          <Property name="Created">
            <Age since={session.createdAt} />
          </Property>
          <Property name="ID">
            <CopyableText shown={session.id.slice(0, SHORT_ID)} text={session.id} what="session ID" />
          </Property>
          {session.worktreeId === null ? null : (
            <Property name="Worktree ID">
              <CopyableText
                shown={session.worktreeId.slice(0, SHORT_ID)}
                text={session.worktreeId}
                what="worktree ID"
              />
            </Property>
          )}
        </PropertyList>
      </InspectorSection>
    </div>
  );
}

/** Notices of the session, if it has received any. */
function Notices({ sessionId }: { sessionId: string }) {
  const { data, error } = useOperationQuery('sessions.notices', { sessionId, limit: 1 });
  if (error === null && (data === undefined || data.total === 0)) return null;
  return (
    <InspectorSection aside={data?.total} title="Notices">
      <NoticesList sessionId={sessionId} />
    </InspectorSection>
  );
}

function Files({ session }: { session: Session }) {
  const { data, error } = useDiff(session);
  const all = data && totalsOf(data).count;
  if (error === null && (all === undefined || all === 0)) return null;
  return (
    <InspectorSection aside={all} title="Files changed">
      {error === null ? null : (
        <p className="break-words text-failed">
          ⊘ <UntrustedText text={error.message} />
        </p>
      )}
      <ul>
        {data?.files.slice(0, FILES_SHOWN).map((file) => (
          <li className="flex items-baseline gap-2 font-mono text-sm leading-5" key={file.path}>
            <span className="min-w-0 flex-1 truncate text-left [direction:rtl]" title={escapeHidden(file.path)}>
              <UntrustedText text={file.path} />
            </span>
            <span className="shrink-0 tabular-nums">
              <span className="text-added">+{file.additions}</span>{' '}
              <span className="text-removed">−{file.deletions}</span>
            </span>
          </li>
        ))}
      </ul>
      {all !== undefined && all > FILES_SHOWN ? (
        <Link
          className="text-sm text-accent hover:underline"
          params={{ sessionId: session.id }}
          search={{ view: 'diff' }}
          to="/sessions/$sessionId"
        >
          {`${pluralize(all - FILES_SHOWN, 'more file')} in the diff`}
        </Link>
      ) : null}
    </InspectorSection>
  );
}

function Workers({ session }: { session: Session }) {
  const resources = useResources(session.id, session.workers.some(isLive));
  const idleSince = agentOf(session)?.activitySince;
  const warnings = new Set(session.workers.flatMap((worker) => worker.warnings));
  return (
    <InspectorSection aside={session.workers.length} title="Processes">
      {[...warnings].map((warning) => (
        <p className="mb-1 break-words text-needs" key={warning}>
          ▲ <UntrustedText text={warning} />
        </p>
      ))}
      <ul>
        {session.workers.slice(-WORKERS_SHOWN).map((worker) => (
          <WorkerLine key={worker.id} resources={resources?.get(worker.id)} worker={worker} />
        ))}
      </ul>
      {session.reclaimable && idleSince !== undefined ? (
        <p className="mt-1 text-quiet">
          Idle for <Age since={idleSince} /> and still running, because this agent cannot resume a conversation. Stop
          the session to free its memory.
        </p>
      ) : null}
    </InspectorSection>
  );
}

/** Parent and child sessions. */
function Relatives({ session }: { session: Session }) {
  const sessions = useSessions((state) => state.sessions);
  const parent = sessions[parentIdOf(session) ?? ''];
  const children = session.genealogy.children.flatMap((id) => sessions[id] ?? []);
  if (parent === undefined && children.length === 0) return null;
  return (
    <InspectorSection title="Related sessions">
      <PropertyList>
        {parent === undefined ? null : (
          <Property name={session.genealogy.parentSessionId === null ? 'Fork of' : 'Parent'}>
            <Relative session={parent} />
          </Property>
        )}
        {children.length === 0 ? null : (
          <Property name="Children">
            <ul>
              {children.map((child) => (
                <li key={child.id}>
                  <Relative session={child} />
                </li>
              ))}
            </ul>
          </Property>
        )}
      </PropertyList>
    </InspectorSection>
  );
}

function Relative({ session }: { session: Session }) {
  const badge = useSessionBadge(session);
  return (
    <Link
      className="flex min-w-0 items-center gap-1 hover:underline"
      params={{ sessionId: session.id }}
      to="/sessions/$sessionId"
    >
      <BadgeGlyph badge={badge} />
      <UntrustedLine text={sessionName(session)} />
    </Link>
  );
}

/** One worker: state, and resource usage while live. */
function WorkerLine({ worker, resources }: { worker: Worker; resources: Resources | undefined }) {
  const how = worker.signal ?? (worker.exitCode === null ? '' : `code ${worker.exitCode}`);
  return (
    <li>
      <div className="flex items-baseline justify-between gap-2">
        <span className={isLive(worker) ? '' : 'text-quiet'}>
          {worker.type} · {worker.state} {how}
        </span>
        <span className="font-mono text-sm text-quiet">{worker.pid === null ? '' : `pid ${worker.pid}`}</span>
      </div>
      {resources === undefined ? null : (
        <div className="flex items-center justify-between gap-2 text-sm text-quiet">
          <span
            className="tabular-nums"
            title="CPU (100 % is one core), memory and processes, including child processes"
          >
            {formatResources(resources)}
          </span>
          <Trace points={cpuHistory(worker.id, resources)} />
        </div>
      )}
    </li>
  );
}

const WIDTH = 60;
const HEIGHT = 12;
/** CPU percentage at the full height of the graph; a higher peak extends the scale. */
const TOP = 100;

function Trace({ points }: { points: readonly number[] }) {
  if (points.length < 2) return null;
  const top = Math.max(TOP, ...points);
  const step = WIDTH / (points.length - 1);
  const at = (point: number, index: number) =>
    `${(index * step).toFixed(1)},${(HEIGHT - (point / top) * HEIGHT).toFixed(1)}`;
  return (
    <svg
      aria-hidden="true"
      className="shrink-0 text-quiet"
      height={HEIGHT}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
      width={WIDTH}
    >
      <polyline fill="none" points={points.map(at).join(' ')} stroke="currentColor" />
    </svg>
  );
}
