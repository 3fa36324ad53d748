import { useOperationQuery } from '../../api/operations.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';

/**
 * Lists the subfolders of a folder on the console's machine. A click on a git repository chooses it; a click on another
 * folder opens that folder.
 */
export function FolderPicker(props: {
  /** Folder to list; undefined for the home folder. */
  folder: string | undefined;
  /** Path of the chosen repository. */
  chosen: string;
  onOpen(path: string): void;
  onChoose(path: string): void;
}) {
  const { folder, chosen, onOpen, onChoose } = props;
  const { data, error } = useOperationQuery('folders.list', folder === undefined ? {} : { path: folder });
  return (
    <section aria-label="Folders" className="overflow-hidden rounded-md border border-line">
      <header className="flex items-center gap-2 border-b border-line bg-sunken px-2 py-1">
        <button
          aria-label="Open the parent folder"
          className="h-6 shrink-0 rounded px-1.5 hover:bg-hover disabled:opacity-50 max-md:size-10"
          disabled={data?.parent == null}
          onClick={() => onOpen(data?.parent ?? '/')}
          type="button"
        >
          ↑
        </button>
        <UntrustedLine className="min-w-0 flex-1 font-mono text-sm text-quiet" text={data?.path ?? folder ?? '~'} />
        {data === undefined || data.path === data.home ? null : (
          <button
            className="h-6 shrink-0 rounded px-1.5 text-sm text-quiet hover:bg-hover hover:text-text max-md:h-10"
            onClick={() => onOpen(data.home)}
            type="button"
          >
            Home
          </button>
        )}
      </header>
      <div className="h-48 overflow-y-auto">
        <Problem error={error} />
        {data?.folders.length === 0 ? <p className="p-3 text-quiet">No folders here</p> : null}
        <ul>
          {data?.folders.map(({ name, path, isRepository, repositoryId }) => (
            <li key={path}>
              <button
                aria-pressed={isRepository ? path === chosen : undefined}
                className="flex min-h-7 w-full items-center gap-2 px-2 text-left hover:bg-hover disabled:text-quiet disabled:hover:bg-transparent aria-pressed:bg-selected max-md:min-h-10"
                disabled={repositoryId !== null}
                onClick={() => (isRepository ? onChoose(path) : onOpen(path))}
                type="button"
              >
                <FolderIcon isRepository={isRepository} />
                <UntrustedLine className="min-w-0 flex-1" text={name} />
                <span className="shrink-0 text-sm text-quiet">
                  {repositoryId !== null ? 'already added' : isRepository ? 'git repository' : '›'}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {data?.truncated === true ? (
          <p className="p-2 text-sm text-quiet">Not all folders are listed. Enter the path instead.</p>
        ) : null}
      </div>
    </section>
  );
}

function FolderIcon({ isRepository }: { isRepository: boolean }) {
  return (
    <Icon className={`shrink-0 ${isRepository ? '' : 'text-quiet'}`} size={14}>
      {isRepository ? (
        <path d="M4 4.5v5M4 4.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM10 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM10 6.5c0 2-3 1.5-4.7 3" />
      ) : (
        <path d="M1.5 3.5h4l1.2 1.5h5.8v6.5h-11z" />
      )}
    </Icon>
  );
}
