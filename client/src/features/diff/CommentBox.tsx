import { useEffect, useRef } from 'react';
import { keyName } from '../../shell/key-names.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { type Comment, rangeOf } from './comments.ts';

const SUBMIT = keyName('$mod+Enter', /Mac|iP/.test(navigator.platform));

/**
 * A comment on lines of the diff. A sent comment can be resolved, but no longer edited.
 * @param props.state text that describes the comment's state, as `commentState` returns it
 */
export function CommentCard(props: { comment: Comment; state: string; onEdit: () => void; onRemove: () => void }) {
  const { comment, state, onEdit, onRemove } = props;
  const isSent = comment.sent !== undefined;
  return (
    <div className="border-y border-line bg-bg px-3 py-2">
      <div className="max-w-180 rounded-md border border-line bg-raised">
        <div className="flex items-center gap-2 border-b border-line px-3 py-1 text-sm text-quiet">
          <span className="min-w-0 flex-1 truncate">
            {comment.from === comment.to ? 'Line' : 'Lines'} {rangeOf(comment)}
            {comment.side === 'old' && ' (removed)'} · {state}
            {comment.sent === undefined ? null : (
              <>
                {' '}
                · <Age since={comment.sent.at} />
              </>
            )}
          </span>
          {isSent ? null : (
            <Button kind="quiet" onClick={onEdit}>
              Edit
            </Button>
          )}
          <Button kind="quiet" onClick={onRemove}>
            {isSent ? 'Resolve' : 'Delete'}
          </Button>
        </div>
        <p className={`whitespace-pre-wrap break-words px-3 py-2 ${isSent ? 'text-quiet' : ''}`}>{comment.text}</p>
      </div>
    </div>
  );
}

/** Editor of a comment. Each change of the text is reported at once, because scrolling may unmount the editor. */
export function CommentEditor(props: {
  title: string;
  text: string;
  focused: boolean;
  onText: (text: string) => void;
  onDone: () => void;
  onCancel: () => void;
}) {
  const { title, text, focused, onText, onDone, onCancel } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus on mount only
  useEffect(() => {
    if (focused) area.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="border-y border-line bg-bg px-3 py-2">
      <form
        className="max-w-180 rounded-md border border-line-strong bg-raised p-2"
        onSubmit={(event) => {
          event.preventDefault();
          onDone();
        }}
      >
        <textarea
          aria-label={title}
          className="block h-20 w-full resize-y rounded-md border border-line bg-bg p-2"
          defaultValue={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Escape') onCancel();
            else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onDone();
            else return;
            event.preventDefault();
          }}
          placeholder="What should the agent change here?"
          ref={area}
        />
        <div className="mt-2 flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-sm text-quiet">{title}</span>
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
          <Button kind="primary" type="submit">
            Add comment{' '}
            <span className="max-md:hidden">
              <Kbd>{SUBMIT}</Kbd>
            </span>
          </Button>
        </div>
      </form>
    </div>
  );
}
