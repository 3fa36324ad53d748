import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import type { Resources, Worker } from '@agent-console/shared/models/worker';
import { Link } from '@tanstack/react-router';
import { Age } from '../../../ui/Age.tsx';
import { DelayedFallback } from '../../../ui/DelayedFallback.tsx';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { UntrustedLine, UntrustedText } from '../../../ui/UntrustedText.tsx';
import { totalsOf, useDiff } from '../../diff/use-diff.ts';
import { NoticesList } from '../../notices/NoticesList.tsx';
import { SessionRun } from '../../runs/SessionRun.tsx';
import { BadgeGlyph, useSessionBadge } from '../BadgeGlyph.tsx';
import { agentOf, isLive, sessionName } from '../badge.ts';
import { useSessions } from '../sessions-store.ts';
import { parentIdOf } from '../tree-order.ts';
import { BudgetSection } from './BudgetSection.tsx';
import { PermissionSection } from './PermissionSection.tsx';
import { CopyableText, InspectorSection, Property, PropertyList } from './properties.tsx';
import { cpuHistory, formatResources, useResources } from './resources.ts';
import { TaskSection } from './TaskSection.tsx';

/** Maximum files listed in the inspector; the diff lists all of them. */
const FILES_SHOWN = 12;
/** Maximum workers listed, newest first. */
const WORKERS_SHOWN = 8;
/** Number of characters of an id that distinguish sessions created in the same minute. */
const SHORT_ID = 13;

/** Details of a session, beginning with its task. */
export function Inspector({ session, tasks }: { session: Session; tasks: readonly Task[] | undefined }) {
  const { gitState, queued } = session;
  const warnings = session.workers.flatMap((worker) => worker.warnings);
  return (
    <div className="h-full overflow-y-auto">
      {tasks === undefined ? (
        <InspectorSection title="Task">
          <DelayedFallback>
            <div className="h-3 w-2/3 rounded bg-hover" />
          </DelayedFallback>
        </InspectorSection>
      ) : (
        <TaskSection queued={queued} tasks={tasks} />
      )}
      <BudgetSection sessionId={session.id} />
      <InspectorSection title="Location">
        <PropertyList>
          {gitState?.ref ? (
            <Property name="Branch">
              <CopyableText text={gitState.ref} what="Branch" />
            </Property>
          ) : null}
          {gitState?.baseSha ? (
            <Property name="Base">
              <CopyableText shown={gitState.baseSha.slice(0, 10)} text={gitState.baseSha} what="Base" />
            </Property>
          ) : null}
          <Property name="Folder">
            <CopyableText text={session.cwd} what="Path" />
          </Property>
        </PropertyList>
      </InspectorSection>
      {session.worktreeId === null ? null : <Files session={session} worktreeId={session.worktreeId} />}
      <SessionRun session={session} />
      <Relatives session={session} />
      <InspectorSection title="Notices">
        <NoticesList sessionId={session.id} />
      </InspectorSection>
      <InspectorSection title="Agent">
        <PropertyList>
          <Property name="Agent">{session.agentId}</Property>
        </PropertyList>
        {warnings.length === 0 ? null : (
          <ul className="mt-2 text-needs">
            {[...new Set(warnings)].map((warning) => (
              <li className="break-words" key={warning}>
                ▲ <UntrustedText text={warning} />
              </li>
            ))}
          </ul>
        )}
      </InspectorSection>
      <PermissionSection session={session} />
      {session.workers.length === 0 ? null : <Workers session={session} />}
      <InspectorSection title="IDs">
        <PropertyList>
          <Property name="Session">
            <CopyableText shown={session.id.slice(0, SHORT_ID)} text={session.id} what="Session ID" />
          </Property>
          {session.worktreeId === null ? null : (
            <Property name="Worktree">
              <CopyableText
                shown={session.worktreeId.slice(0, SHORT_ID)}
                text={session.worktreeId}
                what="Worktree ID"
              />
            </Property>
          )}
          <Property name="Created">
            <Age since={session.createdAt} />
          </Property>
        </PropertyList>
      </InspectorSection>
    </div>
  );
}

function Files({ session, worktreeId }: { session: Session; worktreeId: string }) {
  const { data, error } = useDiff(worktreeId);
  const all = data && totalsOf(data).count;
  return (
    <InspectorSection aside={all} title="Files changed">
      {error === null ? null : (
        <p className="break-words text-failed">
          ⊘ <UntrustedText text={error.message} />
        </p>
      )}
      {all === 0 ? <p className="text-quiet">No changes</p> : null}
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
          {all - FILES_SHOWN} more in the diff
        </Link>
      ) : null}
    </InspectorSection>
  );
}

function Workers({ session }: { session: Session }) {
  const resources = useResources(session.id, session.workers.some(isLive));
  const idleSince = agentOf(session)?.activitySince;
  return (
    <InspectorSection aside={session.workers.length} title="Workers">
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
