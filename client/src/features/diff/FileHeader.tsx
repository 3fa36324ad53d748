import { useKeyHints } from '../../shell/key-hints.ts';
import { escapeHidden, isolateText } from '../../ui/hidden-characters.ts';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import type { DiffFile } from './types.ts';

const STATUS: Record<DiffFile['status'], { glyph: string; word: string; colour: string }> = {
  added: { glyph: 'A', word: 'added', colour: 'text-added' },
  untracked: { glyph: 'U', word: 'untracked', colour: 'text-added' },
  modified: { glyph: 'M', word: 'modified', colour: 'text-quiet' },
  deleted: { glyph: 'D', word: 'deleted', colour: 'text-removed' },
  renamed: { glyph: 'R', word: 'renamed', colour: 'text-quiet' },
  copied: { glyph: 'C', word: 'copied', colour: 'text-quiet' },
  typeChanged: { glyph: 'T', word: 'type changed', colour: 'text-quiet' },
};

/** Returns the path of a file. If the file was renamed or copied, the previous path comes first. */
export function displayPath({ path, oldPath }: DiffFile): string {
  return oldPath === null ? escapeHidden(path) : `${isolateText(oldPath)} → ${isolateText(path)}`;
}

/** One-letter glyph of a file's status, with the status as tooltip and accessible name. */
export function StatusGlyph({ status }: { status: DiffFile['status'] }) {
  const { glyph, word, colour } = STATUS[status];
  return (
    <abbr
      aria-label={word}
      className={`w-4 shrink-0 text-center font-mono text-sm no-underline ${colour}`}
      title={word}
    >
      {glyph}
    </abbr>
  );
}

const NUMBERS = new Intl.NumberFormat('en');

/** Numbers of added and removed lines, e.g. `+214 −31`. */
export function Counts({ additions, deletions, label }: { additions: number; deletions: number; label?: boolean }) {
  return (
    <span className="shrink-0 whitespace-nowrap font-mono text-sm tabular-nums">
      {(label || additions > 0) && <span className="text-added">+{NUMBERS.format(additions)}</span>}
      {(label || (additions > 0 && deletions > 0)) && ' '}
      {(label || deletions > 0) && <span className="text-removed">−{NUMBERS.format(deletions)}</span>}
    </span>
  );
}

export function FileHeader(props: {
  file: DiffFile;
  additions: number;
  deletions: number;
  collapsed: boolean;
  viewed: boolean;
  onToggle: () => void;
  onViewed: (viewed: boolean) => void;
}) {
  const { file, additions, deletions, collapsed, viewed, onToggle, onViewed } = props;
  const { withKeys } = useKeyHints();
  const cut = file.path.lastIndexOf('/', file.path.length - 2) + 1;
  return (
    <div className="flex h-9 items-center gap-2 border-y max-md:h-11 border-line bg-sunken pr-3 pl-1">
      <button
        aria-expanded={!collapsed}
        className="flex h-full min-w-0 flex-1 items-center gap-1.5 px-1 text-left"
        onClick={onToggle}
        tabIndex={-1}
        title={displayPath(file)}
        type="button"
      >
        <span aria-hidden className="w-3 shrink-0 text-quiet">
          {collapsed ? '▸' : '▾'}
        </span>
        <StatusGlyph status={file.status} />
        <span className="flex min-w-0 items-baseline">
          <UntrustedLine className="shrink-[1000] text-quiet" text={file.path.slice(0, cut)} />
          <UntrustedLine className="font-medium" text={file.path.slice(cut)} />
          {file.oldPath !== null && (
            <span className="ml-2 min-w-0 truncate text-quiet max-md:hidden">
              {file.status === 'copied' ? 'copied from' : 'renamed from'} <UntrustedText text={file.oldPath} />
            </span>
          )}
          {file.oldMode !== null && file.newMode !== null && file.oldMode !== file.newMode && (
            <span className="ml-2 shrink-0 text-quiet max-md:hidden">
              mode {file.oldMode} → {file.newMode}
            </span>
          )}
        </span>
      </button>
      <Counts additions={additions} deletions={deletions} />
      <button
        aria-pressed={viewed}
        className="flex h-full shrink-0 items-center gap-1.5 px-1 text-quiet hover:text-text max-md:min-w-10 max-md:justify-center"
        onClick={() => onViewed(!viewed)}
        tabIndex={-1}
        title={`${withKeys('Mark as viewed', 'mark-file-as-viewed-and-go-to-the-next')}. A later change to the file clears the mark.`}
        type="button"
      >
        <span
          aria-hidden
          className={`flex size-3.5 items-center justify-center rounded border border-line-strong text-[10px] leading-none ${viewed ? 'bg-accent text-on-accent' : 'bg-bg'}`}
        >
          {viewed ? '✓' : ''}
        </span>
        <span className="max-md:sr-only">Viewed</span>
      </button>
    </div>
  );
}
