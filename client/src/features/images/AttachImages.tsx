import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useRef } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Icon } from '../../ui/Icon.tsx';

/** Button with which a person chooses images for the prompt. Not shown if the agent does not support images. */
export function AttachImages(props: {
  agentId: string;
  onFiles: (files: readonly File[]) => void;
  /** Whether the button shows its name beside its icon. */
  isNamed?: boolean;
}) {
  const { agentId, onFiles, isNamed = false } = props;
  const { data: agents } = useOperationQuery('agents.list', { limit: PAGE_MAX });
  const input = useRef<HTMLInputElement>(null);
  if (agents?.data.find(({ id }) => id === agentId)?.supports.images !== true) return null;
  return (
    <>
      <button
        aria-label="Attach images"
        className={`flex shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-text max-md:h-11 ${isNamed ? 'h-7 gap-1.5 px-1.5' : 'h-9 w-9 max-md:w-11'}`}
        onClick={() => input.current?.click()}
        title="Attach images (or paste or drop them)"
        type="button"
      >
        <Icon size={16}>
          <rect height="11" rx="1.5" width="13" x="1.5" y="2.5" />
          <circle cx="5.5" cy="6" r="1.25" />
          <path d="m2 12 4-3.5 2.5 2 3-3 3 2.5" />
        </Icon>
        {isNamed ? 'Attach images' : null}
      </button>
      <input
        accept="image/*"
        aria-label="Choose images"
        className="hidden"
        multiple
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // Clears the field. Otherwise, choosing the same file again would cause no event.
          target.value = '';
        }}
        ref={input}
        type="file"
      />
    </>
  );
}
