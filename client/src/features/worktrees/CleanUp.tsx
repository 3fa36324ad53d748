import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { PRUNABLE_ARCHIVED_DAYS, PRUNE_MAX } from '@agent-console/shared/limits/worktrees';
import type { PrunableWorktree, PrunedWorktree, PruneReason } from '@agent-console/shared/models/prunable';
import { pluralize } from '@agent-console/shared/pluralize';
import { useRef, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import { escapeHidden, isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { useVisibleRange } from '../sessions/use-visible-range.ts';
import { formatBytes } from './removal-losses.ts';

const ROW_HEIGHT = 36;
const ROW_HEIGHT_PHONE = 60;
/** Poll interval in milliseconds while the server measures sizes. Polling is needed because no event reports a size. */
const SIZES_POLL_MS = 2_000;

const REASONS: Readonly<Record<PruneReason, string>> = {
  merged: 'merged',
  unchanged: 'never changed',
  archived: `all its sessions archived more than ${PRUNABLE_ARCHIVED_DAYS} days ago`,
};

/** Worktrees that are no longer needed. They are removed together, and can be restored together or one by one. */
export function CleanUp({ repositoryId }: { repositoryId: string }) {
  const [isMeasuring, setMeasuring] = useState(true);
  const input = { repositoryId, limit: PAGE_MAX };
  const query = useOperationQuery('repositories.prunable', input, { refetchInterval: isMeasuring && SIZES_POLL_MS });
  const { data, error, isPending } = query;
  const worktrees = data?.data ?? [];
  const unmeasured = data === undefined || worktrees.some(({ bytes }) => bytes === null);
  if (unmeasured !== isMeasuring) setMeasuring(unmeasured);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [deleteBranches, setDeleteBranches] = useState(false);
  const [removed, setRemoved] = useState<readonly (PrunedWorktree & { name: string })[]>([]);
  const names = useRef(new Map<string, string>());
  for (const { worktreeId, name } of worktrees) names.current.set(worktreeId, name);
  const prune = useOperationMutation('repositories.prune', {
    onSuccess: ({ results }) => {
      setChosen(new Set());
      setRemoved(results.map((each) => ({ ...each, name: names.current.get(each.worktreeId) ?? each.worktreeId })));
    },
    onLateSuccess({ results }) {
      const kept = results.flatMap(({ error: why }) => why ?? []);
      const problems = [...kept, ...results.flatMap(({ warnings }) => warnings)];
      const text = problems.length === 0 ? {} : { text: isolateText(problems.join(' ')) };
      toast({ kind: kept.length === 0 ? 'plain' : 'failed', title: describeRemoved(results), ...text });
    },
    onLateError: failureToast('Could not remove the worktrees'),
  });
  const selected = worktrees.filter(({ worktreeId }) => chosen.has(worktreeId)).slice(0, PRUNE_MAX);
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      for (const id of ids) isChosen ? after.add(id) : after.delete(id);
      return after;
    });
  if (isPending) return <Skeleton />;
  return (
    <>
      <Problem error={error ?? prune.error} />
      <Results results={removed} />
      {worktrees.length === 0 ? (
        <p className="text-quiet">There is nothing to clean up.</p>
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <Checkbox
              checked={selected.length === Math.min(worktrees.length, PRUNE_MAX)}
              label={`Select all (${pluralize(worktrees.length, 'worktree')}, ${sizeOf(worktrees)})`}
              onChange={(all) =>
                choose(
                  worktrees.map(({ worktreeId }) => worktreeId),
                  all,
                )
              }
            />
            <span className="flex-1" />
            <Checkbox
              checked={deleteBranches}
              label="Also delete the merged branches of the selected worktrees"
              onChange={setDeleteBranches}
            />
            {selected.length === 0 ? (
              <Button disabled>Remove…</Button>
            ) : (
              <ConfirmButton
                busy={prune.isPending}
                confirm={`Remove ${pluralize(selected.length, 'worktree')}`}
                label={`Remove ${selected.length.toLocaleString('en')}… (${sizeOf(selected)})`}
                onConfirm={() =>
                  prune.mutate({
                    repositoryId,
                    deleteBranches,
                    worktreeIds: selected.map(({ worktreeId }) => worktreeId),
                  })
                }
              />
            )}
          </div>
          <Candidates chosen={chosen} onChoose={(id, isChosen) => choose([id], isChosen)} worktrees={worktrees} />
        </>
      )}
    </>
  );
}

function describeRemoved(results: readonly PrunedWorktree[]): string {
  const done = results.filter(({ removed }) => removed).length;
  return `${done.toLocaleString('en')} of ${pluralize(results.length, 'worktree')} removed`;
}

function sizeOf(worktrees: readonly PrunableWorktree[]): string {
  const measured = worktrees.flatMap(({ bytes }) => bytes ?? []);
  const total = formatBytes(measured.reduce((sum, bytes) => sum + bytes, 0));
  return measured.length < worktrees.length ? `at least ${total}` : total;
}

function Candidates(props: {
  worktrees: readonly PrunableWorktree[];
  chosen: ReadonlySet<string>;
  onChoose(worktreeId: string, isChosen: boolean): void;
}) {
  const { worktrees, chosen, onChoose } = props;
  const box = useRef<HTMLUListElement>(null);
  const height = useMedia(PHONE) ? ROW_HEIGHT_PHONE : ROW_HEIGHT;
  const { range, onScroll } = useVisibleRange(box, worktrees.length, height);
  return (
    <ul
      aria-label="Worktrees that can be removed"
      className="relative max-h-[40vh] overflow-y-auto rounded-lg border border-line [overflow-anchor:none]"
      onScroll={onScroll}
      ref={box}
      style={{ height: worktrees.length * height + 2 }}
    >
      {worktrees.slice(range.first, range.end).map((worktree, offset) => {
        const index = range.first + offset;
        const { worktreeId, name, branch, reasons, dirtyFiles, bytes } = worktree;
        const why = reasons.map((reason) => REASONS[reason]).join(', ');
        return (
          <li
            aria-posinset={index + 1}
            aria-setsize={worktrees.length}
            className={`absolute inset-x-0 ${index === 0 ? '' : 'border-t border-line'}`}
            key={worktreeId}
            style={{ top: index * height, height }}
          >
            <label className="flex h-full items-center gap-3 px-3 hover:bg-hover">
              <input
                aria-label={`${escapeHidden(name)}, ${why}`}
                checked={chosen.has(worktreeId)}
                className="size-4 shrink-0 accent-accent"
                onChange={(event) => onChoose(worktreeId, event.target.checked)}
                type="checkbox"
              />
              <span className="flex min-w-0 flex-1 items-baseline gap-x-3 max-md:flex-col">
                <UntrustedLine className="font-medium" text={name} />
                {branch === null || branch === name ? null : (
                  <UntrustedLine className="font-mono text-sm text-quiet max-md:hidden" text={branch} />
                )}
                <span className="shrink-0 text-sm text-quiet">
                  {why}
                  {dirtyFiles === 0
                    ? ''
                    : ` · ${pluralize(dirtyFiles, 'uncommitted file')}, saved for 30 days after removal`}
                </span>
              </span>
              <span className="shrink-0 text-sm tabular-nums text-quiet">
                {bytes === null ? 'measuring…' : formatBytes(bytes)}
              </span>
            </label>
          </li>
        );
      })}
      {/* The spacer gives the list the total height of all rows, so that it scrolls correctly. */}
      <li aria-hidden="true" style={{ height: worktrees.length * height }} />
    </ul>
  );
}

/**
 * The results of the last removal, one for each worktree, with buttons that restore one or all of the removed
 * worktrees.
 */
function Results({ results }: { results: readonly (PrunedWorktree & { name: string })[] }) {
  const [restored, setRestored] = useState<ReadonlySet<string>>(new Set());
  const restore = useOperationMutation('worktrees.restore');
  const [busy, setBusy] = useState(false);
  if (results.length === 0) return null;
  const left = results.filter(({ removed, worktreeId }) => removed && !restored.has(worktreeId));
  const noteRestored = (worktreeId: string) => setRestored((before) => new Set([...before, worktreeId]));
  const restoreAll = async () => {
    setBusy(true);
    for (const { worktreeId } of left) {
      await restore
        .mutateAsync({ worktreeId })
        .then(() => noteRestored(worktreeId), failureToast('Could not restore the worktree'));
    }
    setBusy(false);
  };
  return (
    <section aria-label="Results" className="flex flex-col gap-1 rounded-lg border border-line bg-sunken px-3 py-2">
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1" role="status">
          {`${describeRemoved(results)}. Removed worktrees can be restored for 30 days.`}
        </p>
        {left.length < 2 && !busy ? null : (
          <Button busy={busy} onClick={() => void restoreAll()}>
            {`Restore all ${left.length.toLocaleString('en')}`}
          </Button>
        )}
      </div>
      <ul className="max-h-60 overflow-y-auto">
        {results.map((result) => (
          <Result
            isRestored={restored.has(result.worktreeId)}
            key={result.worktreeId}
            onRestored={() => noteRestored(result.worktreeId)}
            result={result}
          />
        ))}
      </ul>
    </section>
  );
}

function Result(props: { result: PrunedWorktree & { name: string }; isRestored: boolean; onRestored(): void }) {
  const { result, isRestored, onRestored } = props;
  const { worktreeId, name, removed, branchDeleted, error, warnings } = result;
  const restore = useOperationMutation('worktrees.restore', {
    onSuccess: onRestored,
    onLateError: failureToast('Could not restore the worktree'),
  });
  const problem = restore.error?.message ?? error;
  const state = isRestored ? 'restored' : `removed${branchDeleted ? ' with its branch' : ''}`;
  return (
    <li className="flex items-center gap-3 py-0.5">
      <UntrustedLine className="font-medium" text={name} />
      <div className="min-w-0 flex-1 text-sm">
        <span className={problem === null ? 'text-quiet' : 'text-needs'}>
          {removed ? state : 'kept'}
          {problem === null ? null : (
            <>
              : <UntrustedText text={problem} />
            </>
          )}
        </span>
        {warnings.map((warning) => (
          <UntrustedBlock className="text-needs" key={warning} text={warning} />
        ))}
      </div>
      {removed && !isRestored ? (
        <Button
          aria-label={`Restore ${escapeHidden(name)}`}
          busy={restore.isPending}
          onClick={() => restore.mutate({ worktreeId })}
        >
          Restore
        </Button>
      ) : null}
    </li>
  );
}
