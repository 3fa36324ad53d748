import { pluralize } from '@agent-console/shared/pluralize';
import type { ReactNode } from 'react';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { Counts, StatusGlyph } from '../diff/FileHeader.tsx';
import type { DiffFile } from '../diff/types.ts';

type Chosen = 'all' | 'some' | 'none';

/**
 * A list of files, each with a checkbox, and one checkbox for all of them. Below each file is what `children` returns.
 */
export function ChangedFiles(props: {
  files: readonly DiffFile[];
  chosenOf(file: DiffFile): Chosen;
  onToggle(file: DiffFile): void;
  /** Called to choose all files or none. */
  onAll(chosen: boolean): void;
  children?: (file: DiffFile) => ReactNode;
}) {
  const { files, chosenOf, onToggle, onAll, children } = props;
  const states = new Set(files.map(chosenOf));
  const [first = 'none'] = states;
  const all = states.size > 1 ? 'some' : first;
  return (
    <fieldset className="flex min-w-0 flex-col">
      <legend className="mb-1 font-medium">Files</legend>
      {/* On a phone, the list has no scroll bar of its own, because the dialog scrolls. */}
      <ul className="overflow-y-auto rounded-md border border-line bg-sunken px-2.5 py-1 empty:hidden md:max-h-80">
        {files.length < 2 ? null : (
          <li className="mb-1 border-b border-line pb-1">
            <Choice chosen={all} onToggle={() => onAll(all !== 'all')}>
              {`All ${pluralize(files.length, 'file')}`}
            </Choice>
          </li>
        )}
        {files.map((file) => {
          const { path, status, additions, deletions } = file;
          const folder = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
          return (
            <li key={path}>
              <Choice
                chosen={chosenOf(file)}
                label={`${escapeHidden(path)}, ${status}`}
                onToggle={() => onToggle(file)}
              >
                {/* On a phone, the folder is below the file's name. */}
                <span
                  className="flex min-w-0 flex-1 font-mono text-sm max-md:flex-col-reverse"
                  title={escapeHidden(path)}
                >
                  <UntrustedLine className="text-quiet empty:hidden md:shrink-[1000]" text={folder} />
                  <UntrustedLine
                    className="max-md:whitespace-normal max-md:break-all"
                    text={path.slice(folder.length)}
                  />
                </span>
                <span className="shrink-0 text-sm text-quiet max-md:hidden">{status}</span>
                <span className="md:hidden">
                  <StatusGlyph status={status} />
                </span>
                <span className="shrink-0 text-right md:w-20">
                  <Counts additions={additions} deletions={deletions} label />
                </span>
              </Choice>
              {children?.(file)}
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}

/** A line with a checkbox. The accessible name of the checkbox is `label`, by default the text of the line. */
function Choice(props: { chosen: Chosen; label?: string; onToggle(): void; children: ReactNode }) {
  const { chosen, label, onToggle, children } = props;
  return (
    <label className="flex items-center gap-2 py-0.5 max-md:min-h-11 max-md:gap-2.5 max-md:py-1">
      <input
        aria-label={label}
        checked={chosen !== 'none'}
        className="size-4 shrink-0 accent-accent max-md:size-5"
        onChange={onToggle}
        ref={(box) => {
          if (box !== null) box.indeterminate = chosen === 'some';
        }}
        type="checkbox"
      />
      {children}
    </label>
  );
}
