import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormDialog, LoadingDialog } from '../../ui/Dialog.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import type { DiffFile } from '../diff/types.ts';
import { ChangedFiles } from './ChangedFiles.tsx';
import {
  chosenOf,
  discardRequest,
  type Excluded,
  isDivisible,
  restoreCommand,
  toggled,
  unitKey,
  unitsOf,
} from './discard-selection.ts';
import { OutcomeDialog } from './OutcomeDialog.tsx';
import { noneChosen } from './wording.ts';

const UNDO_FAILED = 'Could not restore the discarded changes';

function describeRestored({ files }: { files: number }): string {
  return `Discarded changes of ${pluralize(files, 'file')} restored. They are not staged.`;
}

function announceRestored(restored: { files: number }): void {
  toast({ kind: 'plain', title: 'Changes restored', text: describeRestored(restored) });
}

/** Brings discarded changes back and reports the outcome in a toast. */
async function undoDiscard(worktreeId: string, recoveryRef: string): Promise<void> {
  await call('worktrees.undoDiscard', { worktreeId, recoveryRef }).then(announceRestored, failureToast(UNDO_FAILED));
}

/** Discards all or some of the uncommitted changes of a worktree, by file and hunk. */
export default function DiscardDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'discard'>) {
  const discard = useOperationMutation('worktrees.discard', {
    onLateSuccess: ({ files, recoveryRef }) =>
      toast({
        kind: 'plain',
        title: `Changes of ${pluralize(files, 'file')} discarded`,
        action: { label: 'Undo', run: () => void undoDiscard(worktreeId, recoveryRef) },
      }),
    onLateError: failureToast('Could not discard the changes'),
  });
  const { data: diff, error } = useOperationQuery('worktrees.diff', { worktreeId, base: 'HEAD' });
  const [excluded, setExcluded] = useState<Excluded>(new Set());
  /** The chosen files at the time of submission. Afterwards, the diff is fetched again without the discarded files. */
  const [submitted, setSubmitted] = useState<readonly DiffFile[]>([]);
  if (discard.data !== undefined) {
    return <Discarded files={submitted} onClose={onClose} result={discard.data} worktreeId={worktreeId} />;
  }
  if (diff === undefined) return <LoadingDialog error={error} onClose={onClose} title="Discard changes" width="wide" />;
  const { files, moreFiles } = diff;
  const chosen = files.filter((file) => chosenOf(file, excluded) !== 'none');
  return (
    <FormDialog
      blocked={chosen.length > 0 ? undefined : noneChosen(files)}
      busy={discard.isPending}
      danger
      hint="The discarded changes are saved for 30 days."
      onClose={onClose}
      onSubmit={() => {
        setSubmitted(chosen);
        discard.mutate({ worktreeId, ...discardRequest(files, excluded) });
      }}
      problem={<Problem error={discard.error} />}
      submit={`Discard changes of ${pluralize(chosen.length, 'file')}`}
      title="Discard changes"
      width="wide"
    >
      <p>The chosen changes since the last commit are removed from the files. Chosen untracked files are deleted.</p>
      <Problem error={error} />
      <ChangedFiles
        chosenOf={(file) => chosenOf(file, excluded)}
        files={files}
        onAll={(all) => setExcluded(new Set(all ? [] : files.flatMap(unitsOf)))}
        onToggle={(file) => setExcluded(toggled(excluded, unitsOf(file)))}
      >
        {(file) =>
          isDivisible(file) ? (
            <HunkChoice excluded={excluded} file={file} onToggle={(unit) => setExcluded(toggled(excluded, [unit]))} />
          ) : null
        }
      </ChangedFiles>
      {moreFiles > 0 ? (
        <p className="text-quiet">
          {pluralize(moreFiles, 'more file')} will not be discarded, because there are too many files to list.
        </p>
      ) : null}
    </FormDialog>
  );
}

function HunkChoice(props: { file: DiffFile; excluded: Excluded; onToggle(unit: string): void }) {
  const { file, excluded, onToggle } = props;
  const units = unitsOf(file);
  const chosen = units.filter((unit) => !excluded.has(unit)).length;
  return (
    <details className="pb-1 pl-6 max-md:pl-7.5">
      <summary className="cursor-pointer rounded text-sm text-quiet hover:text-text max-md:py-2.5">
        {chosen} of {pluralize(units.length, 'hunk')}
      </summary>
      <ul className="flex flex-col gap-1.5 pt-1">
        {file.hunks.map(({ header, lines }, at) => {
          const unit = unitKey(file, at);
          return (
            <li className="overflow-hidden rounded-md border border-line bg-bg" key={unit}>
              <label className="flex items-center gap-2 px-2 py-0.5 max-md:py-2.5">
                <input
                  aria-label={`Hunk ${at + 1} of ${escapeHidden(file.path)}`}
                  checked={!excluded.has(unit)}
                  className="size-4 accent-accent max-md:size-5"
                  onChange={() => onToggle(unit)}
                  type="checkbox"
                />
                <UntrustedLine className="flex-1 font-mono text-sm text-quiet" text={header} />
              </label>
              <pre className="max-h-40 overflow-auto border-t border-line px-2 py-1 font-mono text-sm">
                {lines.map((line, number) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a hunk never move
                  <div className={LINE_COLOURS[line[0] ?? '']} key={number}>
                    <UntrustedText text={line} />
                  </div>
                ))}
              </pre>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

const LINE_COLOURS: Readonly<Record<string, string>> = { '+': 'text-added', '-': 'text-removed' };

/** Result of discarding changes, with a button that restores all of them, and a command that restores single files. */
function Discarded(props: {
  files: readonly DiffFile[];
  result: { recoveryRef: string; files: number; leftOut: readonly string[] };
  worktreeId: string;
  onClose(): void;
}) {
  const { files, result, worktreeId, onClose } = props;
  const undo = useOperationMutation('worktrees.undoDiscard', {
    onLateSuccess: announceRestored,
    onLateError: failureToast(UNDO_FAILED),
  });
  const command = restoreCommand(result.recoveryRef, files);
  if (undo.data !== undefined) {
    return (
      <OutcomeDialog isDone onClose={onClose} title="Changes restored">
        <p role="status">{describeRestored(undo.data)}</p>
      </OutcomeDialog>
    );
  }
  return (
    <OutcomeDialog
      before={
        <Button busy={undo.isPending} onClick={() => undo.mutate({ worktreeId, recoveryRef: result.recoveryRef })}>
          Undo
        </Button>
      }
      isDone
      onClose={onClose}
      title={`Changes of ${pluralize(result.files, 'file')} discarded`}
      width="wide"
    >
      <Problem error={undo.error} />
      <p role="status">
        The discarded changes are saved for 30 days. To restore only some files, run this command in the worktree with
        only the paths of those files:
      </p>
      <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-2.5">
        <code className="min-w-0 flex-1 break-all font-mono text-sm">
          <UntrustedText text={command} />
        </code>
        <CopyButton className="" icon label="Copy command" text={command} />
      </div>
      {result.leftOut.length === 0 ? null : (
        <>
          <p className="text-needs">
            The changes of these files were not discarded, because the changes could not be saved, or because a folder
            with other files has taken the place of a file:
          </p>
          <ul className="font-mono text-sm">
            {result.leftOut.map((path) => (
              <li key={path}>
                <UntrustedLine text={path} />
              </li>
            ))}
          </ul>
        </>
      )}
    </OutcomeDialog>
  );
}
