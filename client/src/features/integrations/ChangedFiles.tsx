import type { ReactNode } from 'react';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { Counts } from '../diff/FileHeader.tsx';
import type { DiffFile } from '../diff/types.ts';

/** Changed files, each with a checkbox. `children` is shown below a file. */
export function ChangedFiles(props: {
  files: readonly DiffFile[];
  chosenOf(file: DiffFile): 'all' | 'some' | 'none';
  onToggle(file: DiffFile): void;
  children?: (file: DiffFile) => ReactNode;
}) {
  const { files, chosenOf, onToggle, children } = props;
  return (
    <fieldset className="flex min-w-0 flex-col">
      <legend className="mb-1 font-medium">Files</legend>
      <ul className="max-h-80 overflow-y-auto rounded-md border border-line bg-sunken px-2.5 py-1 empty:hidden">
        {files.map((file) => {
          const { path, status, additions, deletions } = file;
          const chosen = chosenOf(file);
          return (
            <li key={path}>
              <label className="flex items-center gap-2 py-0.5 max-md:py-2">
                <input
                  aria-label={`${escapeHidden(path)}, ${status}`}
                  checked={chosen !== 'none'}
                  className="size-4 accent-accent"
                  onChange={() => onToggle(file)}
                  ref={(box) => {
                    if (box !== null) box.indeterminate = chosen === 'some';
                  }}
                  type="checkbox"
                />
                <UntrustedLine className="flex-1 font-mono text-sm" text={path} />
                <span className="shrink-0 text-sm text-quiet">{status}</span>
                <span className="w-20 shrink-0 text-right">
                  <Counts additions={additions} deletions={deletions} label />
                </span>
              </label>
              {children?.(file)}
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
