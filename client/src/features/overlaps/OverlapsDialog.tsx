import { shortId } from '@agent-console/shared/ids';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Overlap } from '@agent-console/shared/models/overlap';
import { useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { OutcomeDialog } from '../integrations/OutcomeDialog.tsx';
import { sessionName } from '../sessions/badge.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { overlapsOf } from './overlaps-store.ts';

const FILES_SHOWN = 12;

/** Dialog that lists the worktrees that change the same files as the requested worktree, with links to the diffs. */
export default function OverlapsDialog({ request, onClose }: DialogBodyProps<'overlaps'>) {
  const { repositoryId, worktreeId } = request;
  const { data, error, isPending } = useOperationQuery('repositories.overlaps', { repositoryId, limit: PAGE_MAX });
  const overlaps = overlapsOf(data?.data ?? [], worktreeId);
  return (
    <OutcomeDialog closesOutside onClose={onClose} title="Sessions that change the same files" width="wide">
      <div className="flex flex-col gap-4">
        <Heading onClose={onClose} worktreeId={worktreeId} />
        <Problem error={error} />
        {isPending ? <Skeleton /> : null}
        {overlaps.map((overlap) => (
          <Pair
            key={overlap.worktreeIds.join(' ')}
            onClose={onClose}
            otherId={overlap.worktreeIds.find((id) => id !== worktreeId) ?? ''}
            overlap={overlap}
          />
        ))}
        {data !== undefined && overlaps.length === 0 ? (
          <p className="text-quiet">No other session changes the same files.</p>
        ) : null}
      </div>
    </OutcomeDialog>
  );
}

/** Another worktree, and the files that both worktrees change. */
function Pair({ overlap, otherId, onClose }: { overlap: Overlap; otherId: string; onClose(): void }) {
  const { files } = overlap;
  const more = files.length - FILES_SHOWN;
  return (
    <section className="flex flex-col gap-1.5">
      <Heading onClose={onClose} worktreeId={otherId} />
      <ul className="divide-y divide-line rounded-md border border-line bg-sunken">
        {files.slice(0, FILES_SHOWN).map(({ path, kind }) => (
          <li className="flex items-baseline gap-3 px-2.5 py-1" key={path}>
            <UntrustedLine className="flex-1 font-mono text-sm" text={path} />
            <span className={`shrink-0 text-sm ${kind === 'conflict' ? 'text-needs' : 'text-quiet'}`}>
              {kind === 'conflict' ? '▲ conflict' : 'no conflict'}
            </span>
          </li>
        ))}
        {more > 0 ? <li className="px-2.5 py-1 text-quiet">{`and ${more.toLocaleString('en')} more`}</li> : null}
      </ul>
    </section>
  );
}

/** Session and branch of a worktree, with a link to its diff. */
function Heading({ worktreeId, onClose }: { worktreeId: string; onClose(): void }) {
  const openSession = useOpenSession();
  const session = useSessions(({ sessions }) =>
    Object.values(sessions).findLast((each) => each.worktreeId === worktreeId),
  );
  const { data } = useOperationQuery('worktrees.get', { worktreeId });
  const name = session === undefined ? (data?.name ?? shortId(worktreeId)) : sessionName(session);
  return (
    <header className="flex items-center gap-3">
      <h3 className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
        <UntrustedLine className="font-medium" text={name} />
        <UntrustedLine className="font-mono text-sm text-quiet" text={data?.branch ?? ''} />
      </h3>
      {session === undefined ? null : (
        <Button
          aria-label={`Open the diff of ${escapeHidden(name)}`}
          onClick={() => {
            onClose();
            openSession(session.id, { view: 'diff' });
          }}
        >
          Open diff
        </Button>
      )}
    </header>
  );
}
