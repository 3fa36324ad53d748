import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import { Link } from '@tanstack/react-router';
import { Age } from '../../../ui/Age.tsx';
import { Given, GivenLine } from '../../../ui/Given.tsx';
import { Late } from '../../../ui/Late.tsx';
import { visible } from '../../../ui/visible.ts';
import { useDiff } from '../../diff/summary.ts';
import { NoticesList } from '../../notices/index.ts';
import { useDirectory } from '../directory.ts';
import { StandingGlyph } from '../StandingGlyph.tsx';
import { agentOf, isLiving, nameOf } from '../standing.ts';
import { parentOf } from '../tree-order.ts';
import { useStanding } from '../use-standing.ts';
import { PermissionPart } from './PermissionPart.tsx';
import { Copied, Fact, Facts, Part } from './parts.tsx';
import { TaskPart } from './TaskPart.tsx';
import { useTaken } from './taken.ts';
import { WorkerLine } from './WorkerLine.tsx';

/** Files listed beside the work; the diff has them all. */
const FILES_SHOWN = 12;
/** Workers listed, the newest ones. */
const WORKERS_SHOWN = 8;
/** Characters of an id that tell sessions of one minute apart. */
const SHORT_ID = 13;

/** Everything that is known of a session, the task first. */
export function Inspector({ session, tasks }: { session: Session; tasks: readonly Task[] | undefined }) {
  const { gitState, queued } = session;
  const warnings = session.workers.flatMap((worker) => worker.warnings);
  return (
    <div className="h-full overflow-y-auto">
      {tasks === undefined ? (
        <Part title="Task">
          <Late>
            <div className="h-3 w-2/3 rounded bg-hover" />
          </Late>
        </Part>
      ) : (
        <TaskPart queued={queued} tasks={tasks} />
      )}
      <Part title="Place">
        <Facts>
          {gitState?.ref ? (
            <Fact name="Branch">
              <Copied text={gitState.ref} what="Branch" />
            </Fact>
          ) : null}
          {gitState?.baseSha ? (
            <Fact name="Base">
              <Copied shown={gitState.baseSha.slice(0, 10)} text={gitState.baseSha} what="Base" />
            </Fact>
          ) : null}
          <Fact name="Folder">
            <Copied text={session.cwd} what="Path" />
          </Fact>
        </Facts>
      </Part>
      {session.worktreeId === null ? null : <Files session={session} worktreeId={session.worktreeId} />}
      <Kin session={session} />
      <Part title="Notices">
        <NoticesList sessionId={session.id} />
      </Part>
      <Part title="Agent">
        <Facts>
          <Fact name="Agent">{session.agentId}</Fact>
        </Facts>
        {warnings.length === 0 ? null : (
          <ul className="mt-2 text-needs">
            {[...new Set(warnings)].map((warning) => (
              <li className="break-words" key={warning}>
                ▲ <Given text={warning} />
              </li>
            ))}
          </ul>
        )}
      </Part>
      <PermissionPart session={session} />
      {session.workers.length === 0 ? null : <Workers session={session} />}
      <Part title="Ids">
        <Facts>
          <Fact name="Session">
            <Copied shown={session.id.slice(0, SHORT_ID)} text={session.id} what="Session id" />
          </Fact>
          {session.worktreeId === null ? null : (
            <Fact name="Worktree">
              <Copied shown={session.worktreeId.slice(0, SHORT_ID)} text={session.worktreeId} what="Worktree id" />
            </Fact>
          )}
          <Fact name="Created">
            <Age since={session.createdAt} />
          </Fact>
        </Facts>
      </Part>
    </div>
  );
}

function Files({ session, worktreeId }: { session: Session; worktreeId: string }) {
  const { data, error } = useDiff(worktreeId);
  const all = data === undefined ? undefined : data.files.length + data.moreFiles;
  return (
    <Part aside={all} title="Files changed">
      {error === null ? null : (
        <p className="break-words text-failed">
          ⊘ <Given text={error.message} />
        </p>
      )}
      {all === 0 ? <p className="text-quiet">None.</p> : null}
      <ul>
        {data?.files.slice(0, FILES_SHOWN).map((file) => (
          <li className="flex items-baseline gap-2 font-mono text-sm leading-5" key={file.path}>
            <span className="min-w-0 flex-1 truncate text-left [direction:rtl]" title={visible(file.path)}>
              <Given text={file.path} />
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
    </Part>
  );
}

function Workers({ session }: { session: Session }) {
  const taken = useTaken(session.id, session.workers.some(isLiving));
  const idleSince = agentOf(session)?.activitySince;
  return (
    <Part aside={session.workers.length} title="Workers">
      <ul>
        {session.workers.slice(-WORKERS_SHOWN).map((worker) => (
          <WorkerLine key={worker.id} taken={taken?.get(worker.id)} worker={worker} />
        ))}
      </ul>
      {session.reclaimable && idleSince !== undefined ? (
        <p className="mt-1 text-quiet">
          Idle for <Age since={idleSince} /> and kept: this agent cannot resume a conversation. Stop the session to free
          its memory.
        </p>
      ) : null}
    </Part>
  );
}

/** Where it came from and what came from it. */
function Kin({ session }: { session: Session }) {
  const sessions = useDirectory((directory) => directory.sessions);
  const parent = sessions[parentOf(session) ?? ''];
  const children = session.genealogy.children.flatMap((id) => sessions[id] ?? []);
  if (parent === undefined && children.length === 0) return null;
  return (
    <Part title="Family">
      <Facts>
        {parent === undefined ? null : (
          <Fact name={session.genealogy.parentSessionId === null ? 'Fork of' : 'Parent'}>
            <Relative session={parent} />
          </Fact>
        )}
        {children.length === 0 ? null : (
          <Fact name="Children">
            <ul>
              {children.map((child) => (
                <li key={child.id}>
                  <Relative session={child} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </Facts>
    </Part>
  );
}

function Relative({ session }: { session: Session }) {
  const standing = useStanding(session);
  return (
    <Link
      className="flex min-w-0 items-center gap-1 hover:underline"
      params={{ sessionId: session.id }}
      to="/sessions/$sessionId"
    >
      {standing === undefined ? null : <StandingGlyph standing={standing} />}
      <GivenLine text={nameOf(session)} />
    </Link>
  );
}
