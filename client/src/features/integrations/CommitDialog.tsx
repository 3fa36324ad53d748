import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { TextAreaField } from '../../ui/Field.tsx';
import { escapeHidden, isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { useForm } from '../../ui/use-form.ts';
import { JobDialog } from './JobDialog.tsx';
import { count } from './wording.ts';

/** Commits all or some of the uncommitted changes of a worktree. */
export default function CommitDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'commit'>) {
  const commit = useOperationMutation('worktrees.commit');
  const { data: diff, error } = useOperationQuery('worktrees.diff', { worktreeId, base: 'HEAD' });
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const { values, names, field } = useForm({ message: '' }, commit.error);
  const files = diff?.files ?? [];
  const included = files.filter(({ path }) => !excluded.has(path));
  const chosen = included.length;
  // A renamed file is committed with its old path, so that the old file is removed.
  const paths = included.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
  const toggle = (path: string) =>
    setExcluded((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  return (
    <JobDialog
      fields={names}
      hint={
        chosen === files.length ? 'All changes, also untracked files.' : `${chosen} of ${count(files.length, 'file')}`
      }
      mutation={commit}
      onClose={onClose}
      onResult={({ files: committed, warnings }) => {
        onClose();
        const title = `${count(Number(committed), 'file')} committed`;
        const text = Array.isArray(warnings) ? warnings.map(String).join('\n') : '';
        toast({ kind: 'plain', title, ...(text === '' ? {} : { text: isolateText(text) }) });
      }}
      onSubmit={() => commit.mutate({ worktreeId, message: values.message, ...(excluded.size === 0 ? {} : { paths }) })}
      progress="Committing"
      submit="Commit"
      title="Commit changes"
    >
      <TextAreaField {...field('message', 'Enter a message.')} label="Message" rows={2} />
      <Problem error={error} />
      {diff === undefined ? <Skeleton /> : null}
      <fieldset className="flex min-w-0 flex-col">
        <legend className="mb-1 font-medium">Files</legend>
        <ul className="max-h-60 overflow-y-auto rounded-md border border-line bg-sunken px-2.5 py-1 empty:hidden">
          {files.map(({ path, status, additions, deletions }) => (
            <li key={path}>
              <label className="flex items-center gap-2 py-0.5 max-md:py-2">
                <input
                  aria-label={`${escapeHidden(path)}, ${status}`}
                  checked={!excluded.has(path)}
                  className="size-4 accent-accent"
                  onChange={() => toggle(path)}
                  type="checkbox"
                />
                <UntrustedLine className="flex-1 font-mono text-sm" text={path} />
                <span className="shrink-0 text-sm text-quiet">{status}</span>
                <span className="w-20 shrink-0 text-right font-mono text-sm">
                  <span className="text-added">+{additions}</span> <span className="text-removed">−{deletions}</span>
                </span>
              </label>
            </li>
          ))}
        </ul>
      </fieldset>
    </JobDialog>
  );
}
