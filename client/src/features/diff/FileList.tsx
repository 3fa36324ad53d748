import { pluralize } from '@agent-console/shared/pluralize';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { Meter } from '../../ui/Meter.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { toggled } from '../events/Feed.tsx';
import type { Comment } from './comments.ts';
import { Counts, displayPath, StatusGlyph } from './FileHeader.tsx';
import { type FileTreeRow, fileTreeRows } from './file-tree.ts';
import type { DiffFile } from './types.ts';

/** Row height in CSS pixels; ROW_PX_PHONE applies on a phone. */
const ROW_PX = 28;
const ROW_PX_PHONE = 40;
const INDENT_PX = 8;

/** List of changed files by folder. Highlights the file that is at the top of the diff. */
export function FileList(props: {
  files: readonly DiffFile[];
  total: number;
  moreFiles: number;
  current: string | undefined;
  isViewed: (file: DiffFile) => boolean;
  comments: readonly Comment[];
  filter: string;
  onFilter: (filter: string) => void;
  filterRef: RefObject<HTMLInputElement | null>;
  onChoose: (file: DiffFile) => void;
}) {
  const { files, total, moreFiles, current, isViewed, comments, filter, onFilter, filterRef, onChoose } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const rowPx = useMedia(PHONE) ? ROW_PX_PHONE : ROW_PX;
  const rows = useMemo(() => fileTreeRows(files, folded), [files, folded]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every row has this height
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  const at = rows.findIndex((row) => row.kind === 'file' && row.file.path === current);
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [at, virtualizer]);
  const viewed = files.filter(isViewed).length;
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const { path } of comments) found.set(path, (found.get(path) ?? 0) + 1);
    return found;
  }, [comments]);
  return (
    <nav aria-label="Changed files" className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-2 border-b border-line p-1.5">
        <input
          aria-label="Filter files"
          className="h-7 min-w-0 flex-1 rounded-md border border-line bg-bg px-2 max-md:h-10 max-md:text-[16px]"
          onChange={(event) => onFilter(event.target.value)}
          onKeyDown={(event) => {
            const [first] = files;
            if (event.key === 'Enter' && first !== undefined) onChoose(first);
          }}
          placeholder="Filter files"
          ref={filterRef}
          type="search"
          value={filter}
        />
        <span className="shrink-0 pr-1 text-sm text-quiet tabular-nums" title="Files viewed">
          {viewed}/{files.length}
        </span>
      </div>
      <Meter
        className="h-0.5! w-full rounded-none!"
        label={`${viewed} of ${pluralize(files.length, 'file')} viewed`}
        max={Math.max(1, files.length)}
        value={viewed}
      />
      <div className="min-h-0 flex-1 overflow-y-auto" ref={scroller} tabIndex={-1}>
        <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = row.kind === 'file' ? row.file.path : `${row.path}/`;
            return (
              <li className="absolute inset-x-0 top-0" key={key} style={{ transform: `translateY(${start}px)` }}>
                {row.kind === 'folder' ? (
                  <FolderRow onToggle={() => setFolded(toggled(folded, row.path))} row={row} />
                ) : (
                  <FileRow
                    comments={counts.get(row.file.path) ?? 0}
                    current={row.file.path === current}
                    depth={row.depth}
                    file={row.file}
                    onChoose={onChoose}
                    viewed={isViewed(row.file)}
                  />
                )}
              </li>
            );
          })}
        </ul>
        {files.length === 0 && total > 0 && <p className="p-3 text-quiet">{`No files match “${filter}”.`}</p>}
        {moreFiles > 0 && (
          <p className="p-3 text-quiet">
            {`${pluralize(moreFiles, 'more file is', 'more files are')} not listed. `}
            To see all changed files, run git status -uall, and git diff --stat with the base commit, in a terminal.
          </p>
        )}
      </div>
    </nav>
  );
}

function FolderRow({ row, onToggle }: { row: Extract<FileTreeRow, { kind: 'folder' }>; onToggle: () => void }) {
  return (
    <button
      aria-expanded={!row.isFolded}
      className="flex h-7 w-full items-center gap-1.5 px-2 text-left text-quiet hover:bg-hover max-md:h-10"
      onClick={onToggle}
      style={{ paddingLeft: 8 + row.depth * INDENT_PX }}
      title={row.path}
      type="button"
    >
      <span aria-hidden className="w-4 shrink-0 text-center text-sm">
        {row.isFolded ? '▸' : '▾'}
      </span>
      <UntrustedLine className="flex-1" text={row.name} />
      {row.isFolded ? <span className="shrink-0 text-sm tabular-nums">{row.files}</span> : null}
    </button>
  );
}

function FileRow(props: {
  file: DiffFile;
  depth: number;
  current: boolean;
  viewed: boolean;
  comments: number;
  onChoose: (file: DiffFile) => void;
}) {
  const { file, depth, current, viewed, comments, onChoose } = props;
  const cut = file.path.lastIndexOf('/', file.path.length - 2) + 1;
  return (
    <button
      aria-current={current || undefined}
      className={`flex h-7 w-full items-center gap-1.5 px-2 text-left hover:bg-hover aria-[current=true]:bg-selected max-md:h-10 ${viewed ? 'text-quiet' : ''}`}
      onClick={() => onChoose(file)}
      style={{ paddingLeft: 8 + depth * INDENT_PX }}
      title={displayPath(file)}
      type="button"
    >
      <StatusGlyph status={file.status} />
      <UntrustedLine
        className={`flex-1 ${file.status === 'deleted' ? 'line-through' : ''}`}
        text={file.path.slice(cut)}
      />
      {comments > 0 && (
        <span className="shrink-0 rounded-full bg-selected px-1.5 text-sm" title="Unsent comments">
          {comments}
        </span>
      )}
      <Counts additions={file.additions} deletions={file.deletions} />
      <span className="w-3 shrink-0 text-quiet" title={viewed ? 'viewed' : undefined}>
        {viewed ? '✓' : ''}
      </span>
    </button>
  );
}
